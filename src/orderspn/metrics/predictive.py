"""The density of new rows given a family and data: under BGe a t distribution around a regression on the parents.

Data turn the prior of BGe into one of the same form: mean `N xbar / (N + alpha_mu)` of strength `m = N + alpha_mu`,
`alpha_w + N` degrees of freedom, matrix R. One more row x, `delta` from the mean, adds `c delta delta'` to R, with
`c = m / (m + 1)`. The ratio of the marginal likelihoods with and without it needs the determinants of R after this
rank-one update only, which are `|R| (1 + c delta' R^-1 delta)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from orderspn.scores.bge import FittedBGe


@dataclass(frozen=True, eq=False)
class Predictive:
    """Predictive densities of rows (M, d) given data; `deviations` are those of the rows from the mean, transposed."""

    fitted: FittedBGe
    deviations: np.ndarray  # (d, M)

    @classmethod
    def of(cls, fitted: FittedBGe, train: np.ndarray, rows: np.ndarray) -> Predictive:
        """From the score fitted to `train` (N, d)."""
        mean = train.sum(axis=0) / (len(train) + fitted.alpha_mu)
        return cls(fitted, np.ascontiguousarray((rows - mean).T))

    def log_densities(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Log density of the child given its parents in each row, shape (M,)."""
        fitted, matrix = self.fitted, self.fitted.matrix
        strength = fitted.n_rows + fitted.alpha_mu
        shrink = strength / (strength + 1.0)
        freedom = fitted.n_rows + fitted.alpha_w - fitted.n_variables + parents.size + 1
        known = self.deviations[parents]  # (p, M)
        inner = matrix[np.ix_(parents, parents)]
        solved = _solve(inner, np.column_stack([known, matrix[parents, child]]))  # (p, M + 1)
        distance = np.einsum("pm,pm->m", known, solved[:, :-1])  # of each row's parents from their mean
        residual = max(float(matrix[child, child] - matrix[parents, child] @ solved[:, -1]), fitted.t)
        error = self.deviations[child] - solved[:, -1] @ known
        scale = residual * (1.0 + shrink * distance) / shrink
        return (
            math.lgamma((freedom + 1) / 2)
            - math.lgamma(freedom / 2)
            - 0.5 * np.log(math.pi * scale)
            - (freedom + 1) / 2 * np.log1p(error**2 / scale)
        )


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:  # the same columns twice, at a scale at which t is lost
        return np.linalg.pinv(matrix, hermitian=True) @ right
