"""BDeu: the marginal likelihood of networks of categories (Heckerman, Geiger and Chickering 1995; Buntine 1991).

Given a configuration j of its parents, one of q, a variable with r levels has probabilities with the prior
`Dirichlet(ess / (q r), ...)`. With N_jk rows of level k and N_j in all,

    p = prod_j  Gamma(ess / q) / Gamma(ess / q + N_j)  prod_k  Gamma(ess / (q r) + N_jk) / Gamma(ess / (q r)).

Markov-equivalent graphs have the same score if there are no interventions. A row in which a variable was intervened on
does not count for its score.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec import Struct

from orderspn.core.arguments import check_within
from orderspn.core.checked_json import Count, Positive
from orderspn.core.errors import InvalidType
from orderspn.core.json_text import read_json
from orderspn.core.names import quoted
from orderspn.core.stored_arrays import BYTE, INTEGER, SHORT, StoredArray, StoredArrays
from orderspn.data.categories import MOST_LEVELS, Categories
from orderspn.scores.bdeu_completion import draw_codes, draw_tables
from orderspn.scores.bdeu_predictive import CategoryPredictive
from orderspn.scores.configurations import merge_equal_rows, score_one_more, sweep_configurations
from orderspn.scores.intervention_groups import RowsLeft, check_groups
from orderspn.scores.protocol import NO_VARIABLES, Reads, ValueOfFamily

FEW_ROWS = 20
"""Number of rows below which it is common that nearly all values of a column are different."""

SMALLEST_SAMPLE, LARGEST_SAMPLE = 1e-300, 1e300
"""Range of equivalent sample sizes within which their shares of single cells are computed to full precision."""


class BDeuSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of the score in a file: its hyperparameter and the number of rows."""

    name: Literal["bdeu"]
    equivalent_sample_size: Positive
    rows: Count


@dataclass(frozen=True)
class BDeu:
    """The BDeu score with its hyperparameter.

    Parameters
    ----------
    equivalent_sample_size : float, default 1
        Strength of the prior, in rows: it is spread evenly over all configurations of a variable and its parents.
        Larger values favour more edges.

    Notes
    -----
    The equivalent sample size must be between 1e-300 and 1e300. Within this range differences between
    the log scores of a variable's parent sets are right to 1e-8 for up to 10,000 rows, however many configurations the
    parents have. The error grows in proportion to the rows.

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_asia().data, score=osp.scores.BDeu(equivalent_sample_size=10))
    >>> posterior.settings["score"]["equivalent_sample_size"]
    10.0
    """

    equivalent_sample_size: float = 1.0

    name: ClassVar[str] = "bdeu"
    reads: ClassVar[Reads] = "categories"
    leaves_rows_out: ClassVar[bool] = True
    """A row in which a variable was intervened on does not count for its score."""

    described: ClassVar[type[Struct]] = BDeuSettings
    stored: ClassVar[StoredArrays] = {
        "bdeu_rows": StoredArray((BYTE, SHORT), (2,)),
        "bdeu_levels": StoredArray((BYTE,), (1,)),
        "bdeu_counts": StoredArray((INTEGER,), (1, 2)),
        "bdeu_group": StoredArray((INTEGER,), (1,)),
    }

    def __post_init__(self) -> None:
        check_within("equivalent_sample_size", self.equivalent_sample_size, SMALLEST_SAMPLE, LARGEST_SAMPLE)

    def fit(self, data: Categories) -> FittedBDeu:
        """Fit the score to data: find the different rows and count how often each occurs."""
        if not isinstance(data, Categories):
            raise InvalidType(f"BDeu needs categories, from read_categories; got {type(data).__name__}.")
        _warn_of_names(data)
        rows, number = np.unique(data.codes, axis=0, return_inverse=True)
        left = RowsLeft.of(data.intervened, data.n_rows, data.n_variables)
        counts = np.array([np.bincount(number.ravel()[kept], minlength=len(rows)) for kept in left.kept], np.int64)
        return FittedBDeu(rows, counts, left.group, data.n_rows, data.levels, float(self.equivalent_sample_size))

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBDeu:
        """Rebuild a fitted score from its `settings` and `arrays`."""
        return FittedBDeu.restore(settings, arrays)


def _warn_of_names(data: Categories) -> None:
    """Warn of columns in which nearly every value is different: such a column is independent of all others."""
    many = [len(np.unique(column)) > data.n_rows / 2 for column in data.codes.T]
    if data.n_rows >= FEW_ROWS and any(many):
        chosen = quoted([data.variables[i] for i in np.flatnonzero(many)])
        # Five calls up is the caller of family_scores; `learn` passes warnings on by itself.
        warnings.warn(
            f"more than half of the values of {chosen} are different, as if they were names of rows; drop such "
            "columns, or merge their levels.",
            UserWarning,
            stacklevel=5,
        )


