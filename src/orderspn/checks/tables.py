"""The rows that checks look at: all of a small table, a random sample of the rows of a large one.

What concerns one variable is judged by the rows in which it was not intervened on. What concerns several is judged by
the rows without any intervention, if there are enough of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orderspn.checks.shapes import Shape, in_standard_units
from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset

MOST_CELLS = 2**20
"""Most cells that checks look at, so that they take a fraction of a second for any table."""

FEWEST_SAMPLED = 2000
"""Rows that are looked at however many variables there are."""

LONGEST_SEQUENCE = 4000
"""Rows at the beginning of the table in which neighbours are compared."""

FEW_VALUES = 10
"""Most different values of a column that is taken for discrete: it is not judged by its moments."""

FEWEST_ROWS = 20
"""Rows below which nothing is said about the distribution of a variable."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers to be checked, in the units of the data unless these are not known.

    Attributes
    ----------
    variables : tuple of str
    n_rows : int
        Rows of the whole table.
    values : numpy.ndarray
        Shape (M, d): rows looked at.
    untouched : numpy.ndarray
        Shape (M, d): bool, where a variable was not intervened on.
    beginning, beginning_untouched : numpy.ndarray
        The same for the first rows of the table, in their order.
    whole : numpy.ndarray
        Shape (N, d): all rows.
    """

    variables: tuple[str, ...]
    n_rows: int
    values: np.ndarray
    untouched: np.ndarray
    beginning: np.ndarray
    beginning_untouched: np.ndarray
    whole: np.ndarray

    @classmethod
    def of(cls, data: Dataset) -> Numbers:
        """Choose the rows of a data set, in the units of the data: signs matter."""
        values = data.values if data.units is None else data.units.undone(data.values)
        rows = _sampled(data.n_rows, data.n_variables)
        start = slice(0, LONGEST_SEQUENCE)
        return cls(
            data.variables,
            data.n_rows,
            values[rows],
            _untouched(data.intervened, rows, values[rows].shape),
            values[start],
            _untouched(data.intervened, start, values[start].shape),
            values,
        )

    def own(self, place: int) -> np.ndarray:
        """Return the values of one variable in the rows in which it was not intervened on."""
        column: np.ndarray = self.values[self.untouched[:, place], place]
        return column

    def columns(self) -> Iterator[tuple[str, np.ndarray]]:
        """Go through the variables with their own values."""
        for place, name in enumerate(self.variables):
            yield name, self.own(place)

    @cached_property
    def n_different(self) -> np.ndarray:
        """Number of different values of each variable, (d,); exact up to `FEW_VALUES`."""
        return np.array([_n_different(own) for _, own in self.columns()])

    @cached_property
    def is_continuous(self) -> np.ndarray:
        """Which variables have many different values in enough rows, (d,)."""
        enough = self.untouched.sum(axis=0) >= FEWEST_ROWS
        return (self.n_different > FEW_VALUES) & enough

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """Shapes of the distributions of the continuous variables, by name."""
        continuous = np.flatnonzero(self.is_continuous).tolist()
        return {self.variables[place]: Shape.of(self.own(place)) for place in continuous}

    @cached_property
    def standard(self) -> np.ndarray:
        """Rows without any intervention in standard units, (M', d); all rows if too few have none."""
        free = self.untouched.all(axis=1)
        enough = free.sum() > max(len(self.variables), FEWEST_ROWS)
        return in_standard_units(self.values[free] if enough else self.values)

    @cached_property
    def correlations(self) -> np.ndarray:
        """Correlations of the variables, (d, d)."""
        matrix: np.ndarray = self.standard.T @ self.standard / len(self.standard)
        return matrix


@dataclass(frozen=True, eq=False)
class Levels:
    """Categories to be checked: codes of levels."""

    variables: tuple[str, ...]
    n_rows: int
    codes: np.ndarray  # (N, d)
    levels: tuple[tuple[str, ...], ...]
    untouched: np.ndarray  # (N, d)

    @classmethod
    def of(cls, data: Categories) -> Levels:
        """Take all rows."""
        every = slice(None)
        untouched = _untouched(data.intervened, every, data.codes.shape)
        return cls(data.variables, data.n_rows, data.codes, data.levels, untouched)

    def own(self, place: int) -> np.ndarray:
        """Return the codes of one variable in the rows in which it was not intervened on."""
        column: np.ndarray = self.codes[self.untouched[:, place], place]
        return column


def _sampled(n_rows: int, n_variables: int) -> np.ndarray | slice:
    """Return the rows to look at."""
    most = max(FEWEST_SAMPLED, MOST_CELLS // n_variables)
    if n_rows <= most:
        return slice(None)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def _untouched(intervened: np.ndarray | None, rows: np.ndarray | slice, shape: tuple[int, ...]) -> np.ndarray:
    return np.ones(shape, dtype=bool) if intervened is None else ~intervened[rows]


def _n_different(own: np.ndarray) -> int:
    """Return the number of different values; the first rows are enough for most columns."""
    first = np.unique(own[: 10 * FEW_VALUES]).size
    return int(first if first > FEW_VALUES else np.unique(own).size)
