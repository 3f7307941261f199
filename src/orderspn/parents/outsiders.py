"""Outsiders: variables that may be parents in addition to candidates, one or two at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from orderspn.scores.local import NO_OUTSIDERS, LocalScore

MOST_AT_ONCE = 2

PAIRED = 8
"""Number of best outsiders whose pairs are rows, if two at a time are allowed."""


def choose_outsiders(
    local: LocalScore,
    candidates: Sequence[np.ndarray],
    at_once: int,
    most: int | None = None,
    most_rows: Sequence[int] | None = None,
) -> list[np.ndarray]:
    """Return the rows of outsiders of every variable, each (rows, at_once), -1 for none.

    Every variable that is no candidate has a row, or the `most` that give the best score together with all candidates.
    With two at a time, rows for pairs of the best ones follow. `most_rows` limits the rows of each variable.
    """
    limits = [None] * len(candidates) if most_rows is None else most_rows
    return [
        _rows(local, child, causes, at_once, most)[:limit]
        for child, (causes, limit) in enumerate(zip(candidates, limits, strict=True))
    ]


def _rows(local: LocalScore, child: int, candidates: np.ndarray, at_once: int, most: int | None) -> np.ndarray:
    if at_once == 0:
        return NO_OUTSIDERS
    log_score = local.with_one_more(child, candidates)
    ranked = np.argsort(-log_score, kind="stable")[: np.count_nonzero(log_score > -np.inf)]
    if not ranked.size:
        return NO_OUTSIDERS
    leading = [int(v) for v in ranked[:most]]
    rows: list[tuple[int, ...]] = [(v,) for v in leading]
    if at_once == MOST_AT_ONCE:
        rows += itertools.combinations(sorted(leading[:PAIRED]), 2)
    padded = [(*row, *[-1] * (at_once - len(row))) for row in rows]
    return np.array(padded, dtype=np.int64)
