"""BGe: the marginal likelihood of linear Gaussian networks (Geiger and Heckerman; Kuipers, Moffa et al. 2014).

Prior mean 0 with strength `alpha_mu`, Wishart degrees of freedom `alpha_w`, parametric matrix `T = t I`. The
posterior matrix is `R = T + S_N + N alpha_mu / (N + alpha_mu) xbar xbar'`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.arguments import check_positive
from orderspn.core.errors import InvalidValue
from orderspn.data.dataset import Dataset
from orderspn.scores.subset_sweep import sweep_coefficients, sweep_determinants

LARGE_DEVIATION = 30.0
"""Standard deviation beyond which the prior's scale is warned of."""

ROUNDING = 1e-12
"""Smallest eigenvalue of a scaled matrix that is still told apart from 0."""


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

    def __post_init__(self) -> None:
        check_positive("alpha_mu", self.alpha_mu)
        if self.alpha_w is not None:
            check_positive("alpha_w", self.alpha_w)
        if self.t is not None:
            check_positive("t", self.t)

    def fit(self, data: Dataset) -> FittedBGe:
        """Take from the data what the marginal likelihoods need: the matrix R and the number of rows."""
        d, n = data.n_variables, data.n_rows
        alpha_w = float(d + 2 if self.alpha_w is None else self.alpha_w)
        if alpha_w <= d + 1:
            raise InvalidValue(f"alpha_w must be greater than d + 1 = {d + 1} for {d} variables; got {alpha_w:g}.")
        alpha_mu = float(self.alpha_mu)
        t = alpha_mu * (alpha_w - d - 1) / (alpha_mu + 1) if self.t is None else float(self.t)
        mean = data.values.mean(axis=0)
        centred = data.values - mean
        scatter = centred.T @ centred
        shift = n * alpha_mu / (n + alpha_mu)
        squares = np.diag(scatter)
        _warn_of_scale(data, squares, t)
        _warn_of_location(data, shift * mean**2 > squares / math.sqrt(n))
        matrix = scatter + shift * np.outer(mean, mean)
        matrix[np.diag_indices(d)] += t
        _warn_of_collinearity(data, matrix)
        return FittedBGe(matrix, n, alpha_mu, alpha_w, t)


def _warn_of_scale(data: Dataset, squares: np.ndarray, t: float) -> None:
    """The prior takes variances to be of order 1: far below it has all the say, far above it prefers fewer edges."""
    weak, large = squares < t, squares > LARGE_DEVIATION**2 * data.n_rows
    if weak.any():
        _warn(
            f"the values of {_listed(data, weak)} vary so little that the prior (t = {t:g}) outweighs the data, "
            "and edges will not be found; pass standardize=True, or a smaller t to scores.BGe."
        )
    if large.any():
        _warn(
            f"the values of {_listed(data, large)} vary so much (standard deviations above {LARGE_DEVIATION:g}) that "
            "BGe's prior, made for about 1, counts against their edges; pass standardize=True, or change their unit."
        )


def _warn_of_collinearity(data: Dataset, matrix: np.ndarray) -> None:
    """Where a column follows from others to the last digit, what is left of it is rounding."""
    deviations = np.sqrt(np.diag(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(deviations, deviations))
    if values[0] < ROUNDING:
        _warn(
            f"the values of {_listed(data, np.abs(vectors[:, 0]) > 0.1)} are linear functions of each other up to "
            "rounding, so that scores of sets with all of them mean little; drop one, or pass standardize=True."
        )


def _warn_of_location(data: Dataset, shifted: np.ndarray) -> None:
    """The prior mean of 0 acts like rows at minus the mean: two shifted columns look correlated.

    It matters where it exceeds the sampling error of a correlation, 1 / sqrt(N).
    """
    if shifted.sum() >= 2:
        _warn(
            f"the means of {_listed(data, shifted)} are far from 0, which BGe's prior takes them to be, so that "
            "unrelated variables seem related; centre the data (data - data.mean()), or pass standardize=True."
        )


def _listed(data: Dataset, chosen: np.ndarray) -> str:
    names = [repr(data.variables[i]) for i in np.flatnonzero(chosen)]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def _warn(message: str) -> None:
    # Five calls up is whoever called learn or family_scores.
    warnings.warn(message, UserWarning, stacklevel=6)


NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class FittedBGe:
    """BGe fitted to data: log marginal likelihoods and expected weights of every family."""

    matrix: np.ndarray  # (d, d): R
    n_rows: int
    alpha_mu: float
    alpha_w: float
    t: float

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.matrix.shape[0])

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NOBODY
    ) -> np.ndarray:
        """All subsets of the candidates, each with all of `always`, shape (2**K,)."""
        log_score = np.full(1 << candidates.size, -np.inf)
        if max_parents < always.size:
            return log_score
        log_by_size, exponents = self._size_terms(candidates.size + always.size)
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
        freedom = self.n_rows + self.alpha_w - self.n_variables + parents.size + 1
        inverse = np.linalg.pinv(self.matrix[np.ix_(parents, parents)], hermitian=True)
        location = inverse @ self.matrix[parents, child]
        residual = max(float(self.matrix[child, child] - self.matrix[parents, child] @ location), self.t)
        return location, residual / freedom * inverse, freedom

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """`parents` and one more variable, shape (d,)."""
        size = parents.size + 1
        log_by_size, exponents = self._size_terms(size)
        inner = self.matrix[np.ix_(parents, parents)]
        try:
            solved = np.linalg.solve(inner, self.matrix[parents])  # (l, d)
        except np.linalg.LinAlgError:  # the same columns twice, at a scale at which t is lost
            solved = np.linalg.pinv(inner, hermitian=True) @ self.matrix[parents]
        variance = np.maximum(np.diag(self.matrix) - np.sum(solved * self.matrix[parents], axis=0), self.t)
        covariance = self.matrix[child] - self.matrix[parents, child] @ solved
        with np.errstate(divide="ignore", invalid="ignore"):
            residual = np.maximum(variance[child] - covariance**2 / variance, self.t)
        log_det = np.linalg.slogdet(inner)[1] + np.log(variance)
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
        """What, with `settings`, restores the fitted score from a file."""
        return {"bge_matrix": self.matrix}

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBGe:
        """Rebuild a fitted score from `settings` and `arrays`."""
        matrix = np.ascontiguousarray(arrays["bge_matrix"], dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
            raise ValueError("its matrix of squares and products is not square and finite")
        return cls(
            matrix,
            int(settings["rows"]),
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
        left = self.matrix[np.ix_(members, members)]
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

    def _size_terms(self, largest: int) -> tuple[np.ndarray, np.ndarray]:
        """The parts of the score that depend on the number of parents alone, and the residual's exponent."""
        n, d = self.n_rows, self.n_variables
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
