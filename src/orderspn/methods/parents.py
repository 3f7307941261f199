"""Parent sets for methods that search over orders: refined candidates, and where the search was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.leaves.family import Family
from orderspn.methods.problem import Problem
from orderspn.search.ensemble import Effort
from orderspn.search.refinement import refine


@dataclass(frozen=True, eq=False)
class Parents:
    """Scored parent sets; rounds of refinement that were made, and where the chains of the last one ended."""

    families: Sequence[Family]
    rounds: int = 0
    starts: np.ndarray | None = None


def refined_parents(problem: Problem, effort: Effort) -> Parents:
    """Score the parent sets, of refined candidates where they are to be refined, in half of the time there is."""
    plan = problem.plan
    if plan.rounds == 0:
        return Parents(problem.families())
    refined = refine(
        problem.local,
        problem.candidates(),
        plan.at_once,
        plan.most_outsiders,
        plan.rounds,
        effort,
        problem.seed.spawn(1)[0],
        problem.workers,
        problem.deadline.share(0.5),
    )
    return Parents(refined.families, refined.rounds, refined.starts)
