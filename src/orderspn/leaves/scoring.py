"""Families from data: the local scores of all parent sets of all variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.scores.local import NO_OUTSIDERS, LocalScore


def score_families(
    local: LocalScore,
    candidates: Sequence[np.ndarray],
    workers: Workers,
    outsiders: Sequence[np.ndarray] | None = None,
) -> list[Family]:
    """Score every parent set of every variable, given its candidates and its rows of outsiders.

    All scores are in one array, so that their memory is returned to the system when the families are deleted.
    """
    rows = [NO_OUTSIDERS] * len(candidates) if outsiders is None else outsiders
    families: list[Family | None] = [None] * len(candidates)
    sizes = [(1 + len(own)) << causes.size for causes, own in zip(candidates, rows, strict=True)]
    log_scores = np.split(np.empty(sum(sizes)), np.cumsum(sizes)[:-1])

    def fill(child: int) -> None:
        families[child] = score_family(local, child, candidates[child], rows[child], log_scores[child])

    workers.run([partial(fill, i) for i in range(len(candidates))], workers.steps("scores", len(candidates)))
    return [family for family in families if family is not None]


def score_family(
    local: LocalScore, child: int, candidates: np.ndarray, rows: np.ndarray, log_score: np.ndarray | None = None
) -> Family:
    """Score every parent set of one variable; the scores are written to `log_score` if it is given."""
    table = local.table(child, candidates, rows)
    best = float(table.max())
    log_scale = best if best > -np.inf else 0.0
    found = np.subtract(table, log_scale, out=log_score)
    return Family(child, candidates, found, log_scale, rows, is_context=local.is_context(child))
