"""BGe: the marginal likelihood of linear Gaussian networks (Geiger and Heckerman; Kuipers, Moffa et al. 2014).

Prior mean 0 with strength `alpha_mu`, Wishart degrees of freedom `alpha_w`, parametric matrix `T = t I`. The
posterior matrix is `R = T + S_N + N alpha_mu / (N + alpha_mu) xbar xbar'`, from the N rows in which the child was not
set from outside. Variables with the same rows left share a matrix.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.arguments import check_positive
from orderspn.core.errors import InvalidValue
from orderspn.data.dataset import Dataset
from orderspn.scores.bge_warnings import warn_of_data
from orderspn.scores.protocol import NOBODY
from orderspn.scores.rows_left import RowsLeft, check_groups
from orderspn.scores.scatter import Scatter, scatter_by_group, scatter_of_all
from orderspn.scores.subset_sweep import sweep_coefficients, sweep_determinants


@dataclass(frozen=True)
class BGe:
    """The BGe score with its hyperparameters.

    Parameters
    ----------
    alpha_mu : float, default 1
        Strength of the prior on the mean, in rows.
    alpha_w : float, optional
        Degrees of freedom of the Wishart prior, greater than d + 1 (default d + 2).
    t : float, optional
        Scale of the prior, `T = t I` (default `alpha_mu (alpha_w - d - 1) / (alpha_mu + 1)`, which is 1/2 for
        the other defaults). The score depends on the scale of the data: `t` should be small against the
        variances times the number of rows.

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs()
    >>> posterior = osp.learn(sachs.data, score=osp.scores.BGe(alpha_mu=0.1), standardize=True)
    >>> posterior.settings["score"]["alpha_mu"]
    0.1
    """

    alpha_mu: float = 1.0
    alpha_w: float | None = None
    t: float | None = None

    leaves_rows_out = True
    """Rows in which a variable was set count for the others only."""

    def __post_init__(self) -> None:
        check_positive("alpha_mu", self.alpha_mu)
        if self.alpha_w is not None:
            check_positive("alpha_w", self.alpha_w)
        if self.t is not None:
            check_positive("t", self.t)

    def fit(self, data: Dataset) -> FittedBGe:
        """Take from the data what the marginal likelihoods need: matrices R and numbers of rows."""
        d = data.n_variables
        alpha_w = float(d + 2 if self.alpha_w is None else self.alpha_w)
        if alpha_w <= d + 1:
            raise InvalidValue(f"alpha_w must be greater than d + 1 = {d + 1} for {d} variables; got {alpha_w:g}.")
        alpha_mu = float(self.alpha_mu)
        t = alpha_mu * (alpha_w - d - 1) / (alpha_mu + 1) if self.t is None else float(self.t)
        left = RowsLeft.of(data.intervened, data.n_rows, d)
        scatter = scatter_of_all(data.values) if left.everything else scatter_by_group(data.values, left.kept)
        matrices = _posterior_matrices(scatter, alpha_mu, t)
        warn_of_data(data, scatter, left.group, matrices, alpha_mu, t, t / (alpha_w - d - 1))
        return FittedBGe(matrices, scatter.n_rows, left.group, data.n_rows, alpha_mu, alpha_w, t)


def _posterior_matrices(scatter: Scatter, alpha_mu: float, t: float) -> np.ndarray:
    """R of each group, shape (groups, d, d)."""
    shift = scatter.n_rows * alpha_mu / (scatter.n_rows + alpha_mu)
    matrices = scatter.matrix + shift[:, None, None] * (scatter.mean[:, :, None] * scatter.mean[:, None, :])
    matrices[:, *np.diag_indices(matrices.shape[1])] += t
    return matrices


@dataclass(frozen=True, eq=False)
class FittedBGe:
    """BGe fitted to data: log marginal likelihoods and expected weights of every family.

    Variables make groups by the rows in which they were not set; without interventions there is one of them.
    """

    matrices: np.ndarray  # (groups, d, d): R, from the rows left to a group
    rows_left: np.ndarray  # (groups,): how many these are
    group: np.ndarray  # (d,): of each variable
    n_rows: int  # all
    alpha_mu: float
    alpha_w: float
    t: float

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.group.size)

    def matrix_of(self, child: int) -> np.ndarray:
        """R from the rows in which the child was not set, shape (d, d)."""
        matrix: np.ndarray = self.matrices[self.group[child]]
        return matrix

    def rows_of(self, child: int) -> int:
        """How many these rows are."""
        return int(self.rows_left[self.group[child]])

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NOBODY
    ) -> np.ndarray:
        """All subsets of the candidates, each with all of `always`, shape (2**K,)."""
        log_score = np.full(1 << candidates.size, -np.inf)
        if max_parents < always.size:
            return log_score
        log_by_size, exponents = self._size_terms(child, candidates.size + always.size)
        reduced, log_det, _ = self._given(child, candidates, always)
        sweep_determinants(
            reduced,
            self.t,
            log_by_size[always.size :] - 0.5 * log_det,
            exponents[always.size :],
            max_parents - always.size,
            log_score,
        )
        return log_score

    def expected_weights(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NOBODY
    ) -> np.ndarray:
        """Location of the t distribution of the weights given each parent set, shape (2**K, K + always)."""
        n_masks, n_candidates = 1 << candidates.size, candidates.size
        coefficients = np.zeros((n_masks, n_candidates + always.size))
        if max_parents < always.size:
            return coefficients
        reduced, _, regression = self._given(child, candidates, always)
        own = np.empty((n_masks, n_candidates))
        sweep_coefficients(reduced, self.t, max_parents - always.size, own)
        coefficients[:, :n_candidates] = own
        if always.size:  # what `always` explains of the child, less what it explains of the candidates
            small = np.bitwise_count(np.arange(n_masks)) <= max_parents - always.size
            coefficients[small, n_candidates:] = regression[-1] - own[small] @ regression[:-1]
        return coefficients

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Location (p,), scale (p, p) and degrees of freedom of the t distribution of the weights of `parents`.

        A matrix that is inverse-Wishart with R has, in a regression of one member on others, coefficients normal around
        `R_PP^-1 R_Pj` given the residual variance, which is inverse gamma: a t distribution.
        """
        matrix = self.matrix_of(child)
        freedom = self.rows_of(child) + self.alpha_w - self.n_variables + parents.size + 1
        inverse = np.linalg.pinv(matrix[np.ix_(parents, parents)], hermitian=True)
        location = inverse @ matrix[parents, child]
        residual = max(float(matrix[child, child] - matrix[parents, child] @ location), self.t)
        return location, residual / freedom * inverse, freedom

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """`parents` and one more variable, shape (d,)."""
        size, matrix = parents.size + 1, self.matrix_of(child)
        log_by_size, exponents = self._size_terms(child, size)
        inner = matrix[np.ix_(parents, parents)]
        try:
            solved = np.linalg.solve(inner, matrix[parents])  # (l, d)
        except np.linalg.LinAlgError:  # the same columns twice, at a scale at which t is lost
            solved = np.linalg.pinv(inner, hermitian=True) @ matrix[parents]
        variance = np.maximum(np.diag(matrix) - np.sum(solved * matrix[parents], axis=0), self.t)
        covariance = matrix[child] - matrix[parents, child] @ solved
        with np.errstate(divide="ignore", invalid="ignore"):
            residual = np.maximum(variance[child] - covariance**2 / variance, self.t)
        log_det = max(np.linalg.slogdet(inner)[1], parents.size * math.log(self.t)) + np.log(variance)
        log_likelihood = log_by_size[size] - 0.5 * log_det - exponents[size] * np.log(residual)
        log_likelihood[parents] = -np.inf
        log_likelihood[child] = -np.inf
        return log_likelihood

    def settings(self) -> dict[str, Any]:
        """Name and hyperparameters, as JSON values."""
        return {
            "name": "bge",
            "alpha_mu": self.alpha_mu,
            "alpha_w": self.alpha_w,
            "t": self.t,
            "rows": self.n_rows,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """What, with `settings`, restores the fitted score from a file.

        One matrix, or those of groups where rows were left out.
        """
        if len(self.matrices) == 1 and self.rows_left[0] == self.n_rows:
            return {"bge_matrix": self.matrices[0]}
        return {"bge_matrix": self.matrices, "bge_rows": self.rows_left, "bge_group": self.group}

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBGe:
        """Rebuild a fitted score from `settings` and `arrays`."""
        matrices = np.ascontiguousarray(arrays["bge_matrix"], dtype=np.float64)
        n_rows = int(settings["rows"])
        grouped = "bge_group" in arrays
        matrices = matrices if grouped else matrices[None]
        if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or not np.isfinite(matrices).all():
            raise ValueError("its matrix of squares and products is not square and finite")
        d = matrices.shape[1]
        group = arrays["bge_group"] if grouped else np.zeros(d, dtype=np.int64)
        rows_left = arrays["bge_rows"] if grouped else np.array([n_rows], dtype=np.int64)
        check_groups(group, d, len(matrices))
        if rows_left.dtype != np.int64 or rows_left.shape != (len(matrices),):
            raise ValueError("its matrices and their numbers of rows do not match")
        if grouped and ((rows_left < 0) | (rows_left > n_rows)).any():
            raise ValueError("its rows are not as many as it says")
        return cls(
            matrices,
            rows_left,
            group,
            n_rows,
            float(settings["alpha_mu"]),
            float(settings["alpha_w"]),
            float(settings["t"]),
        )

    def _given(self, child: int, candidates: np.ndarray, always: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        """What is left of candidates and child when `always` is known.

        Returns the Schur complement (K + 1, K + 1), child last; the log determinant of `always`; and the coefficients
        of the regressions on it (K + 1, always).
        """
        members = np.concatenate([always, candidates, [child]]).astype(np.int64)
        left = self.matrix_of(child)[np.ix_(members, members)]
        n_known = always.size
        regression = np.zeros((members.size, n_known))
        log_det = 0.0
        for k in range(n_known):
            pivot = max(left[k, k], self.t)
            ratios = left[:, k] / pivot
            ratios[: k + 1] = 0.0
            # Regressing on one more changes the coefficients before it by what it shares with them.
            regression[:, :k] -= np.outer(ratios, regression[k, :k])
            regression[:, k] = ratios
            left = left - np.outer(ratios, left[k])
            log_det += math.log(pivot)
        return np.ascontiguousarray(left[n_known:, n_known:]), log_det, regression[n_known:]

    def _size_terms(self, child: int, largest: int) -> tuple[np.ndarray, np.ndarray]:
        """The parts of the score that depend on the number of parents alone, and the residual's exponent."""
        n, d = self.rows_of(child), self.n_variables
        log_by_size = np.empty(largest + 1)
        exponents = np.empty(largest + 1)
        for size in range(largest + 1):
            freedom = self.alpha_w - d + size + 1
            log_by_size[size] = (
                0.5 * math.log(self.alpha_mu / (n + self.alpha_mu))
                + math.lgamma((n + freedom) / 2)
                - math.lgamma(freedom / 2)
                - n / 2 * math.log(math.pi)
                # log |T_{Qj,Qj}| = (size + 1) log t, log |T_QQ| = size log t
                + (freedom * (size + 1) - (freedom - 1) * size) / 2 * math.log(self.t)
            )
            exponents[size] = (n + freedom) / 2
        return log_by_size, exponents
