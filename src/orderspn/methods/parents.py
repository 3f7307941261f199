"""Parent sets for methods that search over orders: refined candidates, and the last states of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from orderspn.core.deadline import less_than_usual
from orderspn.core.randomness import seed_for
from orderspn.leaves.family import Family
from orderspn.methods.problem import Problem
from orderspn.methods.timing import timely_plan
from orderspn.parents.plan import ParentPlan
from orderspn.search.ensemble import Effort
from orderspn.search.refinement import refine

REFINING = 0.5
"""Share of the available time for the refinement of candidates."""


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
    own = replace(problem, plan=plan)
    if plan.rounds == 0:
        return Parents(own.families(), plan)
    refined = refine(
        own.local,
        own.candidates(),
        plan.at_once,
        plan.most_outsiders,
        plan.rounds,
        effort,
        seed_for(own.seed, "refinement"),
        own.workers,
        own.deadline.share(REFINING),
    )
    return Parents(refined.families, plan, refined.rounds, refined.starts)
