"""Means and scatter matrices of the rows that count for each group of variables.

Rows that count for the same groups form a batch, usually one experiment, and each batch is summed once. Batches are
combined by `S = sum_b S_b + n_b (xbar_b - xbar)(xbar_b - xbar)'`, a sum of positive terms. Subtracting the rows of some
experiments from the sum of all would lose digits if interventions set values far away. Means far from 0 have large
rounding errors, so deviations from them are corrected by these errors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BATCHES_AT_ONCE = 64
"""Number of batches whose matrices are kept in memory at a time."""


class Scatter(NamedTuple):
    """Number of rows, mean and scatter matrix of each group of variables."""

    n_rows: np.ndarray  # (groups,), int64
    mean: np.ndarray  # (groups, d); 0 without rows
    matrix: np.ndarray  # (groups, d, d): sums of squares and products of deviations from the mean


def scatter_of_all(values: np.ndarray) -> Scatter:
    """Compute the scatter of one group with all rows (N, d)."""
    mean, _, matrix = _mean_and_scatter(values)
    return Scatter(np.array([len(values)], dtype=np.int64), mean[None], matrix[None])


def scatter_by_group(values: np.ndarray, kept: np.ndarray) -> Scatter:
    """Compute the scatter of each group from its rows: `kept` (groups, N) of `values` (N, d)."""
    batches = _batches(kept)
    keeps = np.array([kept[:, rows[0]] for rows in batches], dtype=np.float64).T  # (groups, batches)
    sizes = np.array([len(rows) for rows in batches], dtype=np.int64)
    means, rests = np.array([_mean(values[rows])[:2] for rows in batches]).transpose(1, 0, 2)
    n_rows = keeps @ sizes
    mean = (keeps * sizes) @ means / np.maximum(n_rows, 1.0)[:, None]
    matrix = _within(values, batches, keeps)
    for group, own in enumerate(keeps.astype(bool)):
        apart = (means[own] - mean[group]) + rests[own]
        apart -= sizes[own] @ apart / max(n_rows[group], 1.0)  # the rounding error of the mean of all rows
        apart *= np.sqrt(sizes[own])[:, None]
        matrix[group] += apart.T @ apart
    return Scatter(n_rows.astype(np.int64), mean, matrix)


def _batches(kept: np.ndarray) -> list[np.ndarray]:
    """Return the rows of each batch."""
    _, batch = np.unique(np.packbits(kept, axis=0).T, axis=0, return_inverse=True)
    order = np.argsort(batch.ravel(), kind="stable")
    return np.split(order, np.flatnonzero(np.diff(batch.ravel()[order])) + 1)


def _within(values: np.ndarray, batches: list[np.ndarray], keeps: np.ndarray) -> np.ndarray:
    """Sum the scatter of batches around their own means, for each group, shape (groups, d, d)."""
    d = values.shape[1]
    total = np.zeros((len(keeps), d * d))
    several = [b for b, rows in enumerate(batches) if len(rows) > 1]  # a single row has no scatter
    for start in range(0, len(several), BATCHES_AT_ONCE):
        some = several[start : start + BATCHES_AT_ONCE]
        matrices = np.array([_mean_and_scatter(values[batches[b]])[2].ravel() for b in some])
        total += keeps[:, some] @ matrices
    return total.reshape(-1, d, d)


def _mean(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean (d,), its rounding error (d,), and the rows less the mean (N, d)."""
    mean = values.mean(axis=0)
    centred = values - mean
    return mean, centred.mean(axis=0), centred


def _mean_and_scatter(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean, its rounding error, which is large far from 0, and the scatter around the corrected mean."""
    mean, rest, centred = _mean(values)
    return mean, rest, centred.T @ centred - len(values) * np.outer(rest, rest)
