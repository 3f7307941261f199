"""BGe where a variable is a group of columns: categories beside numbers, polynomials, several measured columns.

BGe is a marginal likelihood m of columns. The score of a child c given parents Q is `log m(Q, c) - log m(Q)` over all
columns of these variables. With p columns in Q, w in c, n columns in all, `a = alpha_w - n + p + w` and N rows this is

    terms(p) - w/2 log|R_QQ| - (N + a)/2 log|R_cc given Q|,

where R is the matrix of BGe over all columns. It is score-equivalent, and with one column for each variable it is BGe.
It equals the sum over the columns of c of BGe given Q and the earlier columns of c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec import Meta, Struct
from scipy.special import gammaln

from orderspn.core.checked_json import Count, Positive
from orderspn.core.stored_arrays import INTEGER, NUMBER, StoredArray, StoredArrays
from orderspn.data.dataset import Dataset
from orderspn.data.mixed import MixedTable, mixed_from_numbers
from orderspn.data.units import Units
from orderspn.scores.basis import Basis, starts_of
from orderspn.scores.basis_arrays import STORED as BASES
from orderspn.scores.basis_arrays import basis_arrays, split_bases
from orderspn.scores.bge import LARGEST_DEGREE, BGe, FittedBGe
from orderspn.scores.bge_completion import draw_parameters
from orderspn.scores.bge_predictive import Predictive
from orderspn.scores.bge_warnings import warn_of_collinear_groups
from orderspn.scores.column_model import ColumnModel
from orderspn.scores.group_completion import SWEEPS, candidate_values, column_graph, conditional, draw_column
from orderspn.scores.group_sweep import sweep_groups
from orderspn.scores.intervention_groups import RowsLeft, check_groups
from orderspn.scores.mixed_variables import GroupVariable
from orderspn.scores.protocol import NO_VARIABLES, ValueOfFamily
from orderspn.scores.scatter import Scatter, scatter_by_group, scatter_of_all


class GroupBGeSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of the score in a file: hyperparameters, the number of rows, and the variables."""

    name: Literal["bge-groups"]
    alpha_mu: Positive
    alpha_w: Positive
    t: Positive
    degree: Annotated[int, Meta(ge=1, le=LARGEST_DEGREE)]
    rows: Count
    variables: list[GroupVariable]


@dataclass(frozen=True)
class GroupBGe(BGe):
    """BGe over groups of columns, also where every group has one: the score that `BGe` becomes for such data.

    Parameters
    ----------
    alpha_mu, alpha_w, t, degree
        As for `BGe`.

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs(log=True).data
    >>> by_groups = osp.learn(sachs, score=osp.scores.GroupBGe()).log_evidence
    >>> bool(abs(by_groups - osp.learn(sachs).log_evidence) < 1e-6)
    True
    """

    bases: tuple[Basis, ...] | None = field(default=None, repr=False, compare=False)
    """The bases of the variables, where they are not to be found from the data."""

    name: ClassVar[str] = "bge-groups"
    described: ClassVar[type[Struct]] = GroupBGeSettings
    stored: ClassVar[StoredArrays] = {
        "bge_matrix": StoredArray((NUMBER,), (3,)),
        "bge_rows": StoredArray((INTEGER,), (1,)),
        "bge_group": StoredArray((INTEGER,), (1,)),
        **BASES,
    }

    def fit(self, data: Dataset | MixedTable) -> FittedGroupBGe:
        """Fit the score to data: whiten the columns of each variable, and compute the matrices R over all columns."""
        return FittedGroupBGe.of(self, data if isinstance(data, MixedTable) else mixed_from_numbers(data))

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedGroupBGe:  # type: ignore[override]
        """Rebuild a fitted score from its `settings` and `arrays`."""
        return FittedGroupBGe.restore(settings, arrays)


