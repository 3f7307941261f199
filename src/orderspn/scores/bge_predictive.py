"""Predictive densities of new rows given a family and data, under BGe: t distributions around regressions on parents.

Data turn the prior into one of the same form, with mean `N xbar / (N + alpha_mu)` of strength `m = N + alpha_mu`,
`alpha_w + N` degrees of freedom and matrix R. One more row x, which differs from the mean by `delta`, adds
`c delta delta'` to R, with `c = m / (m + 1)`. The ratio of the marginal likelihoods with and without it needs only the
determinants of R after this rank-one update, which are `|R| (1 + c delta' R^-1 delta)`. Only rows without intervention
on the child count.

Where R is `A + z z'` with a separate shift z, rows lie nearly along z. So `delta` is split into a multiple of
z and a part that is orthogonal to z under the inverse of A, and the squares of both parts add up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orderspn.data.dataset import Dataset
from orderspn.scores.intervention_groups import RowsLeft

if TYPE_CHECKING:
    from orderspn.scores.bge import FittedBGe


@dataclass(frozen=True, eq=False)
class Predictive:
    """Predictive densities of rows (M, d) under BGe; each group of variables has its own mean of the data."""

    fitted: FittedBGe
    means: np.ndarray  # (groups, d)
    rows: np.ndarray  # (M, d)
    intervened: np.ndarray  # (M, d): which variables were intervened on, whose density does not count

    @classmethod
    def of(
        cls, fitted: FittedBGe, train: Dataset, rows: np.ndarray, intervened: np.ndarray | None = None
    ) -> Predictive:
        """Return the predictive densities after `train`, given the score fitted to it."""
        kept = RowsLeft.of(train.intervened, train.n_rows, train.n_variables).kept
        means = [_sum(train.values[own]) / (own.sum() + fitted.alpha_mu) for own in kept]
        nothing = np.zeros(rows.shape, dtype=bool)
        return cls(fitted, np.array(means), rows, nothing if intervened is None else intervened)

    def log_densities(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the log density of the child given its parents in each row, (M,); 0 where it was intervened on."""
        fitted, matrix, n_rows = self.fitted, self.fitted.matrix_of(child), self.fitted.rows_of(child)
        strength = n_rows + fitted.alpha_mu
        shrink = strength / (strength + 1.0)
        freedom = n_rows + fitted.alpha_w - fitted.n_variables + parents.size + 1
        mean, shift = self.means[fitted.group[child]], fitted.shift_of(child)
        known = np.ascontiguousarray((self.rows[:, parents] - mean[parents]).T)  # (p, M)
        error = self.rows[:, child] - mean[child]
        inner = matrix[np.ix_(parents, parents)]
        along, inflated = np.zeros(1), 0.0
        if shift[parents].any():
            direction = _solve(inner, shift[parents])
            inflated = float(shift[parents] @ direction)
            along = direction @ known / inflated  # (M,): multiples of the shift
            known, error = known - np.outer(shift[parents], along), error - along * shift[child]
        solved = _solve(inner, np.column_stack([known, matrix[parents, child]]))  # (p, M + 1)
        left = (shift[child] - shift[parents] @ solved[:, -1]) / (1.0 + inflated)
        # The distance of the parents from their mean, in each row:
        distance = np.einsum("pm,pm->m", known, solved[:, :-1]) + inflated / (1.0 + inflated) * along**2
        residual = max(float(matrix[child, child] - matrix[parents, child] @ solved[:, -1]), fitted.t)
        residual += float(left * left * (1.0 + inflated))
        error = error - solved[:, -1] @ known + left * along
        scale = residual * (1.0 + shrink * distance) / shrink
        log_density = (
            math.lgamma((freedom + 1) / 2)
            - math.lgamma(freedom / 2)
            - 0.5 * np.log(math.pi * scale)
            - (freedom + 1) / 2 * np.log1p(error**2 / scale)
        )
        return np.where(self.intervened[:, child], 0.0, log_density)


def _sum(values: np.ndarray) -> np.ndarray:
    """Return the sum of each column, corrected by the sum of the deviations from the rounded mean."""
    total = values.sum(axis=0)
    if len(values) == 0:
        return total
    return np.asarray(total + (values - total / len(values)).sum(axis=0))


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:  # two equal columns, at a scale at which t is lost
        return np.linalg.pinv(matrix, hermitian=True) @ right
