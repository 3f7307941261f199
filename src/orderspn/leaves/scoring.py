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
    """Score every parent set of every variable, given candidates and rows of outsiders of each."""
    rows = [NO_OUTSIDERS] * len(candidates) if outsiders is None else outsiders
    families: list[Family | None] = [None] * len(candidates)

    def fill(child: int) -> None:
        log_score = local.table(child, candidates[child], rows[child])
        best = float(log_score.max())
        log_scale = best if best > -np.inf else 0.0
        families[child] = Family(child, candidates[child], log_score - log_scale, log_scale, rows[child])

    workers.run([partial(fill, i) for i in range(len(candidates))], workers.steps("scores", len(candidates)))
    return [family for family in families if family is not None]
