"""The linear model of columns behind a score, and how the values of variables become columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from orderspn.core.matrix_root import root_of
from orderspn.data.units import Units
from orderspn.scores.basis import Basis, starts_of


class WeightsOfColumns(Protocol):
    """A fitted score over columns."""

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return location (p,), scale (p, p) and degrees of freedom of the t distribution of the parents' weights."""


@dataclass(frozen=True, eq=False)
class ColumnModel:
    """A linear model of columns, and how the values of variables become columns."""

    columns: WeightsOfColumns
    bases: Sequence[Basis]
    levels: Sequence[tuple[str, ...]]  # of each variable; empty for numbers
    several: Sequence[bool]  # whether a variable is a group of measured columns
    families: dict[tuple[int, tuple[int, ...]], list[Regression]] = field(default_factory=dict)

    def columns_of(self, variable: int) -> range:
        """Return the columns of a variable."""
        starts = starts_of([basis.width for basis in self.bases])
        return range(int(starts[variable]), int(starts[variable + 1]))

    def regressions(self, child: int, parents: tuple[int, ...]) -> list[Regression]:
        """Return the regression of each column of a child on those of its parents and its own earlier ones."""
        key = child, parents
        if key not in self.families:
            given = [column for parent in parents for column in self.columns_of(parent)]
            own = list(self.columns_of(child))
            self.families[key] = [
                Regression.of(self.columns, column, np.array([*given, *own[:place]], dtype=np.int64))
                for place, column in enumerate(own)
            ]
        return self.families[key]


@dataclass(frozen=True, eq=False)
class Regression:
    """The t distribution of the coefficients of one column."""

    location: np.ndarray  # (p,)
    root: np.ndarray  # (p, p): the scale matrix is this times its transpose
    freedom: float

    @classmethod
    def of(cls, columns: WeightsOfColumns, column: int, parents: np.ndarray) -> Regression:
        """Return the coefficients of a column on others."""
        location, scale, freedom = columns.weights_given(column, parents)
        return cls(location, root_of(scale), freedom)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw coefficients, shape (p,)."""
        noise = self.root @ rng.normal(size=self.location.size)
        drawn: np.ndarray = self.location + noise * np.sqrt(self.freedom / rng.chisquare(self.freedom))
        return drawn


def basis_of_units(units: Units, v: int) -> Basis:
    """Return the basis of a standardized number."""
    centre = np.ldexp(units.mean[v] + units.rest[v], units.exponent[v])
    scale = np.ldexp(units.deviation[v], units.exponent[v])
    return Basis(1, np.array([centre]), np.array([scale]), np.zeros(1), np.eye(1))
