"""The cells of a table of any kind as one array, and a table with other cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset
from orderspn.data.mixed import MixedTable, Table


def columns_in(table: Table) -> list[str]:
    """Return the names of the columns of a table, in the order of its cells."""
    if isinstance(table, MixedTable):
        return [name for part in table.parts for name in part.columns]
    return list(table.variables)


def owners(table: Table) -> np.ndarray:
    """Return the variable that each column belongs to, (columns,)."""
    sizes = [len(part.columns) for part in table.parts] if isinstance(table, MixedTable) else [1] * table.n_variables
    return np.repeat(np.arange(table.n_variables), sizes)


def cells_in(table: Table) -> np.ndarray:
    """Return all cells, (N, columns): numbers in the units of the table, and codes of levels."""
    if isinstance(table, MixedTable):
        return np.concatenate([part.values for part in table.parts], axis=1)
    return np.asarray(table.codes if isinstance(table, Categories) else table.values, dtype=np.float64)


def with_cells(table: Table, cells: np.ndarray) -> Table:
    """Return the table with other cells."""
    if isinstance(table, Categories):
        return replace(table, codes=cells.astype(np.uint16))
    if isinstance(table, Dataset):
        return replace(table, values=np.ascontiguousarray(cells))
    ends = np.cumsum([len(part.columns) for part in table.parts])[:-1]
    pieces = np.split(cells, ends, axis=1)
    return replace(
        table,
        parts=tuple(
            replace(part, values=np.ascontiguousarray(own)) for part, own in zip(table.parts, pieces, strict=True)
        ),
    )


def refilled(table: Table, missing: np.ndarray, rng: np.random.Generator) -> Table:
    """Return the table with every missing cell (N, columns) drawn from the known cells of its column."""
    cells = cells_in(table).copy()
    for column in np.flatnonzero(missing.any(axis=0)).tolist():
        gaps = missing[:, column]
        cells[gaps, column] = rng.choice(cells[~gaps, column], int(gaps.sum()))
    return with_cells(table, cells)
