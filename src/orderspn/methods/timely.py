"""As many candidates and outsiders as there is time for: the time of a few parent sets is measured first."""

from __future__ import annotations

import math

import numpy as np

from orderspn.core.deadline import now
from orderspn.leaves.mass_lines import lines_of
from orderspn.leaves.scoring import score_families
from orderspn.methods.problem import Problem
from orderspn.parents.plan import ParentPlan

SHARE = 0.35
"""Part of the time there is that tables of the families may take, if they are made once."""

TRIALS = (4, 6, 8, 10, 12)
"""Candidates of the families that are tried out, one number after the other."""

ROWS_TRIED = 8

TOO_LONG = 0.02
"""Part of the time there is that no trial may take: the next takes four times as long as the one before."""


def timely_plan(problem: Problem, tables: float) -> ParentPlan:
    """The plan itself, or the largest smaller one for whose tables there is time; however late, the smallest."""
    plan, left = problem.plan, problem.deadline.left
    if left == math.inf:
        return plan
    room = SHARE * left / (tables * seconds_per_set(problem))
    for smaller in plan.smaller(problem.d):
        plan = smaller
        if plan.sizes(problem.d).total <= room:
            break
    return plan


def seconds_per_set(problem: Problem) -> float:
    """What it takes to score a parent set and to lay it out for a search, where all threads are at work.

    By the quickest of some trials: anything else that goes on makes some of them slower, and small ones are slow.
    """
    d, workers = problem.d, problem.workers
    others = [np.delete(np.arange(d), child) for child in range(min(d, workers.n_jobs))]
    longest = TOO_LONG * problem.deadline.left
    seconds = math.inf
    for size in TRIALS:
        candidates = [own[:size] for own in others]
        rows = [own[size : size + (ROWS_TRIED if problem.plan.at_once else 0), None] for own in others]
        begin = now()
        families = score_families(problem.local, candidates, workers, rows)
        lines_of(families, workers)
        taken = now() - begin
        seconds = min(seconds, taken / sum(family.log_score.size for family in families))
        if size >= problem.plan.largest_size or 4.0 * taken > longest:
            break
    return max(seconds, 1e-12)
