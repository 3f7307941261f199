"""BGe: the marginal likelihood of linear Gaussian networks (Geiger and Heckerman; Kuipers, Moffa et al. 2014).

Prior mean 0 with strength `alpha_mu`, Wishart degrees of freedom `alpha_w`, parametric matrix `T = t I`. The
posterior matrix is `R = T + S_N + N alpha_mu / (N + alpha_mu) xbar xbar'`, from the N rows in which the child was not
set from outside. Variables with the same rows left share a matrix.

Means far from 0 would swallow the rest of the matrix in rounding. Then the last term is kept apart: `R = A + z z'` with
a vector z, the shift. Everything needed of R follows from A, what is left of z in regressions by A on a set Q, and the
inflation `1 + z_Q' A_QQ^-1 z_Q` of the determinant, by sums of positive terms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from msgspec import Struct

from orderspn.core.arguments import check_within
from orderspn.core.checked_json import Count, Positive
from orderspn.core.errors import InvalidValue
from orderspn.core.stored_arrays import INTEGER, NUMBER, StoredArray, StoredArrays
from orderspn.data.dataset import Dataset
from orderspn.scores.bge_predictive import Predictive
from orderspn.scores.bge_warnings import warn_of_data
from orderspn.scores.intervention_groups import RowsLeft, check_groups
from orderspn.scores.protocol import NOBODY, Reads, ValueOfFamily
from orderspn.scores.scatter import Scatter, scatter_by_group, scatter_of_all
from orderspn.scores.subset_sweep import sweep_coefficients, sweep_determinants

SMALLEST_PRIOR, LARGEST_PRIOR = 1e-100, 1e100
"""Of `alpha_mu` and `t`: as those of values, their squares, and quotients by them, stay numbers."""

LARGEST_FREEDOM = 1e7
"""Of `alpha_w`: scores are differences of numbers about as large, of which 1e-7 is still told."""

FAR_MEAN = 100.0
"""Share of the mean in a sum of squares, over that of the deviations, from which it is kept apart: of 16 digits, adding
it would take more than 2."""

ROUNDING = 1e-15
"""Smallest eigenvalue, as a share of the largest, that is told apart from 0."""

LARGEST_SQUARE = 1e300
"""Sums of squares and products in a file: those of the largest values, of however many rows."""


class BGeSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """What a file may say about the score: hyperparameters, and the number of rows."""

    name: Literal["bge"]
    alpha_mu: Positive
    alpha_w: Positive
    t: Positive
    rows: Count


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

    Notes
    -----
    `alpha_mu` and `t` may be from 1e-100 to 1e100, `alpha_w` up to 1e7, and absolute values in the data up to 1e100;
    others are refused. Within these ranges differences between the log scores of a variable's parent sets are right to
    1e-6 for up to 10,000 rows, wherever the means are: values are taken as exactly the numbers that they are. The error
    grows in proportion to the rows and to `alpha_w`, and is about `1e-16 (rows + alpha_w) / v`, where v is the smallest
    share of a column's sum of squares (with `t`) that the other columns leave unexplained. A warning is given where v
    is lost in rounding.

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

    name: ClassVar[str] = "bge"
    reads: ClassVar[Reads] = "numbers"
    leaves_rows_out: ClassVar[bool] = True
    """Rows in which a variable was set count for the others only."""

    described: ClassVar[type[Struct]] = BGeSettings
    stored: ClassVar[StoredArrays] = {
        "bge_matrix": StoredArray((NUMBER,), (2, 3)),
        "bge_rows": StoredArray((INTEGER,), (1,)),
        "bge_group": StoredArray((INTEGER,), (1,)),
        "bge_shift": StoredArray((NUMBER,), (2,)),
    }

    def __post_init__(self) -> None:
        check_within("alpha_mu", self.alpha_mu, SMALLEST_PRIOR, LARGEST_PRIOR)
        if self.alpha_w is not None:
            check_within("alpha_w", self.alpha_w, 0.0, LARGEST_FREEDOM)
        if self.t is not None:
            check_within("t", self.t, SMALLEST_PRIOR, LARGEST_PRIOR)

    def fit(self, data: Dataset) -> FittedBGe:
        """Take from the data what the marginal likelihoods need: matrices R and numbers of rows."""
        d = data.n_variables
        alpha_w, alpha_mu = _freedom(self.alpha_w, d), float(self.alpha_mu)
        t = _default_scale(alpha_mu, alpha_w - d - 1) if self.t is None else float(self.t)
        left = RowsLeft.of(data.intervened, data.n_rows, d)
        scatter = scatter_of_all(data.values) if left.everything else scatter_by_group(data.values, left.kept)
        matrices, shifts = _posterior_matrices(scatter, alpha_mu, t)
        warn_of_data(data, scatter, left.group, matrices, alpha_mu, t, t / (alpha_w - d - 1))
        return FittedBGe(matrices, scatter.n_rows, left.group, data.n_rows, alpha_mu, alpha_w, t, shifts)

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBGe:
        """Rebuild a fitted score from its `settings` and `arrays`."""
        return FittedBGe.restore(settings, arrays)


def _freedom(alpha_w: float | None, d: int) -> float:
    freedom = float(d + 2 if alpha_w is None else alpha_w)
    if freedom <= d + 1:
        raise InvalidValue(f"alpha_w must be greater than d + 1 = {d + 1} for {d} variables; got {freedom:g}.")
    return freedom


def _default_scale(alpha_mu: float, beyond: float) -> float:
    t = alpha_mu * beyond / (alpha_mu + 1)
    if t < SMALLEST_PRIOR:
        raise InvalidValue(
            f"t is {t:g} by default for alpha_mu = {alpha_mu:g} and alpha_w = d + 1 + {beyond:g}, and must be at least "
            f"{SMALLEST_PRIOR:g}. Pass t to scores.BGe, or larger ones of these."
        )
    return t


def _posterior_matrices(scatter: Scatter, alpha_mu: float, t: float) -> tuple[np.ndarray, np.ndarray]:
    """R of each group as matrices (groups, d, d) and shifts (groups, d), which are 0 unless means are far from 0."""
    place = np.arange(scatter.mean.shape[1])
    strength = (scatter.n_rows * alpha_mu / (scatter.n_rows + alpha_mu))[:, None]
    squares = scatter.matrix[:, place, place] + t
    far = (strength * scatter.mean**2 > FAR_MEAN * squares).any(axis=1, keepdims=True)
    products = strength[:, :, None] * (scatter.mean[:, :, None] * scatter.mean[:, None, :])
    matrices = scatter.matrix + np.where(far[:, :, None], 0.0, products)
    matrices[:, place, place] += t
    return matrices, np.where(far, np.sqrt(strength) * scatter.mean, 0.0)


@dataclass(frozen=True, eq=False)
class FittedBGe:
    """BGe fitted to data: log marginal likelihoods and expected weights of every family.

    Variables make groups by the rows in which they were not set; without interventions there is one of them.
    """

    matrices: np.ndarray  # (groups, d, d): R from the rows left to a group, but for `z z'` where a shift is kept apart
    rows_left: np.ndarray  # (groups,): how many these are
    group: np.ndarray  # (d,): of each variable
    n_rows: int  # all
    alpha_mu: float
    alpha_w: float
    t: float
    shifts: np.ndarray  # (groups, d): z, the part of R that is kept apart; 0 where none is

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.group.size)

    @property
    def times_set(self) -> np.ndarray:
        """Number of rows in which each variable was set from outside, shape (d,)."""
        times: np.ndarray = self.n_rows - self.rows_left[self.group]
        return times

    @property
    def unfitted(self) -> BGe:
        """The score with the same hyperparameters, to be fitted to other rows."""
        return BGe(self.alpha_mu, self.alpha_w, self.t)

    def predictive(self, train: Dataset, rows: Dataset) -> ValueOfFamily:
        """Log densities of a child given its parents in each of `rows`, after `train`, the rows of this fit."""
        return Predictive.of(self, train, rows.values, rows.intervened).log_densities

    def matrix_of(self, child: int) -> np.ndarray:
        """R from the rows in which the child was not set, but for the part of `shift_of`, shape (d, d)."""
        matrix: np.ndarray = self.matrices[self.group[child]]
        return matrix

    def shift_of(self, child: int) -> np.ndarray:
        """The vector z of these rows, shape (d,): R is the matrix plus `z z'`."""
        shift: np.ndarray = self.shifts[self.group[child]]
        return shift

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
        given = self._given(child, candidates, always)
        sweep_determinants(
            given.matrix,
            given.shift,
            given.inflation,
            self.t,
            log_by_size[always.size :] - 0.5 * given.log_det,
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
        given = self._given(child, candidates, always)
        own = np.empty((n_masks, n_candidates))
        sweep_coefficients(given.matrix, given.shift, given.inflation, self.t, max_parents - always.size, own)
        coefficients[:, :n_candidates] = own
        if always.size:  # what `always` explains of the child, less what it explains of the candidates
            small = np.bitwise_count(np.arange(n_masks)) <= max_parents - always.size
            coefficients[small, n_candidates:] = given.regression[-1] - own[small] @ given.regression[:-1]
        return coefficients

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Location (p,), scale (p, p) and degrees of freedom of the t distribution of the weights of `parents`.

        A matrix that is inverse-Wishart with R has, in a regression of one member on others, coefficients normal around
        `R_PP^-1 R_Pj` given the residual variance, which is inverse gamma: a t distribution.
        """
        matrix, shift = self.matrix_of(child), self.shift_of(child)
        freedom = self.rows_of(child) + self.alpha_w - self.n_variables + parents.size + 1
        root = _inverse_root(matrix[np.ix_(parents, parents)])
        inverse = root @ root.T
        location = inverse @ matrix[parents, child]
        residual = max(float(matrix[child, child] - matrix[parents, child] @ location), self.t)
        if shift[parents].any():
            # In the coordinates of the root the inverse of `I + u u'` shrinks the direction of u alone.
            turned = root.T @ shift[parents]
            length = float(np.linalg.norm(turned))
            inflation, direction = 1.0 + length**2, turned / length
            along = root @ direction
            across = root - np.outer(along, direction)
            left = shift[child] - shift[parents] @ location
            inverse = across @ across.T + np.outer(along, along / inflation)
            location = self._given(child, NOBODY, parents).regression[-1]
            residual += float(left * (left / inflation))
        else:
            residual += float(shift[child] ** 2)
        return location, residual / freedom * inverse, freedom

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """`parents` and one more variable, shape (d,)."""
        size, matrix, shift = parents.size + 1, self.matrix_of(child), self.shift_of(child)
        log_by_size, exponents = self._size_terms(child, size)
        inner = matrix[np.ix_(parents, parents)]
        solved = _solve(inner, matrix[parents])  # (l, d)
        variance = np.maximum(np.diag(matrix) - np.sum(solved * matrix[parents], axis=0), self.t)
        covariance = matrix[child] - matrix[parents, child] @ solved
        residual = np.maximum(variance[child] - covariance * (covariance / variance), self.t)
        log_det = max(np.linalg.slogdet(inner)[1], parents.size * math.log(self.t)) + np.log(variance)
        if shift.any():
            left = shift - shift[parents] @ solved
            inflation = 1.0 + shift[parents] @ _solve(inner, shift[parents]) + left * (left / variance)
            own = left[child] - left * (covariance / variance)
            log_det += np.log(inflation)
            residual += own * (own / inflation)
        log_likelihood = log_by_size[size] - 0.5 * log_det - exponents[size] * np.log(residual)
        log_likelihood[parents] = -np.inf
        log_likelihood[child] = -np.inf
        return log_likelihood

    def settings(self) -> dict[str, Any]:
        """Name and hyperparameters, as JSON values."""
        return {
            "name": BGe.name,
            "alpha_mu": self.alpha_mu,
            "alpha_w": self.alpha_w,
            "t": self.t,
            "rows": self.n_rows,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """What, with `settings`, restores the fitted score from a file.

        One matrix, or those of groups where rows were left out; and the shifts (groups, d) where any is kept apart.
        """
        apart = {"bge_shift": self.shifts} if self.shifts.any() else {}
        if len(self.matrices) == 1 and self.rows_left[0] == self.n_rows:
            return {"bge_matrix": self.matrices[0], **apart}
        return {"bge_matrix": self.matrices, "bge_rows": self.rows_left, "bge_group": self.group, **apart}

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBGe:
        """Rebuild a fitted score from `settings` and `arrays`."""
        prior = BGe(settings["alpha_mu"], settings["alpha_w"], settings["t"])
        grouped = "bge_group" in arrays
        matrices = arrays["bge_matrix"] if grouped else arrays["bge_matrix"][None]
        _check_matrices(matrices, float(settings["t"]))
        n_rows, d = int(settings["rows"]), matrices.shape[1]
        group = arrays["bge_group"] if grouped else np.zeros(d, dtype=np.int64)
        rows_left = arrays["bge_rows"] if grouped else np.array([n_rows], dtype=np.int64)
        check_groups(group, d, len(matrices))
        if rows_left.dtype != np.int64 or rows_left.shape != (len(matrices),):
            raise ValueError("its matrices and their numbers of rows do not match")
        if ((rows_left < 0) | (rows_left > n_rows)).any():
            raise ValueError("its rows are not as many as it says")
        shifts = arrays.get("bge_shift", np.zeros((len(matrices), d)))
        if shifts.shape != (len(matrices), d) or not (np.abs(shifts) <= math.sqrt(LARGEST_SQUARE)).all():
            raise ValueError("its matrices and their shifts do not match")
        alpha_mu, alpha_w, t = float(prior.alpha_mu), _freedom(prior.alpha_w, d), float(settings["t"])
        return cls(matrices, rows_left, group, n_rows, alpha_mu, alpha_w, t, shifts)

    def _given(self, child: int, candidates: np.ndarray, always: np.ndarray) -> _Given:
        """What is left of candidates and child when `always` is known."""
        members = np.concatenate([always, candidates, [child]]).astype(np.int64)
        shift = self.shift_of(child)[members]
        # With the shift as one more row and -1 in the corner, elimination leaves minus the inflation there.
        left = np.empty((members.size + 1, members.size + 1))
        left[:-1, :-1] = self.matrix_of(child)[np.ix_(members, members)]
        left[:-1, -1] = left[-1, :-1] = shift
        left[-1, -1] = -1.0
        n_known = always.size
        regression = np.zeros((members.size, n_known))
        log_det = 0.0
        for k in range(n_known):
            pivot = max(left[k, k], self.t)
            # Coefficients are those by the matrix with the shift; what is left, without it.
            share = left[-1, k] / -left[-1, -1]
            whole_pivot = pivot + share * left[-1, k]
            ratios = (left[:-1, k] + share * left[-1, :-1]) / whole_pivot
            ratios[: k + 1] = 0.0
            # Regressing on one more changes the coefficients before it by what it shares with them.
            regression[:, :k] -= np.outer(ratios, regression[k, :k])
            regression[:, k] = ratios
            steps = left[:, k] / pivot
            steps[: k + 1] = 0.0
            left = left - np.outer(steps, left[k])
            log_det += math.log(whole_pivot)
        matrix = np.ascontiguousarray(left[n_known:-1, n_known:-1])
        apart = np.ascontiguousarray(left[-1, n_known:-1]) if shift.any() else None
        return _Given(matrix, apart, -float(left[-1, -1]), log_det, regression[n_known:])

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


def _check_matrices(matrices: np.ndarray, t: float) -> None:
    """Refuse what cannot be `t I` and sums of squares and products, but for rounding."""
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or not (np.abs(matrices) <= LARGEST_SQUARE).all():
        raise ValueError("its matrix of squares and products is not square and finite")
    for matrix in matrices:
        squares = np.diag(matrix)
        if not (squares >= t * (1.0 - 1e-9)).all():
            raise ValueError("its sums of squares are smaller than those of the prior")
        scaled = matrix / np.sqrt(squares) / np.sqrt(squares)[:, None]
        if not np.allclose(scaled, scaled.T, rtol=0.0, atol=1e-12):
            raise ValueError("its matrix of squares and products is not symmetric")
        if np.linalg.eigvalsh(scaled)[0] < -1e-10:
            raise ValueError("its matrix of squares and products is not that of any data")


class _Given(NamedTuple):
    """What is left of candidates and child, who comes last, when some others are known."""

    matrix: np.ndarray  # (K + 1, K + 1): Schur complement
    shift: np.ndarray | None  # (K + 1,): of the vector that is kept apart, if one is
    inflation: float  # by it, of the determinant of the others
    log_det: float  # of the others, with it
    regression: np.ndarray  # (K + 1, others): coefficients on them


def _inverse_root(matrix: np.ndarray) -> np.ndarray:
    """A matrix whose product with its transpose is the inverse, or where there is none the pseudoinverse.

    Rows are brought to the same unit before: one on a small scale is not what makes a matrix singular.
    """
    deviations = np.sqrt(np.diag(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(deviations, deviations))
    told_apart = values > ROUNDING * values.max(initial=0.0)
    root: np.ndarray = vectors[:, told_apart] / np.sqrt(values[told_apart]) / deviations[:, None]
    return root


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:  # the same columns twice, at a scale at which t is lost
        return np.linalg.pinv(matrix, hermitian=True) @ right
