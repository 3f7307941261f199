"""BIC: the Bayesian information criterion of linear regressions with Gaussian noise.

The largest log likelihood of a variable given its parents, less `penalty / 2 log(N)` for each of its parameters: a
weight for each parent, a constant and a variance. It has no prior and no unit: if columns are scaled or shifted, it
only changes by a constant. N is the number of rows without intervention on the variable.

Sums of squares and products are scaled to 1 on the diagonal before regressions, so that what counts as rounding is the
same for all columns.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from msgspec import Struct

from orderspn.core.arguments import check_within
from orderspn.core.checked_json import Count, Positive
from orderspn.core.names import quoted
from orderspn.core.stored_arrays import INTEGER, NUMBER, StoredArray, StoredArrays
from orderspn.data.dataset import Dataset
from orderspn.scores.bge_warnings import warn_of_collinear_groups
from orderspn.scores.intervention_groups import RowsLeft, check_groups
from orderspn.scores.protocol import NO_VARIABLES, Reads
from orderspn.scores.regression_terms import RegressionTerms
from orderspn.scores.scatter import scatter_by_group, scatter_of_all
from orderspn.scores.subset_sweep import sweep_coefficients, sweep_determinants

SMALLEST_PENALTY, LARGEST_PENALTY = 1e-6, 1e6

ROUNDING = 1e-13
"""Smallest residual, as a share of the sum of squares of a variable: what is less is rounding."""

SMALLEST_SQUARE, LARGEST_SQUARE = 1e-290, 1e300
"""Smaller sums of squares count as this one, so that a column that is constant in some rows has a scale; larger ones
are in no file."""


class BICSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of the score in a file."""

    name: Literal["bic"]
    penalty: Positive
    rows: Count


@dataclass(frozen=True)
class BIC:
    """The Bayesian information criterion of linear Gaussian networks.

    Parameters
    ----------
    penalty : float, default 1
        Each parameter costs `penalty * log(N) / 2` nats, for N rows. 1 is BIC as it was defined; 2 is usual in programs
        that search for one graph, and finds fewer edges.

    Notes
    -----
    BIC is what BGe's marginal likelihood tends to for many rows, without the terms that stay bounded. It takes no
    hyperparameters and does not depend on the units of columns. It is meant for many more rows than variables: with
    as many parents as rows a regression fits perfectly, and there is a warning if that is possible. In `learn` the
    prior over parent sets is added to it, as to every score; `prior="uniform"` is BIC alone.

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data, score=osp.scores.BIC(penalty=2), prior="uniform")
    >>> posterior.settings["score"]
    {'name': 'bic', 'penalty': 2.0, 'rows': 853}
    """

    penalty: float = 1.0

    name: ClassVar[str] = "bic"
    reads: ClassVar[Reads] = "numbers"

    leaves_rows_out: ClassVar[bool] = True
    """A row in which a variable was intervened on does not count for its score."""

    penalizes: ClassVar[bool] = True
    """Each parent costs a penalty, so that `best_graph` has no other prior by default."""

    described: ClassVar[type[Struct]] = BICSettings
    stored: ClassVar[StoredArrays] = {
        "bic_matrix": StoredArray((NUMBER,), (3,)),
        "bic_rows": StoredArray((INTEGER,), (1,)),
        "bic_group": StoredArray((INTEGER,), (1,)),
    }

    def __post_init__(self) -> None:
        check_within("penalty", self.penalty, SMALLEST_PENALTY, LARGEST_PENALTY)

    def fit(self, data: Dataset) -> FittedBIC:
        """Fit the score to data: compute sums of squares and products, and the numbers of rows."""
        left = RowsLeft.of(data.intervened, data.n_rows, data.n_variables)
        scatter = scatter_of_all(data.values) if left.everything else scatter_by_group(data.values, left.kept)
        fitted = FittedBIC(scatter.matrix, scatter.n_rows, left.group, data.n_rows, float(self.penalty))
        _warn_of_few_rows(data, scatter.n_rows[left.group])
        varies = np.diagonal(scatter.matrix, axis1=1, axis2=2).all(axis=1) & (scatter.n_rows > data.n_variables)
        warn_of_collinear_groups(data.variables, np.arange(data.n_variables), scatter.matrix[varies])
        return fitted

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBIC:
        """Rebuild a fitted score from its `settings` and `arrays`."""
        return FittedBIC.restore(settings, arrays)


