"""Small scored problems, and a slow selection of causes."""

from dataclasses import replace

import numpy as np

import orderspn as osp
from orderspn.data.dataset import read_table
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.structure_prior import log_prior_by_size
from orderspn.search.selections import FALL, SELECTED

D = 9


def local_score(seed, d=D, most=None, rules=None):
    data = read_table(osp.simulate.linear_gaussian(d, 60, rng=seed).data, None, standardize=False)
    return LocalScore(BGe().fit(data), log_prior_by_size("fair", d), d - 1 if most is None else most, rules)


def some_rules(seed):
    rng = np.random.default_rng(seed)
    allowed = (rng.random((D, D)) < 0.7) & ~np.eye(D, dtype=bool)
    return replace(ParentRules.none(D), allowed=allowed, required=np.triu(allowed & (rng.random((D, D)) < 0.15)))


def slow_selected(local, child, allowed):
    """Add the best cause to the required ones, a table for each, until the score is far below its highest."""
    begin = chosen = local.rules.required_of(child).tolist()
    highest = -np.inf
    while len(chosen) < len(begin) + SELECTED:
        left = [
            v
            for v in range(local.log_prior.size)
            if v != child and v not in chosen and allowed[v] and local.rules.allowed[v, child]
        ]
        scores = {v: local.table(child, np.array(sorted([*chosen, v])))[-1] for v in left}
        best = max(left, key=scores.get, default=None)
        if best is None or scores[best] == -np.inf or scores[best] < highest - FALL:
            break
        highest = max(highest, scores[best])
        chosen = [*chosen, best]
    return chosen[len(begin) :]
