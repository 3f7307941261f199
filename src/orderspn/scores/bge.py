"""BGe: the marginal likelihood of linear Gaussian networks (Geiger and Heckerman; Kuipers, Moffa et al. 2014).

Prior mean 0 with strength `alpha_mu`, Wishart degrees of freedom `alpha_w`, parametric matrix `T = t I`. The
posterior matrix is `R = T + S_N + N alpha_mu / (N + alpha_mu) xbar xbar'`, from the N rows without intervention on the
child. Variables that were intervened on in the same rows share a matrix.

If means are far from 0, the last term is so large that the others are lost in rounding. Then it is kept separate:
`R = A + z z'` with a vector z, the shift. All that is needed of R follows from A, the residuals of z in regressions by
A on a set Q, and the inflation `1 + z_Q' A_QQ^-1 z_Q` of the determinant, by sums of positive terms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from msgspec import Struct

from orderspn.core.arguments import check_integer, check_within
from orderspn.core.checked_json import Count, Positive
from orderspn.core.errors import InvalidValue, Unavailable
from orderspn.core.stored_arrays import INTEGER, NUMBER, StoredArray, StoredArrays
from orderspn.data.dataset import Dataset
from orderspn.data.mixed import MixedTable, mixed_from_numbers
from orderspn.data.units import Units
from orderspn.scores.bge_completion import draw_cells, draw_parameters
from orderspn.scores.bge_predictive import Predictive
from orderspn.scores.bge_rows import batches_of, posterior_matrices, with_batches
from orderspn.scores.bge_warnings import warn_of_data
from orderspn.scores.column_model import ColumnModel, basis_of_units
from orderspn.scores.intervention_groups import RowsLeft, check_groups
from orderspn.scores.protocol import NO_VARIABLES, Reads, ValueOfFamily
from orderspn.scores.regression_terms import RegressionTerms
from orderspn.scores.row_sweep import sweep_rows
from orderspn.scores.scatter import scatter_by_group, scatter_of_all
from orderspn.scores.subset_sweep import sweep_coefficients, sweep_determinants

if TYPE_CHECKING:
    from orderspn.scores.group_bge import FittedGroupBGe

SMALLEST_PRIOR, LARGEST_PRIOR = 1e-100, 1e100
"""Range of `alpha_mu` and `t`, the same as that of values: squares and quotients neither overflow nor underflow."""

LARGEST_FREEDOM = 1e7
"""Largest `alpha_w`: scores are differences of numbers of about this size, which leaves an error of about 1e-7."""

ROUNDING = 1e-15
"""Smallest eigenvalue, as a share of the largest, that counts as different from 0."""

LARGEST_DEGREE = 6
"""Largest degree of polynomials: powers of higher degree are nearly linear functions of lower ones, up to rounding."""

LARGEST_SQUARE = 1e300
"""Largest sum of squares or products in a file; no data within the limits exceed it."""


class BGeSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of the score in a file: hyperparameters and the number of rows."""

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
    degree : int or "auto", default 1
        With a degree q of 2 or more, every number stands for orthogonal polynomials of itself up to degree q, so that
        effects may be curves. 1 is the linear model. A column with fewer than q + 1 different values has as many
        polynomials as it can. With "auto", `learn` tries 1, 2 and 3, and takes the degree under which the numbers
        themselves have the highest mean log evidence given graphs of its posterior.

    Notes
    -----
    `alpha_mu` and `t` must be between 1e-100 and 1e100, `alpha_w` at most 1e7, and absolute values in the data at most
    1e100. Within these ranges differences between the log scores of a variable's parent sets are right to 1e-6 for up
    to 10,000 rows, also if means are far from 0. The error is about `1e-16 (rows + alpha_w) / v`, where v is the
    smallest share of a column's sum of squares (with `t`) that the other columns do not explain. There is a warning if
    v is lost in rounding.

    Categories beside numbers, polynomials and groups of columns are variables with several columns. The score of a
    variable is then the marginal likelihood of all its columns given those of its parents, after the columns of each
    variable were whitened; d stands for the number of all columns. It does not depend on how levels are coded.

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs(log=True)
    >>> posterior = osp.learn(sachs.data, score=osp.scores.BGe(alpha_mu=0.1))
    >>> posterior.settings["score"]["alpha_mu"]
    0.1

    Curves instead of lines:

    >>> curved = osp.learn(sachs.data, score=osp.scores.BGe(degree=3))
    >>> curved.log_evidence > osp.learn(sachs.data, score=osp.scores.BGe(degree=2)).log_evidence
    False
    """

    alpha_mu: float = 1.0
    alpha_w: float | None = None
    t: float | None = None
    degree: int | Literal["auto"] = 1

    name: ClassVar[str] = "bge"
    reads: ClassVar[Reads] = "numbers"
    reads_groups: ClassVar[bool] = True
    """A variable may have several columns: a category beside numbers, or a group."""

    leaves_rows_out: ClassVar[bool] = True
    """A row in which a variable was intervened on does not count for its score."""

    standardizes: ClassVar[bool] = True
    """The prior expects means of 0 and variances of about 1."""

    described: ClassVar[type[Struct]] = BGeSettings
    stored: ClassVar[StoredArrays] = {
        "bge_matrix": StoredArray((NUMBER,), (2, 3)),
        "bge_rows": StoredArray((INTEGER,), (1,)),
        "bge_group": StoredArray((INTEGER,), (1,)),
        "bge_shift": StoredArray((NUMBER,), (2,)),
        "bge_mean": StoredArray((NUMBER,), (2,)),
    }

    def __post_init__(self) -> None:
        check_within("alpha_mu", self.alpha_mu, SMALLEST_PRIOR, LARGEST_PRIOR)
        if self.alpha_w is not None:
            check_within("alpha_w", self.alpha_w, 0.0, LARGEST_FREEDOM)
        if self.t is not None:
            check_within("t", self.t, SMALLEST_PRIOR, LARGEST_PRIOR)
        if self.degree != "auto":
            check_integer("degree", self.degree, 1, LARGEST_DEGREE)

    def fit(self, data: Dataset | MixedTable) -> FittedBGe | FittedGroupBGe:
        """Fit the score to data: compute the matrices R and the numbers of rows."""
        if isinstance(data, MixedTable) or self.settled_degree > 1:
            from orderspn.scores.group_bge import FittedGroupBGe  # which builds on the fitted score below

            return FittedGroupBGe.of(self, data if isinstance(data, MixedTable) else mixed_from_numbers(data))
        d = data.n_variables
        alpha_w, t = self.freedom_and_scale(d)
        alpha_mu = float(self.alpha_mu)
        left = RowsLeft.of(data.intervened, data.n_rows, d)
        scatter = scatter_of_all(data.values) if left.everything else scatter_by_group(data.values, left.kept)
        matrices, shifts = posterior_matrices(scatter, alpha_mu, t)
        warn_of_data(data, scatter, left.group, matrices, alpha_mu, t, t / (alpha_w - d - 1))
        return FittedBGe(matrices, scatter.n_rows, left.group, data.n_rows, alpha_mu, alpha_w, t, shifts, scatter.mean)

    @property
    def settled_degree(self) -> int:
        """The degree, which must not be left open."""
        if self.degree == "auto":
            raise InvalidValue("degree='auto' is for learn, which compares degrees; fit a score of one degree.")
        return self.degree

    def freedom_and_scale(self, d: int) -> tuple[float, float]:
        """Return `alpha_w` and `t` for d columns."""
        alpha_w = _freedom(self.alpha_w, d)
        return alpha_w, _default_scale(self.alpha_mu, alpha_w - d - 1) if self.t is None else float(self.t)

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBGe:
        """Rebuild a fitted score from its `settings` and `arrays`."""
        return FittedBGe.restore(settings, arrays)


def _freedom(alpha_w: float | None, d: int) -> float:
    freedom = float(d + 2 if alpha_w is None else alpha_w)
    if freedom <= d + 1:
        raise InvalidValue(f"alpha_w must be greater than d + 1 = {d + 1} for {d} columns; got {freedom:g}.")
    return freedom


def _default_scale(alpha_mu: float, beyond: float) -> float:
    t = alpha_mu * beyond / (alpha_mu + 1)
    if t < SMALLEST_PRIOR:
        raise InvalidValue(
            f"t is {t:g} by default for alpha_mu = {alpha_mu:g} and alpha_w = d + 1 + {beyond:g}, and must be at least "
            f"{SMALLEST_PRIOR:g}. Pass t to scores.BGe, or larger values of these."
        )
    return t


@dataclass(frozen=True, eq=False)
class FittedBGe:
    """BGe fitted to data: log marginal likelihoods and expected weights of every family.

    Variables that were intervened on in the same rows form a group; without interventions there is one group.
    """

    matrices: np.ndarray  # (groups, d, d): R from the rows that count for a group, without `z z'`
    rows_left: np.ndarray  # (groups,): the number of these rows
    group: np.ndarray  # (d,): the group of each variable
    n_rows: int  # of the data
    alpha_mu: float
    alpha_w: float
    t: float
    shifts: np.ndarray  # (groups, d): z, for the part of R that is kept separate; 0 if none is
    means: np.ndarray | None = None  # (groups, d): of the rows that count; None from a file without them

    def __repr__(self) -> str:
        about = f"alpha_mu={self.alpha_mu:g}, alpha_w={self.alpha_w:g}, t={self.t:g}"
        return f"<FittedBGe: {self.n_rows:,} rows of {self.n_variables} variables, {about}>"

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.group.size)

    @property
    def n_interventions(self) -> np.ndarray:
        """Number of rows in which each variable was intervened on, shape (d,)."""
        times: np.ndarray = self.n_rows - self.rows_left[self.group]
        return times

    @property
    def unfitted(self) -> BGe:
        """The score with the same hyperparameters, to be fitted to other rows."""
        return BGe(self.alpha_mu, self.alpha_w, self.t)

    def predictive(self, train: Dataset, rows: Dataset) -> ValueOfFamily:
        """Return a function of a child and its parents: log predictive densities in each of `rows`, after `train`."""
        return Predictive.of(self, train, rows.values, rows.intervened).log_densities

    def matrix_of(self, child: int) -> np.ndarray:
        """Return R from the rows without intervention on the child, without the part of `shift_of`, shape (d, d)."""
        matrix: np.ndarray = self.matrices[self.group[child]]
        return matrix

    def shift_of(self, child: int) -> np.ndarray:
        """Return the vector z of these rows, shape (d,): R is the matrix plus `z z'`."""
        shift: np.ndarray = self.shifts[self.group[child]]
        return shift

    def rows_of(self, child: int) -> int:
        """Return the number of rows without intervention on the child."""
        return int(self.rows_left[self.group[child]])

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NO_VARIABLES
    ) -> np.ndarray:
        """Return the value of each subset of the candidates with all of `always`, shape (2**K,)."""
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
            0.5,
            exponents[always.size :],
            max_parents - always.size,
            log_score,
        )
        return log_score

    def log_likelihoods_of_rows(
        self, child: int, candidates: np.ndarray, max_parents: int, rows: np.ndarray
    ) -> np.ndarray:
        """Return the values of `log_likelihoods` with the variables of each row (rows, width), shape (rows, 2**K)."""
        log_score = np.empty((len(rows), 1 << candidates.size))
        log_by_size, exponents = self._size_terms(child, candidates.size + rows.shape[1])
        shift = self.shift_of(child)
        sweep_rows(
            self.matrix_of(child),
            shift if shift.any() else None,
            self.t,
            child,
            candidates,
            rows,
            log_by_size,
            0.5,
            exponents,
            max_parents,
            log_score,
        )
        return log_score

    def expected_weights(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NO_VARIABLES
    ) -> np.ndarray:
        """Return the location of the t distribution of the weights given each parent set, shape (2**K, K + always)."""
        n_masks, n_candidates = 1 << candidates.size, candidates.size
        coefficients = np.zeros((n_masks, n_candidates + always.size))
        if max_parents < always.size:
            return coefficients
        given = self._given(child, candidates, always)
        own = np.empty((n_masks, n_candidates))
        sweep_coefficients(given.matrix, given.shift, given.inflation, self.t, max_parents - always.size, own)
        coefficients[:, :n_candidates] = own
        if always.size:  # coefficients of `always` for the child, less those through the candidates
            small = np.bitwise_count(np.arange(n_masks)) <= max_parents - always.size
            coefficients[small, n_candidates:] = given.regression[-1] - own[small] @ given.regression[:-1]
        return coefficients

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return location (p,), scale (p, p) and degrees of freedom of the t distribution of the weights of `parents`.

        The covariance matrix is inverse-Wishart with R. So the coefficients of a regression on P are normal around
        `R_PP^-1 R_Pj` given the residual variance, which is inverse gamma, and have a t distribution.
        """
        location, inverse, residual, freedom = self.regression_of(child, parents)
        return location, residual / freedom * inverse, freedom

    def regression_of(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Return location (p,) of the weights, inverse (p, p) of R, residual, and degrees of freedom.

        The residual divided by a chi-square variable is a draw of the residual variance, which times the inverse is
        the covariance of the weights.
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
            location = self._given(child, NO_VARIABLES, parents).regression[-1]
            residual += float(left * (left / inflation))
        else:
            residual += float(shift[child] ** 2)
        return location, inverse, residual, freedom

    def completed(self, table: Dataset, missing: np.ndarray, graph: np.ndarray, rng: np.random.Generator) -> Dataset:
        """Draw parameters given a graph, and missing cells (N, d) given both; return the completed table."""
        parameters = draw_parameters(self, table.values, table.intervened, graph, rng)
        return replace(table, values=draw_cells(table.values, missing, table.intervened, parameters, rng))

    def column_model(self, units: Units | None) -> ColumnModel:
        """Return the model of columns, one for each variable; it needs their means, which only units have."""
        if units is None:
            raise Unavailable(
                "effect_curve() needs the means of columns, and this posterior was learned with standardize=False. "
                "Learn with standardize=True, or ask for causal_effects()."
            )
        d = self.n_variables
        return ColumnModel(self, [basis_of_units(units, v) for v in range(d)], [()] * d, [False] * d)

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the value of `parents` with each one more variable, shape (d,)."""
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

    def regression_terms(self, largest: int) -> RegressionTerms:
        """Return the terms by which scores of up to `largest` parents follow from regressions."""
        first = [int(np.flatnonzero(self.group == g)[0]) for g in range(len(self.matrices))]
        log_by_size, exponents = np.array([self._size_terms(child, largest) for child in first]).transpose(1, 0, 2)
        floors = np.full(self.shifts.shape, self.t)
        return RegressionTerms(self.matrices, self.shifts, self.group, floors, log_by_size, exponents, 0.5)

    def with_rows(self, rows: Dataset) -> FittedBGe:
        """Return the score of these rows, in the same units, and all earlier ones."""
        return with_batches(self, batches_of(rows))

    def settings(self) -> dict[str, Any]:
        """Return the name and the hyperparameters as JSON values."""
        return {
            "name": BGe.name,
            "alpha_mu": self.alpha_mu,
            "alpha_w": self.alpha_w,
            "t": self.t,
            "rows": self.n_rows,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that, with `settings`, restore the fitted score.

        They are one matrix, or one for each group if there are interventions, the shifts (groups, d) if any is not 0,
        and the means (groups, d), by which more rows can be added.
        """
        apart = {"bge_shift": self.shifts} if self.shifts.any() else {}
        apart |= {} if self.means is None else {"bge_mean": self.means}
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
            raise ValueError("its numbers of rows do not match that of the data")
        shifts = arrays.get("bge_shift", np.zeros((len(matrices), d)))
        if shifts.shape != (len(matrices), d) or not (np.abs(shifts) <= math.sqrt(LARGEST_SQUARE)).all():
            raise ValueError("its matrices and their shifts do not match")
        means = arrays.get("bge_mean")
        if means is not None and (
            means.shape != shifts.shape or not (np.abs(means) <= math.sqrt(LARGEST_SQUARE)).all()
        ):
            raise ValueError("its matrices and their means do not match")
        alpha_mu, alpha_w, t = float(prior.alpha_mu), _freedom(prior.alpha_w, d), float(settings["t"])
        return cls(matrices, rows_left, group, n_rows, alpha_mu, alpha_w, t, shifts, means)

    def _given(self, child: int, candidates: np.ndarray, always: np.ndarray) -> _Given:
        """Return the residuals of the candidates and the child in regressions on `always`."""
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
            # Coefficients are those of the matrix with the shift, residuals those of the matrix without it.
            share = left[-1, k] / -left[-1, -1]
            whole_pivot = pivot + share * left[-1, k]
            ratios = (left[:-1, k] + share * left[-1, :-1]) / whole_pivot
            ratios[: k + 1] = 0.0
            # A further variable changes the coefficients of the earlier ones by its own regression on them.
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
        """Return the terms of the score that depend only on the number of parents, and the exponent of the residual."""
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
    """Raise a ValueError for matrices that cannot be `t I` plus sums of squares and products, up to rounding."""
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
    """Residuals of the candidates and, last, of the child in regressions on known variables."""

    matrix: np.ndarray  # (K + 1, K + 1): Schur complement
    shift: np.ndarray | None  # (K + 1,): residual of the shift; None without one
    inflation: float  # of the determinant of the known variables, by the shift
    log_det: float  # of the known variables, with the shift
    regression: np.ndarray  # (K + 1, known): coefficients


def _inverse_root(matrix: np.ndarray) -> np.ndarray:
    """Return a matrix whose product with its transpose is the inverse, or the pseudoinverse if there is none.

    Rows are brought to the same scale first, because a small scale does not make a matrix singular.
    """
    deviations = np.sqrt(np.diag(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(deviations, deviations))
    told_apart = values > ROUNDING * values.max(initial=0.0)
    root: np.ndarray = vectors[:, told_apart] / np.sqrt(values[told_apart]) / deviations[:, None]
    return root


def _solve(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:  # two equal columns, at a scale at which t is lost
        return np.linalg.pinv(matrix, hermitian=True) @ right
