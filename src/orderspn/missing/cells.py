"""Where the cells of a table are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.data.columns import Columns, is_array, is_missing, listed
from orderspn.data.kinds import INTEGER, REAL, kind_of


@dataclass(frozen=True, eq=False)
class Cells:
    """Which cells of named columns are missing."""

    columns: tuple[str, ...]
    missing: np.ndarray  # (N, columns), bool

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return int(self.missing.sum())

    @property
    def by_column(self) -> dict[str, int]:
        """Number of missing cells of each column that has some."""
        counts = self.missing.sum(axis=0).tolist()
        return {name: count for name, count in zip(self.columns, counts, strict=True) if count}

    @property
    def n_patterns(self) -> int:
        """Number of different sets of columns that are missing together in a row; complete rows are no pattern."""
        incomplete = self.missing[self.missing.any(axis=1)]
        return len(np.unique(np.packbits(incomplete, axis=1), axis=0))

    @property
    def n_complete_rows(self) -> int:
        """Number of rows without missing cells."""
        return int((~self.missing.any(axis=1)).sum())


def cells_of(columns: Columns) -> Cells:
    """Return which cells of columns are missing: None, NaN, or the NA of pandas."""
    return Cells(tuple(columns), np.column_stack([missing_in(column) for column in columns.values()]))


def missing_in(column: Any) -> np.ndarray:
    """Return where a column has missing values, (N,)."""
    if is_array(column) and column.dtype.kind == "f":
        nan: np.ndarray = np.isnan(column)
        return nan
    if is_array(column) and column.dtype.kind in "iub":
        return np.zeros(len(column), dtype=bool)
    if not is_array(column) and kind_of(column) in (REAL, INTEGER):
        null: np.ndarray = np.asarray(column.is_null().to_numpy(), dtype=bool)
        own = np.asarray(column.to_numpy())
        return null | np.isnan(own) if own.dtype.kind == "f" else null
    return np.array([is_missing(value) for value in listed(column)], dtype=bool)