def _warn_of_few_rows(data: Dataset, n_rows: np.ndarray) -> None:
    few = n_rows <= data.n_variables
    if few.any():
        # Five calls up is the caller of family_scores; `learn` passes warnings on by itself.
        warnings.warn(
            f"there are no more rows than variables for {quoted([data.variables[i] for i in np.flatnonzero(few)])}, so "
            "that all others together fit every value, which BIC takes for the truth. Use score='bge', or pass "
            "max_parents.",
            UserWarning,
            stacklevel=6,
        )


class _Given(NamedTuple):
    """Residuals of candidates and, last, of the child in regressions on known variables, in scaled units."""

    matrix: np.ndarray  # (K + 1, K + 1)
    regression: np.ndarray  # (K + 1, known): coefficients
    scale: np.ndarray  # (known + K + 1,): roots of the sums of squares


@dataclass(frozen=True, eq=False)
class FittedBIC:
    """BIC fitted to data. Variables that were intervened on in the same rows form a group, with one matrix."""

    matrices: np.ndarray  # (groups, d, d): sums of squares and products of deviations from the means
    rows_left: np.ndarray  # (groups,): number of rows that count for a group
    group: np.ndarray  # (d,): the group of each variable
    n_rows: int  # of the data
    penalty: float

    def __repr__(self) -> str:
        return f"<FittedBIC: {self.n_rows:,} rows of {self.n_variables} variables, penalty={self.penalty:g}>"

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
    def unfitted(self) -> BIC:
        """The score with the same penalty, to be fitted to other rows."""
        return BIC(self.penalty)

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NO_VARIABLES
    ) -> np.ndarray:
        """Return the value of each subset of the candidates with all of `always`, shape (2**K,)."""
        log_score = np.full(1 << candidates.size, -np.inf)
        if max_parents < always.size:
            return log_score
        given = self._given(child, candidates, always)
        log_by_size, exponent = self._size_terms(self.group[child], candidates.size + always.size)
        own = log_by_size[always.size :] - 2.0 * exponent * math.log(given.scale[-1])
        exponents = np.full(own.size, exponent)
        sweep_determinants(
            given.matrix, None, 1.0, ROUNDING, own, 0.0, exponents, max_parents - always.size, log_score
        )  # fmt: skip
        return log_score

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the value of `parents` with each one more variable, shape (d,)."""
        others = np.setdiff1d(np.arange(self.n_variables), [*parents, child])
        given = self._given(child, others, parents)
        variance = np.maximum(np.diag(given.matrix)[:-1], ROUNDING)
        covariance = given.matrix[-1, :-1]
        residual = np.maximum(given.matrix[-1, -1] - covariance * (covariance / variance), ROUNDING)
        log_by_size, exponent = self._size_terms(self.group[child], parents.size + 1)
        log_score = np.full(self.n_variables, -np.inf)
        log_score[others] = log_by_size[-1] - exponent * (np.log(residual) + 2.0 * math.log(given.scale[-1]))
        return log_score

    def expected_weights(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NO_VARIABLES
    ) -> np.ndarray:
        """Return the weights of least squares given each parent set, shape (2**K, K + always)."""
        n_masks, n_candidates = 1 << candidates.size, candidates.size
        weights = np.zeros((n_masks, n_candidates + always.size))
        if max_parents < always.size:
            return weights
        given = self._given(child, candidates, always)
        own = np.empty((n_masks, n_candidates))
        sweep_coefficients(given.matrix, None, 1.0, ROUNDING, max_parents - always.size, own)
        weights[:, :n_candidates] = own
        small = np.bitwise_count(np.arange(n_masks)) <= max_parents - always.size
        weights[small, n_candidates:] = given.regression[-1] - own[small] @ given.regression[:-1]
        scale = np.concatenate([given.scale[always.size : -1], given.scale[: always.size]])
        return weights * (given.scale[-1] / scale)

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return location (p,), scale (p, p) and degrees of freedom of the t distribution of the parents' weights.

        It is that of least squares, which is also the posterior under the usual prior without information. There is at
        least one degree of freedom.
        """
        members = np.concatenate([parents, [child]]).astype(np.int64)
        matrix, scale = self._scaled(child, members)
        inverse = np.linalg.pinv(matrix[:-1, :-1], rcond=ROUNDING, hermitian=True)
        location = inverse @ matrix[:-1, -1]
        residual = max(float(matrix[-1, -1] - matrix[:-1, -1] @ location), ROUNDING)
        freedom = float(max(self.rows_left[self.group[child]] - parents.size - 1, 1))
        units = scale[-1] / scale[:-1]
        return location * units, residual / freedom * inverse * np.outer(units, units), freedom

    def regression_terms(self, largest: int) -> RegressionTerms:
        """Return the terms by which scores of up to `largest` parents follow from regressions."""
        terms = [self._size_terms(g, largest) for g in range(len(self.matrices))]
        log_by_size, exponents = np.array([own for own, _ in terms]), np.array([exponent for _, exponent in terms])
        squares = np.maximum(np.diagonal(self.matrices, axis1=1, axis2=2), SMALLEST_SQUARE)
        return RegressionTerms(
            self.matrices,
            np.zeros_like(squares),
            self.group,
            ROUNDING * squares,
            log_by_size,
            np.repeat(exponents[:, None], largest + 1, axis=1),
            0.0,
        )

    def settings(self) -> dict[str, Any]:
        """Return the name and the penalty as JSON values."""
        return {"name": BIC.name, "penalty": self.penalty, "rows": self.n_rows}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that, with `settings`, restore the fitted score."""
        return {"bic_matrix": self.matrices, "bic_rows": self.rows_left, "bic_group": self.group}

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBIC:
        """Rebuild a fitted score from `settings` and `arrays`."""
        penalty, n_rows = float(settings["penalty"]), int(settings["rows"])
        BIC(penalty)  # which checks it
        matrices, rows_left, group = arrays["bic_matrix"], arrays["bic_rows"], arrays["bic_group"]
        _check_matrices(matrices)
        check_groups(group, matrices.shape[1], len(matrices))
        if rows_left.dtype != np.int64 or rows_left.shape != (len(matrices),):
            raise ValueError("its matrices and their numbers of rows do not match")
        if ((rows_left < 0) | (rows_left > n_rows)).any():
            raise ValueError("its numbers of rows do not match that of the data")
        return cls(matrices, rows_left, group, n_rows, penalty)

    def _scaled(self, child: int, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the matrix of some variables, scaled to 1 on the diagonal, and the roots of what that was."""
        matrix = self.matrices[self.group[child]][np.ix_(members, members)]
        scale = np.sqrt(np.maximum(np.diag(matrix), SMALLEST_SQUARE))
        return matrix / scale / scale[:, None], scale

    def _given(self, child: int, candidates: np.ndarray, always: np.ndarray) -> _Given:
        """Return the residuals of the candidates and the child in regressions on `always`."""
        members = np.concatenate([always, candidates, [child]]).astype(np.int64)
        left, scale = self._scaled(child, members)
        n_known = always.size
        regression = np.zeros((members.size, n_known))
        for k in range(n_known):
            ratios = left[:, k] / max(left[k, k], ROUNDING)
            ratios[: k + 1] = 0.0
            # A further variable changes the coefficients of the earlier ones by its own regression on them.
            regression[:, :k] -= np.outer(ratios, regression[k, :k])
            regression[:, k] = ratios
            left = left - np.outer(ratios, left[k])
        return _Given(np.ascontiguousarray(left[n_known:, n_known:]), regression[n_known:], scale)

    def _size_terms(self, group: int, largest: int) -> tuple[np.ndarray, float]:
        """Return the terms by the number of parents, (largest + 1,), and the exponent of the residual."""
        n = int(self.rows_left[group])
        if n == 0:
            return np.zeros(largest + 1), 0.0
        parameters = np.arange(largest + 1) + 2.0  # with the constant and the variance
        fixed = -0.5 * n * (math.log(2.0 * math.pi / n) + 1.0)
        return fixed - 0.5 * self.penalty * math.log(n) * parameters, 0.5 * n


def _check_matrices(matrices: np.ndarray) -> None:
    """Raise a ValueError for matrices that are no sums of squares and products, up to rounding."""
    if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or not (np.abs(matrices) <= LARGEST_SQUARE).all():
        raise ValueError("its matrix of squares and products is not square and finite")
    for matrix in matrices:
        if (np.diag(matrix) < 0.0).any():
            raise ValueError("its sums of squares are negative")
        scale = np.sqrt(np.maximum(np.diag(matrix), SMALLEST_SQUARE))
        scaled = matrix / scale / scale[:, None]
        if not np.allclose(scaled, scaled.T, rtol=0.0, atol=1e-12):
            raise ValueError("its matrix of squares and products is not symmetric")
        if np.linalg.eigvalsh(scaled)[0] < -1e-10:
            raise ValueError("its matrix of squares and products is not that of any data")
