"""A tiny problem: who solves it has every compiled function loaded, and what is measured afterwards is work.

In a new process compiled functions are read from disk when they are first called. Before a time limit is divided among
the parts of the work, a rehearsal has them all called.
"""

from __future__ import annotations

import numpy as np

from orderspn.core.deadline import Deadline
from orderspn.core.workers import Workers
from orderspn.data.dataset import read_table
from orderspn.methods.problem import Problem
from orderspn.parents.plan import ParentPlan
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size

VARIABLES, ROWS = 6, 24


def rehearsal(workers: Workers) -> Problem:
    """A problem of six variables, two candidates and three outsiders each."""
    dataset = read_table(np.random.default_rng(0).normal(size=(ROWS, VARIABLES)))
    local = LocalScore(BGe().fit(dataset), log_prior_by_size("fair", VARIABLES), VARIABLES - 1)
    plan = ParentPlan(2, 1, None, 1)
    seed = np.random.SeedSequence(0)
    return Problem(tuple(dataset.variables), local, plan, seed, Workers(workers.n_jobs), Deadline())