@dataclass(frozen=True, eq=False)
class FittedGroupBGe:
    """BGe over groups of columns, fitted to data."""

    columns: FittedBGe  # over all whitened columns
    bases: tuple[Basis, ...]  # of each variable
    degree: int
    mixed_variables: tuple[GroupVariable, ...]

    @classmethod
    def of(cls, score: BGe, data: MixedTable) -> FittedGroupBGe:
        """Fit a score to data."""
        degree = score.settled_degree
        bases = getattr(score, "bases", None) or _bases_of(data, degree)
        owner = np.repeat(np.arange(data.n_variables), [basis.width for basis in bases])
        alpha_w, t = score.freedom_and_scale(owner.size)
        rows = _whitened(bases, data)
        left = RowsLeft.of(data.intervened, data.n_rows, data.n_variables)
        scatter = scatter_of_all(rows) if left.everything else scatter_by_group(rows, left.kept)
        matrices = _posterior_matrices(scatter, score.alpha_mu, t)
        warn_of_collinear_groups(data.variables, owner, matrices)
        nothing = np.zeros((len(matrices), owner.size))
        columns = FittedBGe(
            matrices, scatter.n_rows, left.group[owner], data.n_rows, float(score.alpha_mu), alpha_w, t, nothing
        )
        described = tuple(GroupVariable(p.kind, list(p.columns), list(p.levels)) for p in data.parts)
        return cls(columns, bases, degree, described)

    def __repr__(self) -> str:
        own = self.columns
        about = f"alpha_mu={own.alpha_mu:g}, alpha_w={own.alpha_w:g}, t={own.t:g}, degree={self.degree}"
        return f"<FittedGroupBGe: {own.n_rows:,} rows of {self.n_variables} variables, {about}>"

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return len(self.bases)

    @property
    def n_interventions(self) -> np.ndarray:
        """Number of rows in which each variable was intervened on, shape (d,)."""
        times: np.ndarray = self.columns.n_interventions[self.starts[:-1]]
        return times

    @cached_property
    def starts(self) -> np.ndarray:
        """The first column of each variable, and the number of columns, shape (d + 1,)."""
        return starts_of([basis.width for basis in self.bases])

    @property
    def unfitted(self) -> GroupBGe:
        """The score with the same hyperparameters and bases, to be fitted to other rows."""
        own = self.columns
        return GroupBGe(own.alpha_mu, own.alpha_w, own.t, self.degree, self.bases)

    def columns_of(self, variables: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the columns of variables, in their order."""
        parts = [np.arange(self.starts[v], self.starts[v + 1]) for v in variables]
        return np.concatenate(parts) if parts else NO_VARIABLES

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NO_VARIABLES
    ) -> np.ndarray:
        """Return the value of each subset of the candidates with all of `always`, shape (2**K,)."""
        log_score = np.full(1 << candidates.size, -np.inf)
        if max_parents < always.size:
            return log_score
        known = self.columns_of(always)
        ordered = np.append(candidates, child)
        widths = np.diff(self.starts)[ordered]
        log_det, left = self._given(child, known, self.columns_of(ordered))
        log_by_columns, exponents = self._column_terms(child, known.size + int(widths[:-1].sum()))
        sweep_groups(
            left,
            starts_of(widths.tolist()),
            self.columns.t,
            log_by_columns[known.size :] - 0.5 * widths[-1] * log_det,
            exponents[known.size :],
            max_parents - always.size,
            log_score,
        )
        return log_score

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the value of `parents` with each one more variable, shape (d,)."""
        known, widths = self.columns_of(parents), np.diff(self.starts)
        log_det, left = self._given(child, known, np.arange(self.starts[-1]))
        log_by_columns, exponents = self._column_terms(child, known.size + int(widths.max()))
        own = slice(self.starts[child], self.starts[child + 1])
        log_likelihood = np.full(self.n_variables, -np.inf)
        others = np.setdiff1d(np.arange(self.n_variables), np.append(parents, child))
        for width in np.unique(widths[others]).tolist():
            some = others[widths[others] == width]
            block = self.starts[some][:, None] + np.arange(width)  # (some, width)
            inner = left[block[:, :, None], block[:, None, :]]
            across = left[block][:, :, own]
            residual = left[own, own] - across.transpose(0, 2, 1) @ np.linalg.solve(inner, across)
            size = known.size + width
            determinants = log_det + _log_det(inner, self.columns.t)
            log_likelihood[some] = (
                log_by_columns[size]
                - 0.5 * widths[child] * determinants
                - exponents[size] * _log_det(residual, self.columns.t)
            )
        return log_likelihood

    def log_evidence_of_numbers(self, graph: np.ndarray) -> float:
        """Return the log evidence of the numbers themselves given a graph (d, d): their first columns given parents.

        Unlike that of all columns, it is a density of the same data for every degree. Categories count with all their
        columns.
        """
        total = 0.0
        for child, described in enumerate(self.mixed_variables):
            given, own = self.columns_of(np.flatnonzero(graph[:, child])), self.columns_of([child])
            for column in own if described.kind == "category" else own[: len(described.columns)]:
                total += float(self.columns.log_likelihoods(int(column), NO_VARIABLES, given.size, given)[0])
                given = np.append(given, column)
        return total

    def predictive(self, train: MixedTable, rows: MixedTable) -> ValueOfFamily:
        """Return a function of a child and its parents: log predictive densities in each of `rows`, after `train`.

        They are densities of the whitened columns of the child.
        """
        owner = np.repeat(np.arange(self.n_variables), np.diff(self.starts))
        known = Dataset(train.variables, _whitened(self.bases, train), intervened=_of_columns(train.intervened, owner))
        new = Dataset(rows.variables, _whitened(self.bases, rows), intervened=_of_columns(rows.intervened, owner))
        predicted = Predictive.of(self.columns, known, new.values, new.intervened)

        def log_densities(child: int, parents: np.ndarray) -> np.ndarray:
            given, total = self.columns_of(parents), np.zeros(rows.n_rows)
            for column in self.columns_of([child]).tolist():
                total += predicted.log_densities(column, given)
                given = np.append(given, column)
            return total

        return log_densities

    def completed(
        self, table: Dataset | MixedTable, missing: np.ndarray, graph: np.ndarray, rng: np.random.Generator
    ) -> Dataset | MixedTable:
        """Draw parameters given a graph, and missing cells given both; return the completed table.

        `missing` has the columns of all variables, one after the other: (N, columns).
        """
        if isinstance(table, MixedTable):
            return self._completed(table, missing, graph, rng)
        parts = self._completed(mixed_from_numbers(table), missing, graph, rng).parts
        return replace(table, values=np.concatenate([part.values for part in parts], axis=1))

    def _completed(
        self, table: MixedTable, missing: np.ndarray, graph: np.ndarray, rng: np.random.Generator
    ) -> MixedTable:
        owner = np.repeat(np.arange(self.n_variables), np.diff(self.starts))
        columns, intervened = _whitened(self.bases, table), _of_columns(table.intervened, owner)
        parameters = draw_parameters(self.columns, columns, intervened, column_graph(graph, owner), rng)
        counted = np.ones(columns.shape, dtype=bool) if intervened is None else ~intervened
        parts = list(table.parts)
        first = starts_of([len(part.columns) for part in parts])
        cells = [(v, int(c)) for v in range(len(parts)) for c in range(int(first[v + 1] - first[v]))]
        cells = [(v, c) for v, c in cells if missing[:, first[v] + c].any()]
        for number in [own for _ in range(SWEEPS) for own in rng.permutation(len(cells)).tolist()]:
            v, column = cells[number]
            own, basis = slice(self.starts[v], self.starts[v + 1]), self.bases[v]
            candidates = candidate_values(parts[v], column, basis)
            values = parts[v].values.copy()
            for rows in _rows_alike(missing[:, first[v] + column], counted):
                given = conditional(parameters, counted[rows[0]], own, columns[rows])
                values[rows, column] = draw_column(parts[v], column, rows, candidates, basis, *given, rng)
            parts[v] = replace(parts[v], values=values)
            columns[:, own] = basis.applied(values)
        return replace(table, parts=tuple(parts))

    def column_model(self, units: Units | None) -> ColumnModel:  # noqa: ARG002
        """Return the model of columns; bases have their own units."""
        levels = [tuple(own.levels) for own in self.mixed_variables]
        return ColumnModel(self.columns, self.bases, levels, [own.kind == "group" for own in self.mixed_variables])

    def settings(self) -> dict[str, Any]:
        """Return the name, the hyperparameters and the variables as JSON values."""
        own = {**self.columns.settings(), "name": GroupBGe.name, "degree": self.degree}
        described = [
            {"kind": v.kind, "columns": list(v.columns), "levels": list(v.levels)} for v in self.mixed_variables
        ]
        return {**own, "variables": described}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that, with `settings`, restore the fitted score."""
        return {
            "bge_matrix": self.columns.matrices,
            "bge_rows": self.columns.rows_left,
            "bge_group": self.columns.group[self.starts[:-1]],
            **basis_arrays(self.bases),
        }

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedGroupBGe:
        """Rebuild a fitted score from `settings` and `arrays`, which may come from an unknown source."""
        variables = tuple(GroupVariable(**own) for own in settings["variables"])
        for own in variables:
            if (own.kind == "category") != (len(own.levels) > 1) or (own.kind != "group") != (len(own.columns) == 1):
                raise ValueError("the kinds of its variables do not match their columns and levels")
        degree = int(settings["degree"])
        bases = split_bases(arrays, [(len(own.columns), len(own.levels)) for own in variables], degree)
        owner = np.repeat(np.arange(len(bases)), [basis.width for basis in bases])
        check_groups(arrays["bge_group"], len(bases), len(arrays["bge_matrix"]))
        group = arrays["bge_group"][owner]
        hyperparameters = {"name": BGe.name, **{key: settings[key] for key in ("alpha_mu", "alpha_w", "t", "rows")}}
        columns = FittedBGe.restore(
            hyperparameters,
            {"bge_matrix": arrays["bge_matrix"], "bge_rows": arrays["bge_rows"], "bge_group": group},
        )
        return cls(columns, bases, degree, variables)

    def _given(self, child: int, known: np.ndarray, others: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the log determinant of known columns, and the residuals of others in regressions on them."""
        matrix = self.columns.matrix_of(int(self.starts[child]))
        left = np.ascontiguousarray(matrix[np.ix_(others, others)])
        if known.size == 0:
            return 0.0, left
        inner, across = matrix[np.ix_(known, known)], matrix[np.ix_(known, others)]
        left -= across.T @ np.linalg.solve(inner, across)
        return float(_log_det(inner[None], self.columns.t)[0]), left

    def _column_terms(self, child: int, largest: int) -> tuple[np.ndarray, np.ndarray]:
        """Return, by the number of columns of parents, the terms of the score and the exponent of the residual."""
        own, width = self.columns, int(self.bases[child].width)
        n, n_columns = own.rows_of(int(self.starts[child])), own.n_variables
        sizes = np.arange(largest + 1)
        before = own.alpha_w - n_columns + sizes  # degrees of freedom of the parents' columns
        after = before + width
        log_prior = 0.5 * (after * (sizes + width) - before * sizes) * np.log(own.t)
        constant = 0.5 * width * (np.log(own.alpha_mu / (n + own.alpha_mu)) - n * np.log(np.pi))
        return constant + _log_gamma_ratio(before, n, width) + log_prior, 0.5 * (n + after)


def _bases_of(data: MixedTable, degree: int) -> tuple[Basis, ...]:
    """Return the basis of each variable, from the rows in which it was not intervened on."""
    if data.intervened is None:
        return tuple(Basis.of(part, degree) for part in data.parts)
    return tuple(Basis.of(part, degree, natural) for part, natural in zip(data.parts, ~data.intervened.T, strict=True))


def _log_gamma_ratio(freedom: np.ndarray, n_rows: int, width: int) -> np.ndarray:
    """Return the log of the multivariate gammas of the child's columns after n rows, less that before.

    All factors of `Gamma_{p+w}((v + w) / 2) / Gamma_p(v / 2)` but `Gamma((v + k) / 2)` for k from 1 to w cancel, and
    the powers of pi are the same before and after.
    """
    halves = 0.5 * (freedom[:, None] + np.arange(1, width + 1))
    log_ratio: np.ndarray = (gammaln(halves + 0.5 * n_rows) - gammaln(halves)).sum(axis=1)
    return log_ratio


def _log_det(matrices: np.ndarray, floor: float) -> np.ndarray:
    """Return the log determinants of matrices (m, w, w) that are `floor I` plus sums of squares, up to rounding."""
    signs, logs = np.linalg.slogdet(matrices)
    smallest = matrices.shape[-1] * np.log(floor)
    return np.where(signs > 0.0, np.maximum(logs, smallest), smallest)


def _posterior_matrices(scatter: Scatter, alpha_mu: float, t: float) -> np.ndarray:
    """Return R of each group of variables with the same rows, shape (groups, n, n)."""
    strength = (scatter.n_rows * alpha_mu / (scatter.n_rows + alpha_mu))[:, None, None]
    products = strength * (scatter.mean[:, :, None] * scatter.mean[:, None, :])
    return scatter.matrix + products + t * np.eye(scatter.mean.shape[1])


def _rows_alike(missing: np.ndarray, counted: np.ndarray) -> list[np.ndarray]:
    """Return the rows with a missing cell (N,), those with the same interventions together."""
    rows = np.flatnonzero(missing)
    _, which = np.unique(counted[rows], axis=0, return_inverse=True)
    return [rows[which.ravel() == pattern] for pattern in range(which.max(initial=-1) + 1)]


def _whitened(bases: Sequence[Basis], data: MixedTable) -> np.ndarray:
    """Return the whitened columns of all variables, shape (N, n)."""
    return np.concatenate([basis.applied(part.values) for basis, part in zip(bases, data.parts, strict=True)], axis=1)


def _of_columns(intervened: np.ndarray | None, owner: np.ndarray) -> np.ndarray | None:
    """Return which columns were intervened on, given which variables were."""
    return None if intervened is None else intervened[:, owner]
