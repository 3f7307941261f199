"""Work that fits a time limit: how many candidates and outsiders there is time for, and a rehearsal before measuring.

In a new process compiled functions are read from disk when they are first called. Before a time limit is divided among
the parts of the work, a tiny problem is solved, so that what is measured afterwards is work alone.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.core.deadline import Deadline, now
from orderspn.core.workers import Workers
from orderspn.data.dataset import read_table
from orderspn.leaves.mass_lines import lines_of
from orderspn.leaves.scoring import score_families
from orderspn.methods.problem import Problem
from orderspn.parents.plan import ParentPlan
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size

SHARE = 0.35
"""Share of the available time for the tables of the families, if they are made once."""

TRIALS = (4, 6, 8, 10, 12)
"""Numbers of candidates of the families that are timed, one after the other."""

ROWS_TRIED = 8

TOO_LONG = 0.02
"""Largest share of the available time for one trial: each takes four times as long as the one before."""

VARIABLES, ROWS = 6, 24
"""Size of the problem of a rehearsal."""


def timely_plan(problem: Problem, tables: float) -> ParentPlan:
    """Return the plan, or the largest smaller one for whose tables there is time, or the smallest of all."""
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
    """Return the seconds to score a parent set and to lay it out for a search, with all threads at work.

    It is the time of the fastest of some trials: other processes slow some of them down, and small trials are slow.
    """
    d, workers = problem.d, problem.workers
    explained = np.setdiff1d(np.arange(d), problem.local.context)
    timed = explained[: workers.n_jobs]
    # Families are numbered from 0; those in between have no parents.
    others = [
        np.delete(np.arange(d), child) if child in timed else np.empty(0, dtype=np.int64)
        for child in range(int(timed[-1]) + 1)
    ]
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


def rehearsal(workers: Workers) -> Problem:
    """A problem of six variables, two candidates and three outsiders each."""
    dataset = read_table(np.random.default_rng(0).normal(size=(ROWS, VARIABLES)))
    local = LocalScore(BGe().fit(dataset), log_prior_by_size("fair", VARIABLES), VARIABLES - 1)
    plan = ParentPlan(2, 1, None, 1)
    seed = np.random.SeedSequence(0)
    return Problem(tuple(dataset.variables), local, plan, seed, Workers(workers.n_jobs), Deadline())
