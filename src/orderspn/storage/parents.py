"""Candidates and outsiders of all variables as flat arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from orderspn.parents.outsiders import MOST_AT_ONCE
from orderspn.scores.local import NO_OUTSIDERS


def parent_arrays(candidates: Sequence[np.ndarray], outsiders: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return candidates and rows of outsiders of each variable as arrays of a file."""
    return {
        "candidates": np.concatenate(candidates).astype(np.int64),
        "n_candidates": np.array([causes.size for causes in candidates], dtype=np.int64),
        "outsiders": np.concatenate([_padded(rows) for rows in outsiders]),
        "n_outsider_rows": np.array([len(rows) for rows in outsiders], dtype=np.int64),
    }


def _padded(outsiders: np.ndarray) -> np.ndarray:
    """Return rows of outsiders padded to the largest number of columns."""
    padded = np.full((len(outsiders), MOST_AT_ONCE), -1, dtype=np.int64)
    padded[:, : outsiders.shape[1]] = outsiders
    return padded


def split_candidates(arrays: Mapping[str, np.ndarray], d: int) -> list[np.ndarray]:
    """Return the candidates of each variable, checked."""
    flat, counts = arrays["candidates"], arrays["n_candidates"]
    _check_counts(counts, d, d - 1, len(flat), "the number of candidates does not match the variables")
    candidates = np.split(flat, np.cumsum(counts)[:-1])
    for child, causes in enumerate(candidates):
        if causes.size and (causes.min() < 0 or causes.max() >= d or child in causes):
            raise ValueError("candidates that are not other variables")
        if (causes[1:] <= causes[:-1]).any():
            raise ValueError("candidates out of order")
    return candidates


def split_outsiders(arrays: Mapping[str, np.ndarray], candidates: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the rows of outsiders of each variable, checked."""
    flat, counts = arrays["outsiders"], arrays["n_outsider_rows"]
    d, wrong = len(candidates), "the number of outsiders does not match the variables"
    _check_counts(counts, d, d * d, len(flat), wrong)
    if flat.shape[1] != MOST_AT_ONCE:
        raise ValueError(wrong)
    rows = np.split(flat, np.cumsum(counts)[:-1])
    for child, (causes, own) in enumerate(zip(candidates, rows, strict=True)):
        known = own[own >= 0]
        if (own < -1).any() or (own >= d).any() or (own[:, 0] < 0).any() or (own[:, 0] == own[:, 1]).any():
            raise ValueError("outsiders that are not variables")
        if child in known or np.isin(known, causes).any() or len({frozenset(row) for row in own.tolist()}) != len(own):
            raise ValueError("outsiders that are candidates, or appear twice")
    return [own if len(own) else NO_OUTSIDERS for own in rows]


def check_context_parents(
    candidates: Sequence[np.ndarray], outsiders: Sequence[np.ndarray], context: np.ndarray
) -> None:
    """Raise a ValueError for context variables that have candidates or outsiders."""
    if any(candidates[v].size or len(outsiders[v]) for v in context.tolist()):
        raise ValueError("context variables that have candidates or outsiders")


def _check_counts(counts: np.ndarray, d: int, most: int, total: int, wrong: str) -> None:
    """Raise a ValueError if counts do not match the entries; each count is bounded first, because sums may overflow."""
    if counts.shape != (d,) or (counts < 0).any() or (counts > most).any() or counts.sum() != total:
        raise ValueError(wrong)
