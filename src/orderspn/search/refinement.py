"""Refinement of candidates with sampled orders.

Forward selection without an order often takes the children of a variable for its parents. Orders sampled by a short
search give every edge a probability, also those from outsiders, and the variables with the most probable edges become
the candidates. The reverse of a probable edge counts a little, because it may be reversed in a longer search, and so do
the variables that would then take the place of a parent (see `substitutes.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from orderspn.core.deadline import Deadline, now
from orderspn.core.randomness import seed_for
from orderspn.core.workers import Workers
from orderspn.leaves.context import context_first, root_block
from orderspn.leaves.family import Family
from orderspn.leaves.scoring import score_families
from orderspn.leaves.tables import LeafTables
from orderspn.parents.candidates import keeps_all_explained
from orderspn.parents.outsiders import choose_outsiders
from orderspn.scores.local import LocalScore
from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.protocol import NO_VARIABLES
from orderspn.search.context_edges import context_edges
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.order_edges import edges_given_orders
from orderspn.search.order_scores import all_order_scores
from orderspn.search.substitutes import substitute_claims, substitute_seconds

WEIGHT_OF_REVERSED = 0.1
"""Weight of the probability of j -> k in the claim of k to be a candidate of j."""

WARM_CHAINS = 4
"""Number of temperatures whose orders are used: those above 1 show further plausible edges."""

DRAWS = 25
"""Orders drawn at each of them."""

LAYING_OUT = 2.0
"""Time for the tables of a search, as a multiple of the time for their scores; a cautious value."""

BURN_IN, DRAWING = 0.4, 0.5
"""Share of the time of a round for its burn-in, and share of the remaining time for drawing orders."""


@dataclass(frozen=True, eq=False)
class Refined:
    """Families with refined candidates, and the last states of the chains of the last round."""

    families: list[Family]
    starts: np.ndarray | None  # (runs, temperatures, d)
    rounds: int


def refine(
    local: LocalScore,
    candidates: Sequence[np.ndarray],
    at_once: int,
    most_outsiders: int | None,
    rounds: int,
    effort: Effort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
    starts: np.ndarray | None = None,
) -> Refined:
    """Repeat rounds of a search and a new choice of candidates by its edge probabilities.

    The first search begins at `starts` (runs, temperatures, n), and each other one where the last one ended. A round
    begins only if there is time for it before the deadline.
    """
    short = replace(effort, burn_in=max(1, effort.burn_in // 4))
    families: list[Family] = []
    for done in range(rounds + 1):
        families.clear()  # so that the old ones are not in memory beside the new ones
        begin = now()
        outsiders = choose_outsiders(local, candidates, at_once, most_outsiders)
        families = score_families(local, candidates, workers, outsiders)
        scoring = now() - begin
        if done == rounds or deadline.passed or not _time_for_a_round(scoring, local, deadline):
            break
        work = f"candidates, round {done + 1}"
        stage = workers.stage(work)
        own = seed_for(seed, f"round {done + 1}")
        candidates, starts = _round(work, local, families, starts, short, own, workers, deadline.before(scoring))
        stage.done("%d parent sets", sum(family.log_score.size for family in families))
    return Refined(families, starts, done)


def _round(
    work: str,
    local: LocalScore,
    families: Sequence[Family],
    starts: np.ndarray | None,
    effort: Effort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> tuple[list[np.ndarray], np.ndarray]:
    """Search with the given families; return new candidates of each variable, and the last states of the chains."""
    order_scores = all_order_scores(LeafTables.of(families, workers))
    ensemble = Ensemble.started(order_scores, effort, seed, workers, starts)
    ensemble.burn_in(work, deadline.share(BURN_IN))
    drawn = ensemble.coldest_draws(WARM_CHAINS, DRAWS, deadline.share(DRAWING))
    _, variables = root_block(families)
    orders = context_first(variables[drawn], len(families))
    edges = context_edges(orders, families, workers)
    edges[np.ix_(variables, variables)] = edges_given_orders(drawn, order_scores, workers).mean(axis=0)
    claims = substitute_claims(edges, orders, local, workers)
    sizes = [family.candidates.size for family in families]
    always = _always_candidates(local, max(sizes))
    return _most_probable(edges, claims, local.rules, sizes, always), ensemble.ends


def _time_for_a_round(scoring: float, local: LocalScore, deadline: Deadline) -> bool:
    """Whether tables, substitutes and new scores take at most half of the time left; the rest is for the search."""
    if deadline.left == math.inf:
        return True
    return 2.0 * ((1.0 + LAYING_OUT) * scoring + substitute_seconds(local)) <= deadline.left


def _always_candidates(local: LocalScore, size: int) -> np.ndarray:
    """Return the variables that are candidates of all others: all explained ones if these are few beside context."""
    d = local.log_prior.size
    kept = keeps_all_explained(d, local.context.size, size)
    return np.setdiff1d(np.arange(d), local.context) if kept else NO_VARIABLES


def _most_probable(
    edges: np.ndarray,
    substitutes: np.ndarray,
    rules: ParentRules,
    sizes: Sequence[int],
    always: np.ndarray = NO_VARIABLES,
) -> list[np.ndarray]:
    """Return the same number of candidates as before: allowed ones with the highest claims; ties go to the first.

    Those of `always` that are allowed have the highest of all.
    """
    claims = np.maximum(edges + WEIGHT_OF_REVERSED * edges.T, substitutes)
    claims[always] = np.inf
    claims[~rules.allowed], claims[rules.required] = -1.0, np.inf
    return [np.sort(np.argsort(-claims[:, j], kind="stable")[:size]) for j, size in enumerate(sizes)]
