"""A tiny problem that is solved first to load all compiled functions, so that later times are times of work.

In a new process compiled functions are read from disk at their first call. Before a time limit is divided among the
parts of the work, the rehearsal calls all of them.
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
    """Return a problem of six variables, with two candidates and three outsiders each."""
    dataset = read_table(np.random.default_rng(0).normal(size=(ROWS, VARIABLES)))
    local = LocalScore(BGe().fit(dataset), log_prior_by_size("fair", VARIABLES), VARIABLES - 1)
    plan = ParentPlan(2, 1, None, 1)
    seed = np.random.SeedSequence(0)
    return Problem(tuple(dataset.variables), local, plan, seed, Workers(workers.n_jobs), Deadline())
