"""The input and the result of every method, and what one search passes on to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.checkpoints.part import Part, apart, in_a_row
from orderspn.core.deadline import Deadline
from orderspn.core.errors import InvalidValue
from orderspn.core.names import quoted
from orderspn.core.randomness import seed_for
from orderspn.core.workers import Workers
from orderspn.leaves.context import context_first
from orderspn.leaves.family import Family
from orderspn.leaves.order_constraints import never_placed
from orderspn.leaves.scoring import score_families
from orderspn.models.protocol import GraphModel
from orderspn.parents.candidates import choose_candidates
from orderspn.parents.outsiders import choose_outsiders
from orderspn.parents.plan import ParentPlan
from orderspn.scores.local import LocalScore
from orderspn.search.lost_mass import LostShare, lost_share

ListParts = tuple[tuple[str, ...], LocalScore, list[np.ndarray], list[np.ndarray], np.ndarray, np.ndarray]
"""The first arguments of a list of graphs: variables, score, candidates, outsiders, graphs and log scores."""

ORDERS_ASKED = 256
"""Number of orders to estimate the mass left out from, if a method has no sample of its own."""


@dataclass(frozen=True, eq=False)
class SearchState:
    """The end of a search over orders: refined candidates of each variable, and the last states of the chains."""

    candidates: list[np.ndarray]
    orders: np.ndarray  # (runs, temperatures, n)


@dataclass(frozen=True, eq=False)
class Problem:
    """Local scores of named variables, the plan of their parent sets, and the resources: seed, threads and time."""

    variables: tuple[str, ...]
    local: LocalScore
    plan: ParentPlan
    seed: np.random.SeedSequence
    workers: Workers
    deadline: Deadline
    resumed: SearchState | None = None
    """The end of a search with scores much like these, to begin with."""
    checkpoint: Checkpoint = NOT_KEPT
    """Where finished parts of the work are kept: `problem.checkpoint.part(name, compute)`."""

    @property
    def d(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @property
    def n_ordered(self) -> int:
        """Number of variables that are ordered: all but the context ones."""
        return self.d - self.local.context.size

    def candidates(self) -> list[np.ndarray]:
        """Return the candidates of every variable, before any refinement."""
        stage = self.workers.stage("candidates")
        kept = self.checkpoint.part("candidates", self._chosen_candidates).arrays
        stage.done("up to %d for each of %d variables", self.plan.largest_size, self.d)
        return apart(kept["candidates"], kept["sizes"])

    def _chosen_candidates(self) -> Part:
        chosen = choose_candidates(self.plan.candidates, self.variables, self.local, self.workers)
        candidates, sizes = in_a_row(chosen)
        return Part({"candidates": candidates, "sizes": sizes})

    def families(self) -> list[Family]:
        """Score the parent sets of unrefined candidates and outsiders."""
        candidates = self.candidates()
        outsiders = choose_outsiders(self.local, candidates, self.plan.at_once, self.plan.most_outsiders)
        stage = self.workers.stage("scoring")
        families = score_families(self.local, candidates, self.workers, outsiders)
        stage.done("%d parent sets", sum(family.log_score.size for family in families))
        return self.checked(families)

    def checked(self, families: list[Family]) -> list[Family]:
        """Return the families; raise an error if no order is possible with them."""
        stuck = never_placed(families)
        if stuck.size:
            raise InvalidValue(
                "no graph has any weight: with their candidates, "
                f"{quoted([self.variables[v] for v in stuck])} cannot have the parents that knowledge=, prior= and "
                "max_parents= require, or have none that the score allows. Raise candidates=, pass other candidates, "
                "or require less in knowledge=."
            )
        return families

    def listed(self, families: Sequence[Family], graphs: np.ndarray, log_scores: np.ndarray) -> ListParts:
        """Return the parts of a list of graphs (n, d, d), whose log scores (n,) are without the scales of families."""
        candidates, outsiders = [family.candidates for family in families], [family.outsiders for family in families]
        log_scale = sum(family.log_scale for family in families)
        return self.variables, self.local, candidates, outsiders, graphs, log_scores + log_scale

    def leaves_out(self, families: Sequence[Family]) -> bool:
        """Whether some possible parent of a variable is not among its candidates."""
        return any(family.candidates.size < self.local.rules.n_allowed(family.child) for family in families)

    def lost_share(self, families: Sequence[Family], orders: np.ndarray) -> LostShare:
        """Estimate the share of the mass of parent sets that the families leave out, given sampled orders.

        Orders (m, n) are of the variables that are no context, or of all.
        """
        explained = orders[~np.isin(orders, self.local.context)].reshape(len(orders), -1)
        every = context_first(explained, self.d)
        return lost_share(self.local, families, every, seed_for(self.seed, "lost share"), self.workers, self.deadline)

    def time_report(self, shortened: dict[str, list[int]]) -> dict[str, Any]:
        """Return, for a time limit, whether it was reached, and the shortened work: amounts done and defaults."""
        if not self.deadline.limited:
            return {}
        return {"time_limit_reached": bool(shortened) or self.deadline.passed, "shortened": shortened}


@dataclass(frozen=True, eq=False)
class Solution:
    """A distribution over graphs, and the report of the method."""

    model: GraphModel
    report: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    state: SearchState | None = None
