"""As many candidates and outsiders as there is time for: the time of a few parent sets is measured first."""

from __future__ import annotations

import math

import numpy as np

from orderspn.core.deadline import now
from orderspn.leaves.lines import lines_of
from orderspn.leaves.scoring import score_families
from orderspn.methods.problem import Problem
from orderspn.parents.plan import ParentPlan

SHARE = 0.35
"""Part of the time there is that tables of the families may take, if they are made once."""

TRIALS = (4, 6, 8, 10, 12)
"""Candidates of the families that are tried out, one number after the other, until one takes long enough."""

ROWS_TRIED = 8

LONG_ENOUGH = 0.005
"""Part of the time there is that a trial may take before it is the last one."""


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
    """What it takes to score a parent set and to lay it out for a search, where all threads are at work."""
    d, workers = problem.d, problem.workers
    children = range(min(d, workers.n_jobs))
    enough = LONG_ENOUGH * problem.deadline.left
    seconds = math.inf
    for size in TRIALS:
        if size > problem.plan.largest_size and seconds < math.inf:
            break
        others = [np.delete(np.arange(d), child) for child in children]
        candidates = [np.sort(own[:size]) for own in others]
        rows = [own[size : size + (ROWS_TRIED if problem.plan.at_once else 0), None] for own in others]
        begin = now()
        # A family's number is its place here; its child decides what is scored.
        families = score_families(problem.local, candidates, workers, rows)
        lines_of(families, workers)
        taken = now() - begin
        seconds = taken / sum(family.log_score.size for family in families)
        if taken >= enough:
            break
    return max(seconds, 1e-12)
