"""Parent sets for methods that search over orders: refined candidates, and where the search was."""

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
"""Part of the time there is in which candidates are refined."""


@dataclass(frozen=True, eq=False)
class Parents:
    """Scored parent sets; rounds of refinement that were made, and where the chains of the last one ended."""

    families: Sequence[Family]
    plan: ParentPlan
    rounds: int = 0
    starts: np.ndarray | None = None

    def recorded(self) -> dict[str, Any]:
        """What was done, as JSON values."""
        return {**self.plan.recorded(), "refinements": self.rounds}

    def shortened(self, problem: Problem) -> dict[str, list[int]]:
        """Of what there was no time for: done and usual."""
        usual, rows = problem.plan, (max(plan.sizes(problem.d).rows) for plan in (self.plan, problem.plan))
        fewer = less_than_usual(refinements=(self.rounds, self.plan.rounds))
        if self.plan is usual:
            return fewer
        if not isinstance(usual.candidates, Mapping):
            fewer |= less_than_usual(candidates=(self.plan.largest_size, usual.largest_size))
        return fewer | less_than_usual(outsiders_each=(next(rows), next(rows)))


def refined_parents(problem: Problem, effort: Effort, tables: float) -> Parents:
    """Score the parent sets, of refined candidates where they are to be refined, in half of the time there is.

    `tables` says how long all work on the tables of the families takes, as a multiple of scores and a search's tables.
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
