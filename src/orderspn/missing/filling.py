"""Fill missing cells with values of the same column, so that the table can be read like a complete one.

A column keeps its kind: integers with missing values, which pandas holds as real numbers, are integers again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.names import quoted
from orderspn.data.columns import Columns, is_array, listed
from orderspn.missing.cells import Cells

if TYPE_CHECKING:
    import pandas as pd


def check_columns(cells: Cells) -> None:
    """Raise an error for columns of which nothing is known."""
    empty = [cells.columns[place] for place in np.flatnonzero(cells.missing.all(axis=0)).tolist()]
    if empty:
        raise InvalidValue(
            f"every value of {quoted(empty)} is missing, so that nothing can be learned about "
            f"{'it' if len(empty) == 1 else 'them'}. Drop such columns."
        )


def check_rows(cells: Cells) -> None:
    """Raise an error for rows of which nothing is known."""
    rows = np.flatnonzero(cells.missing.all(axis=1))
    if rows.size:
        raise InvalidValue(
            f"{rows.size} row(s) have no value at all, such as row {rows[0]} (counted from 0). Drop them: "
            "data.dropna(how='all')."
        )


def filled(columns: Columns, cells: Cells, rng: np.random.Generator, index: Any = None) -> pd.DataFrame:
    """Return the columns with every missing cell drawn from the values of its column."""
    import pandas as pd

    found = {
        name: _filled(column, missing, rng)
        for (name, column), missing in zip(columns.items(), cells.missing.T, strict=True)
    }
    return pd.DataFrame(found, index=index)


def _filled(column: Any, missing: np.ndarray, rng: np.random.Generator) -> Any:
    levels = _declared_levels(column)
    values = np.empty(len(missing), dtype=object)
    values[:] = listed(column)
    known = np.flatnonzero(~missing)
    values[missing] = values[rng.choice(known, int(missing.sum()))]
    if levels is not None:
        import pandas as pd

        return pd.Categorical(values, categories=levels, ordered=True)
    return _typed(values, anywhere=bool(missing.any()))


def _declared_levels(column: Any) -> list[Any] | None:
    if is_array(column):
        return None
    import narwhals as nw

    return list(column.dtype.categories) if isinstance(column.dtype, nw.Enum) else None


def _typed(values: np.ndarray, anywhere: bool) -> np.ndarray:
    """Return complete values as an array of their own type; real numbers that are whole are integers if some missed."""
    kinds = {type(value) for value in values.tolist()}
    if kinds <= {bool, np.bool_}:
        return values.astype(bool)
    if kinds <= {int, np.int64}:
        return values.astype(np.int64)
    if kinds <= {int, float, np.float64, np.int64}:
        numbers = values.astype(np.float64)
        whole = anywhere and np.isfinite(numbers).all() and (numbers == np.round(numbers)).all()
        return numbers.astype(np.int64) if whole and np.abs(numbers).max() < 2**53 else numbers
    return values