@dataclass(frozen=True, eq=False)
class FittedBDeu:
    """BDeu fitted to data: log marginal likelihoods of every family.

    Variables that were intervened on in the same rows form a group; without interventions there is one group.
    """

    rows: np.ndarray  # (U, d), uint16: the different rows, sorted
    counts: np.ndarray  # (groups, U): how often each occurs among the rows that count for a group
    group: np.ndarray  # (d,): the group of each variable
    n_rows: int  # of the data
    levels: tuple[tuple[str, ...], ...]
    equivalent_sample_size: float

    reads: ClassVar[Reads] = BDeu.reads

    def __repr__(self) -> str:
        about = f"equivalent_sample_size={self.equivalent_sample_size:g}"
        return f"<FittedBDeu: {self.n_rows:,} rows of {self.n_variables} variables, {about}>"

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.rows.shape[1])

    @property
    def arities(self) -> np.ndarray:
        """Number of levels of each variable, shape (d,)."""
        return np.array([len(names) for names in self.levels], dtype=np.int64)

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = NO_VARIABLES
    ) -> np.ndarray:
        """Return the value of each subset of the candidates with all of `always`, (2**K,), in at most N 2**K steps."""
        log_score = np.full(1 << candidates.size, -np.inf)
        if max_parents < always.size:
            return log_score
        rows, counts, label = self._merged(child, [child, *candidates, *always])
        arities = self.arities
        start, _ = merge_equal_rows(_columns(rows, always), arities[always], counts, label)
        sweep_configurations(
            _columns(rows, candidates),
            arities[candidates],
            np.ascontiguousarray(rows[:, child]),
            int(arities[child]),
            counts,
            start,
            *_n_configurations(arities[always]),
            self.equivalent_sample_size,
            max_parents - always.size,
            label,
            log_score,
        )
        return log_score

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the value of `parents` with each one more variable, shape (d,), in N d steps."""
        arities, (rows, counts) = self.arities, self._left(child)
        label = _label(len(rows), arities)
        start, _ = merge_equal_rows(_columns(rows, parents), arities[parents], counts, label)
        log_score = np.empty(self.n_variables)
        score_one_more(
            np.ascontiguousarray(rows.T),
            arities,
            np.ascontiguousarray(rows[:, child]),
            int(arities[child]),
            counts,
            start,
            *_n_configurations(arities[parents]),
            self.equivalent_sample_size,
            label,
            log_score,
        )
        log_score[parents] = -np.inf
        log_score[child] = -np.inf
        return log_score

    @property
    def n_interventions(self) -> np.ndarray:
        """Number of rows in which each variable was intervened on, shape (d,)."""
        times: np.ndarray = self.n_rows - self.counts.sum(axis=1)[self.group]
        return times

    @property
    def unfitted(self) -> BDeu:
        """The score with the same hyperparameter, to be fitted to other rows."""
        return BDeu(self.equivalent_sample_size)

    def with_rows(self, rows: Categories) -> FittedBDeu:
        """Return the score of these rows, whose codes are numbers of the same levels, and all earlier ones."""
        d = self.n_variables
        intervened = np.zeros(rows.codes.shape, dtype=bool) if rows.intervened is None else rows.intervened
        different, number = np.unique(np.vstack([self.rows, rows.codes]), axis=0, return_inverse=True)
        known: dict[bytes, int] = {}
        group = np.empty(d, dtype=np.int64)
        counts: list[np.ndarray] = []
        for v in range(d):
            key = bytes([*self.group[v].tobytes(), *np.packbits(intervened[:, v])])
            group[v] = known.setdefault(key, len(known))
            if group[v] == len(counts):
                kept = np.concatenate([self.counts[self.group[v]], ~intervened[:, v]])
                counts.append(np.bincount(number.ravel(), kept, len(different)).astype(np.int64))
        return replace(self, rows=different, counts=np.array(counts), group=group, n_rows=self.n_rows + rows.n_rows)

    def predictive(self, train: Categories, rows: Categories) -> ValueOfFamily:  # noqa: ARG002
        """Return a function of a child and its parents: log predictive probabilities in each of `rows`."""
        return CategoryPredictive(self, rows).log_probabilities

    def strengths_given(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the Dirichlet parameters of a child's table, (r_1, ..., r_p, r_child), in the order of `parents`."""
        counts = self.counts_given(child, parents)
        return counts + self.equivalent_sample_size / counts.size

    def counts_given(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Count rows by the levels of `parents`, in their order, and of the child, shape (r_1, ..., r_p, r_child).

        Rows in which the child was intervened on are left out.
        """
        members = [*parents.tolist(), child]
        shape = tuple(len(self.levels[v]) for v in members)
        table = np.zeros(shape)
        np.add.at(table, tuple(self.rows[:, v].astype(np.int64) for v in members), self.counts[self.group[child]])
        return table

    def completed(
        self, table: Categories, missing: np.ndarray, graph: np.ndarray, rng: np.random.Generator
    ) -> Categories:
        """Draw tables given a graph, and missing cells (N, d) given both; return the completed table."""
        codes = draw_codes(table.codes, missing, table.intervened, draw_tables(self, graph, rng), rng)
        return replace(table, codes=codes.astype(np.uint16))

    def settings(self) -> dict[str, Any]:
        """Return the name and the hyperparameter as JSON values."""
        return {
            "name": BDeu.name,
            "equivalent_sample_size": self.equivalent_sample_size,
            "rows": self.n_rows,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that, with `settings`, restore the fitted score: different rows, their counts and levels.

        Counts are those of all rows, or by group if there are interventions.
        """
        narrow = np.uint8 if self.arities.max() <= 256 else np.uint16
        shared = {
            "bdeu_rows": self.rows.astype(narrow),
            "bdeu_levels": np.frombuffer(json.dumps(self.levels).encode(), dtype=np.uint8),
        }
        if len(self.counts) == 1 and self.counts.sum() == self.n_rows:
            return shared | {"bdeu_counts": self.counts[0]}
        return shared | {"bdeu_counts": self.counts, "bdeu_group": self.group}

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBDeu:
        """Rebuild a fitted score from `settings` and `arrays`."""
        rows, counts, n_rows = arrays["bdeu_rows"], arrays["bdeu_counts"], int(settings["rows"])
        levels = _levels(read_json(arrays["bdeu_levels"].tobytes()))
        if rows.dtype not in (np.uint8, np.uint16) or rows.ndim != 2 or rows.shape[1] != len(levels) or not len(rows):
            raise ValueError("its rows and levels do not match")
        grouped = "bdeu_group" in arrays
        counts = counts if grouped else counts[None]
        if counts.dtype != np.int64 or counts.shape[1:] != (len(rows),) or (counts < (0 if grouped else 1)).any():
            raise ValueError("its rows and their counts do not match")
        occurring = counts.astype(np.float64).sum(axis=1)  # integers might overflow
        if (occurring > n_rows).any() if grouped else occurring[0] != n_rows:
            raise ValueError("its counts do not match its number of rows")
        group = arrays["bdeu_group"] if grouped else np.zeros(len(levels), dtype=np.int64)
        check_groups(group, len(levels), len(counts))
        strength = BDeu(settings["equivalent_sample_size"]).equivalent_sample_size
        fitted = cls(rows.astype(np.uint16), np.ascontiguousarray(counts), group, n_rows, levels, float(strength))
        if (rows >= fitted.arities).any():
            raise ValueError("its rows have levels that do not exist")
        return fitted

    @property
    def scratch_bytes(self) -> int:
        """Memory in bytes that a thread needs to score a family, in addition to the scores."""
        different, (arity, candidates) = len(self.rows), (int(self.arities.max()), len(self.levels))
        return 4 * (different + 1) * arity + 8 * different * arity + 8 * self.n_rows + 20 * different * candidates

    def _left(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the different rows without intervention on the child, and how often each occurs."""
        counts = self.counts[self.group[child]]
        occurs = counts > 0
        return (self.rows, counts) if occurs.all() else (self.rows[occurs], counts[occurs])

    def _merged(self, child: int, members: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the rows that differ in `members`, how often each occurs, and a table of zeros for kernels."""
        family = np.array(members, dtype=np.int64)
        arities, (rows, left) = self.arities[family], self._left(child)
        label = _label(len(rows), arities)
        number, counts = merge_equal_rows(_columns(rows, family), arities, left, label)
        some = np.empty(counts.size, dtype=np.int64)  # one row of each set of equal rows
        some[number] = np.arange(number.size)
        return rows[some], counts, label


def _levels(named: Any) -> tuple[tuple[str, ...], ...]:
    """Return the names of the levels of each variable, from a file."""
    if not isinstance(named, list) or not all(isinstance(names, list) for names in named):
        raise ValueError("its levels are not lists of names")
    for names in named:
        known = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        if not known or not 2 <= len(names) <= MOST_LEVELS:
            raise ValueError("its levels are not those of categories")
    return tuple(tuple(names) for names in named)


def _label(n_rows: int, arities: np.ndarray) -> np.ndarray:
    """Return a table of zeros for all pairs of a group of rows and a level."""
    return np.zeros((n_rows + 1) * int(arities.max()), dtype=np.int32)


def _n_configurations(arities: np.ndarray) -> tuple[float, float]:
    """Return the number of configurations of variables, infinite if it overflows, and its logarithm."""
    exact = math.prod(arities.tolist())
    return (float(exact) if exact < sys.float_info.max else math.inf), math.log(exact)


def _columns(rows: np.ndarray, members: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(rows[:, members].T)
