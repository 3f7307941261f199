"""Means and scatter of the rows left to each group of variables.

Rows that the same groups keep make a batch, usually those of one experiment, and each batch is summed once. Batches are
then put together by `S = sum_b S_b + n_b (xbar_b - xbar)(xbar_b - xbar)'`, a sum of positive terms: taking the rows of
some experiments away from the sum of all would cancel where values were set far away. Means far from 0 are rounded by
amounts that matter, so that deviations from them are taken with what rounding left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BATCHES_AT_ONCE = 64
"""Matrices of batches kept at a time."""


class Scatter(NamedTuple):
    """Of each group of variables, in the rows left to it."""

    n_rows: np.ndarray  # (groups,), int64
    mean: np.ndarray  # (groups, d); 0 where no row is left
    matrix: np.ndarray  # (groups, d, d): sums of squares and products of deviations from the mean


def scatter_of_all(values: np.ndarray) -> Scatter:
    """Where all rows (N, d) are left to everybody."""
    mean, _, matrix = _mean_and_scatter(values)
    return Scatter(np.array([len(values)], dtype=np.int64), mean[None], matrix[None])


def scatter_by_group(values: np.ndarray, kept: np.ndarray) -> Scatter:
    """Of rows (N, d), those that each group keeps (groups, N)."""
    batches = _batches(kept)
    keeps = np.array([kept[:, rows[0]] for rows in batches], dtype=np.float64).T  # (groups, batches)
    sizes = np.array([len(rows) for rows in batches], dtype=np.int64)
    means, rests = np.array([_mean(values[rows])[:2] for rows in batches]).transpose(1, 0, 2)
    n_rows = keeps @ sizes
    mean = (keeps * sizes) @ means / np.maximum(n_rows, 1.0)[:, None]
    matrix = _within(values, batches, keeps)
    for group, own in enumerate(keeps.astype(bool)):
        apart = (means[own] - mean[group]) + rests[own]
        apart -= sizes[own] @ apart / max(n_rows[group], 1.0)  # what rounding has left of the mean of all
        apart *= np.sqrt(sizes[own])[:, None]
        matrix[group] += apart.T @ apart
    return Scatter(n_rows.astype(np.int64), mean, matrix)


def _batches(kept: np.ndarray) -> list[np.ndarray]:
    """Rows by the groups that keep them."""
    _, batch = np.unique(np.packbits(kept, axis=0).T, axis=0, return_inverse=True)
    order = np.argsort(batch.ravel(), kind="stable")
    return np.split(order, np.flatnonzero(np.diff(batch.ravel()[order])) + 1)


def _within(values: np.ndarray, batches: list[np.ndarray], keeps: np.ndarray) -> np.ndarray:
    """Sum, over the batches that a group keeps, of their scatter around their own means, shape (groups, d, d)."""
    d = values.shape[1]
    total = np.zeros((len(keeps), d * d))
    several = [b for b, rows in enumerate(batches) if len(rows) > 1]  # a single row has no scatter
    for start in range(0, len(several), BATCHES_AT_ONCE):
        some = several[start : start + BATCHES_AT_ONCE]
        matrices = np.array([_mean_and_scatter(values[batches[b]])[2].ravel() for b in some])
        total += keeps[:, some] @ matrices
    return total.reshape(-1, d, d)


def _mean(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean (d,), what rounding left out of it (d,), and rows less the mean (N, d)."""
    mean = values.mean(axis=0)
    centred = values - mean
    return mean, centred.mean(axis=0), centred


def _mean_and_scatter(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, what rounding left out of it, and the scatter around both: far from 0 a mean is rounded by much."""
    mean, rest, centred = _mean(values)
    return mean, rest, centred.T @ centred - len(values) * np.outer(rest, rest)
