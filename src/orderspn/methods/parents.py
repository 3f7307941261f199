"""Parent sets for methods that search over orders: refined candidates, and the last states of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orderspn.core.deadline import less_than_usual
from orderspn.core.randomness import seed_for
from orderspn.leaves.family import Family
from orderspn.methods.problem import Problem, SearchState
from orderspn.methods.timing import timely_plan
from orderspn.parents.candidates import keeps_all_explained
from orderspn.parents.plan import ParentPlan
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import NO_VARIABLES
from orderspn.search.climbed import can_climb, climbed_beginning
from orderspn.search.ensemble import Effort
from orderspn.search.refinement import refine

CLIMBING, REFINING = 0.1, 0.5
"""Shares of the available time for good graphs to begin with, and for the refinement of candidates."""

ROUNDS_AFTER = 1
"""Rounds of refinement if there are candidates that were refined with scores much like these."""


@dataclass(frozen=True, eq=False)
class Parents:
    """Scored parent sets, the number of rounds of refinement, and the last states of the chains of the last round."""

    families: Sequence[Family]
    plan: ParentPlan
    rounds: int = 0
    starts: np.ndarray | None = None

    def recorded(self) -> dict[str, Any]:
        """Return candidates, outsiders and rounds of refinement as JSON values."""
        return {**self.plan.recorded(), "refinements": self.rounds}

    def searched_to(self, orders: np.ndarray) -> SearchState:
        """Return the end of a search with these families: the last states of its chains (runs, temperatures, n)."""
        return SearchState([family.candidates for family in self.families], orders)

    def shortened(self, problem: Problem) -> dict[str, list[int]]:
        """Return what there was no time for: the amounts done and the defaults."""
        usual, rows = problem.plan, (max(plan.sizes(problem.d).rows) for plan in (self.plan, problem.plan))
        fewer = less_than_usual(refinements=(self.rounds, self.plan.rounds))
        if self.plan is usual:
            return fewer
        if not isinstance(usual.candidates, Mapping):
            fewer |= less_than_usual(candidates=(self.plan.largest_size, usual.largest_size))
        return fewer | less_than_usual(outsiders_each=(next(rows), next(rows)))


def refined_parents(problem: Problem, effort: Effort, tables: float) -> Parents:
    """Score the parent sets, after a refinement of candidates if requested, in half of the available time.

    `tables` is the time for all tables of the families, as a multiple of that for scores and the tables of a search.
    """
    plan = timely_plan(problem, tables)
    resumed = problem.resumed
    if resumed is not None:
        plan = replace(plan, rounds=min(plan.rounds, ROUNDS_AFTER))
    own = replace(problem, plan=plan)
    if plan.rounds == 0:
        return Parents(own.families(), plan, starts=None if resumed is None else resumed.orders)
    always = _always_candidates(own.local, plan.largest_size)
    candidates, starts = _beginning(own, effort, always)
    refined = refine(
        own.local,
        candidates,
        plan.allotment(own.d),
        plan.rounds,
        effort,
        seed_for(own.seed, "refinement"),
        own.workers,
        own.deadline.share(REFINING),
        starts,
        own.checkpoint,
        always,
    )
    return Parents(refined.families, plan, refined.rounds, refined.starts)


def _beginning(problem: Problem, effort: Effort, always: np.ndarray) -> tuple[Sequence[np.ndarray], np.ndarray | None]:
    """Return candidates to begin with, and states of chains: where another search ended, of climbs, or by selection."""
    if problem.resumed is not None:
        return problem.resumed.candidates, problem.resumed.orders
    if not can_climb(problem.local):
        return problem.candidates(), None
    begun = climbed_beginning(
        problem.local,
        problem.plan.allotment(problem.d),
        effort.runs,
        effort.temperatures,
        seed_for(problem.seed, "climbs"),
        problem.workers,
        problem.deadline.share(CLIMBING),
        problem.checkpoint,
        always,
    )
    return begun.candidates, begun.starts


def _always_candidates(local: LocalScore, size: int) -> np.ndarray:
    """Return the variables that are candidates of all others: all explained ones if these are few beside context."""
    d = local.log_prior.size
    kept = keeps_all_explained(d, local.context.size, size)
    return np.setdiff1d(np.arange(d), local.context) if kept else NO_VARIABLES
