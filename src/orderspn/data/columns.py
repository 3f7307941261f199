"""Any table as named columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import check_name_sequence

Columns = dict[str, Any]
"""Name -> a one-dimensional NumPy array, or a series of narwhals."""


def read_columns(data: Any, variables: Sequence[str] | None) -> Columns:
    """Return the columns of an array or a DataFrame by name: all of them, or `variables` in that order."""
    if isinstance(data, np.ndarray) or (isinstance(data, (list, tuple)) and data and not isinstance(data[0], Mapping)):
        columns = _from_array(data, variables)
    else:
        columns = _from_frame(data, variables)
    return {name: _numbers_of_objects(column) for name, column in columns.items()}


def _numbers_of_objects(column: Any) -> Any:
    """Return a column of objects that are all numbers, or missing, as an array of numbers; others as they are."""
    if not _holds_objects(column):
        return column
    values = listed(column)
    known = [value for value in values if not is_missing(value)]
    if not known or not all(isinstance(value, (int, float, np.number)) and _is_real(value) for value in known):
        return column
    if len(known) == len(values) and all(isinstance(value, (int, np.integer)) for value in known):
        return np.array(values)
    return np.array([np.nan if is_missing(value) else float(value) for value in values])


def _is_real(value: Any) -> bool:
    return not isinstance(value, (bool, np.complexfloating))


def _holds_objects(column: Any) -> bool:
    if is_array(column):
        return bool(column.dtype.kind == "O")
    import narwhals as nw

    return isinstance(column.dtype, nw.Object)


def is_array(column: Any) -> bool:
    """Whether a column is a NumPy array rather than a series."""
    return isinstance(column, np.ndarray)


def listed(column: Any) -> list[Any]:
    """Return the values of a column as a list."""
    values: list[Any] = column.tolist() if is_array(column) else column.to_list()
    return values


def is_frame(table: Any) -> bool:
    """Whether a table is a DataFrame of any kind that narwhals reads."""
    import narwhals as nw

    return bool(nw.dependencies.is_into_dataframe(table))


def _from_array(data: Any, variables: Sequence[str] | None) -> Columns:
    values = _as_array(data)
    if variables is None:
        variables = [f"X{i + 1}" for i in range(values.shape[1])]
    names = checked_names(variables)
    if len(names) != values.shape[1]:
        raise InvalidValue(
            f"variables must name each of the {values.shape[1]} columns of data; got {len(names)} names."
        )
    return dict(zip(names, values.T, strict=True))


def _as_array(data: Any) -> np.ndarray:
    try:
        values = np.asarray(data)
    except ValueError as problem:
        raise InvalidValue(f"data must be a table whose rows have equal lengths ({problem}).") from None
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise InvalidValue("data has masked (missing) values. Drop those rows or fill them in first.")
    if values.ndim != 2:
        raise InvalidValue(
            f"data must be a table with two dimensions (rows, variables); got an array of shape {values.shape}."
        )
    if values.dtype.kind == "U" and not isinstance(data, np.ndarray):
        values = np.array(data, dtype=object)  # otherwise NumPy converts numbers beside text to text
    return values


def _from_frame(data: Any, variables: Sequence[str] | None) -> Columns:
    import narwhals as nw
    import pandas as pd

    if isinstance(data, pd.DataFrame):  # the only kind of table that allows equal names
        _check_unique([str(name) for name in data.columns])
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise InvalidType(
            "data must be a pandas or polars DataFrame (or another table that narwhals reads), a two-dimensional "
            f"array, or the path of a file; got {_what_it_is(data)}"
        ) from None
    columns = {str(name): series for name, series in zip(frame.columns, frame.iter_columns(), strict=True)}
    wanted = checked_names(columns if variables is None else variables)
    for name in wanted:
        if name not in columns:
            raise unknown_name(name, list(columns), "column")
    return {name: columns[name] for name in wanted}


def _what_it_is(data: Any) -> str:
    """Return what was got instead of a table, and what to do."""
    if data is None:
        return "None. Pass the table to learn from."
    if isinstance(data, Mapping):
        return f"a {type(data).__name__}. Pass pandas.DataFrame(data) if it maps names to columns."
    if isinstance(data, (list, tuple)):
        return "a list of records. Pass pandas.DataFrame(data)." if data else "an empty list."
    if type(data).__name__ == "Series":
        return "a Series, which is one column. Pass a DataFrame with all variables, such as pandas.DataFrame(...)."
    if type(data).__name__ == "LazyFrame":
        return "LazyFrame. It must be collected first: data.collect()."
    return f"{type(data).__name__}. Try pandas.DataFrame(data)."


def check_shape(n_variables: int, n_rows: int) -> None:
    """Raise an error for a table with fewer than 2 variables or rows."""
    if n_variables < 2:
        raise InvalidValue(f"data must have at least 2 variables; got {n_variables}.")
    if n_rows < 2:
        raise InvalidValue(f"data must have at least 2 rows; got {n_rows}.")


def constant_column(name: str, value: str) -> InvalidValue:
    """Build the error for a constant column."""
    return InvalidValue(f"column {name!r} is constant (always {value}): it carries no information. Drop it.")


def checked_names(names: Iterable[Any]) -> tuple[str, ...]:
    """Return names of variables as text; empty and equal names are errors."""
    check_name_sequence("variables", names)
    checked = tuple(str(name) for name in names)
    if any(not name.strip() for name in checked):
        raise InvalidValue("every variable needs a name; got an empty one. Rename that column.")
    _check_unique(checked)
    return checked


def _check_unique(names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(repr(name) for name in twice)
        raise InvalidValue(f"every variable needs its own name; got {shown} more than once. Rename one of them.")


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, NaN, or the NA of pandas."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"
