"""More rows for a fitted BGe, from sums alone: numbers of rows, means and scatter matrices.

The score keeps R and the mean of the rows that count for each group of variables; the scatter of these rows follows
from both. New rows come in batches with the same interventions. A batch counts for the variables that were not
intervened on in it, so groups may split. Scatters are combined by `S = S_1 + S_2 + n_1 n_2 / (n_1 + n_2) (xbar_1 -
xbar_2)(xbar_1 - xbar_2)'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.data.units import Units
from orderspn.scores.scatter import Scatter, scatter_of_all

if TYPE_CHECKING:
    from orderspn.data.dataset import Dataset
    from orderspn.scores.bge import FittedBGe

FAR_MEAN = 100.0
"""If the part of the mean in a sum of squares exceeds that of the deviations by this factor, it is kept separate:
adding both would lose more than 2 of 16 digits."""


class Batch(NamedTuple):
    """Sums over rows with the same interventions."""

    n_rows: int
    mean: np.ndarray  # (d,)
    scatter: np.ndarray  # (d, d), around the mean
    intervened: np.ndarray  # (d,), bool


def batches_of(rows: Dataset) -> list[Batch]:
    """Return the batches of a table, by interventions."""
    if rows.intervened is None:
        return [_batch(rows.values, np.zeros(rows.n_variables, dtype=bool))]
    patterns, number = np.unique(rows.intervened, axis=0, return_inverse=True)
    return [_batch(rows.values[number.ravel() == k], pattern) for k, pattern in enumerate(patterns)]


def _batch(values: np.ndarray, intervened: np.ndarray) -> Batch:
    scatter = scatter_of_all(values)
    return Batch(len(values), scatter.mean[0], scatter.matrix[0], intervened)


def posterior_matrices(scatter: Scatter, alpha_mu: float, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Return R of each group: matrices (groups, d, d), and shifts (groups, d), 0 unless means are far from 0."""
    place = np.arange(scatter.mean.shape[1])
    strength = _strength(scatter.n_rows, alpha_mu)[:, None]
    squares = scatter.matrix[:, place, place] + t
    far = (strength * scatter.mean**2 > FAR_MEAN * squares).any(axis=1, keepdims=True)
    products = strength[:, :, None] * (scatter.mean[:, :, None] * scatter.mean[:, None, :])
    matrices = scatter.matrix + np.where(far[:, :, None], 0.0, products)
    matrices[:, place, place] += t
    return matrices, np.where(far, np.sqrt(strength) * scatter.mean, 0.0)


def _strength(n_rows: np.ndarray, alpha_mu: float) -> np.ndarray:
    return n_rows * alpha_mu / (n_rows + alpha_mu)


def scatter_of(fitted: FittedBGe) -> Scatter:
    """Return the scatter of the rows that a score was fitted to; an error if it does not know their means."""
    if fitted.means is None:
        raise Unavailable(
            "more rows need the means of the earlier ones, and this posterior comes from a file of an older version, "
            "which has none. Learn again from all rows."
        )
    place = np.arange(fitted.n_variables)
    inside = np.where(fitted.shifts.any(axis=1), 0.0, _strength(fitted.rows_left, fitted.alpha_mu))
    matrix = fitted.matrices - inside[:, None, None] * (fitted.means[:, :, None] * fitted.means[:, None, :])
    matrix[:, place, place] -= fitted.t
    matrix[:, place, place] = np.maximum(matrix[:, place, place], 0.0)
    return Scatter(fitted.rows_left, fitted.means, matrix)


def with_batches(fitted: FittedBGe, batches: Sequence[Batch]) -> FittedBGe:
    """Return the score of earlier rows and new batches."""
    before = scatter_of(fitted)
    counts = ~np.array([batch.intervened for batch in batches]).T  # (d, batches)
    known: dict[tuple[int, bytes], int] = {}
    group = np.array(
        [known.setdefault((int(old), own.tobytes()), len(known)) for old, own in zip(fitted.group, counts, strict=True)]
    )
    first = [int(np.flatnonzero(group == g)[0]) for g in range(len(known))]
    summed = [
        _combined(before, int(fitted.group[v]), [batches[b] for b in np.flatnonzero(counts[v]).tolist()]) for v in first
    ]
    scatter = Scatter(*(np.array(part) for part in zip(*summed, strict=True)))
    n_rows = fitted.n_rows + sum(batch.n_rows for batch in batches)
    return _refitted(replace(fitted, group=group, n_rows=n_rows), scatter)


def _combined(before: Scatter, group: int, batches: Sequence[Batch]) -> tuple[int, np.ndarray, np.ndarray]:
    n, mean, matrix = int(before.n_rows[group]), before.mean[group], before.matrix[group]
    for batch in batches:
        total = n + batch.n_rows
        apart = batch.mean - mean
        matrix = matrix + batch.scatter + n * batch.n_rows / total * np.outer(apart, apart)
        mean = mean + batch.n_rows / total * apart
        n = total
    return n, mean, matrix


def _refitted(fitted: FittedBGe, scatter: Scatter) -> FittedBGe:
    matrices, shifts = posterior_matrices(scatter, fitted.alpha_mu, fitted.t)
    return replace(fitted, matrices=matrices, shifts=shifts, rows_left=scatter.n_rows, means=scatter.mean)


def standardized_again(fitted: FittedBGe, units: Units) -> tuple[FittedBGe, Units]:
    """Return the score in the standard units of all its rows, and these units, which began with those of some rows.

    Mean and deviation of a variable are those of the rows that count for it: without intervention on it. A variable
    with fewer than two such rows, or a constant one, keeps its units.
    """
    scatter = scatter_of(fitted)
    own, place = fitted.group, np.arange(fitted.n_variables)
    rows, squares = scatter.n_rows[own], scatter.matrix[own, place, place]
    varies = (rows >= 2) & (squares > 0.0)
    mean = np.where(varies, scatter.mean[own, place], 0.0)
    deviation = np.where(varies, np.sqrt(squares / np.maximum(rows, 1)), 1.0)
    second = Units(np.zeros(place.size, dtype=np.int32), mean, np.zeros(place.size), deviation)
    converted = Scatter(
        scatter.n_rows, (scatter.mean - mean) / deviation, scatter.matrix / np.outer(deviation, deviation)
    )
    return _refitted(fitted, converted), units.then(second)
