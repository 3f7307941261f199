"""Interventions: which variables were intervened on in which rows, read from any form into one boolean table.

A row in which a variable was intervened on is not informative about the causes of that variable, so its local score
leaves the row out (Cooper and Yoo 1999). The row counts as usual for all other variables, also as effects of that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.data.columns import Columns, is_frame, is_missing, read_columns
from orderspn.data.files import is_path, read_file
from orderspn.data.intervention_entries import listed_entries, mask_from_entries

BOOLEANS = (bool, np.bool_)
"""Types of booleans; a table that had missing values may hold them as objects."""


class Frozen(Protocol):
    """A table that was read before."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def intervened(self) -> np.ndarray | None:
        """Which variables were intervened on in which rows."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""


def read_with_interventions(
    data: Any, variables: Sequence[str] | None, interventions: Any, targets: Any, also: Sequence[str] = ()
) -> tuple[Columns, np.ndarray | None]:
    """Columns of the variables, and which were intervened on in which rows, shape (N, d); None without interventions.

    `interventions` is the name of a column, which is then not a variable, or what `read_interventions` takes. If both
    `data` and `interventions` are pandas objects, rows are matched by index. A path is read as a file. Interventions
    may name `also`, for example groups of columns, which then follow the columns in the mask.
    """
    data = read_file(data) if is_path(data) else data
    columns, entries = columns_and_entries(data, variables, interventions)
    n_rows = len(next(iter(columns.values()))) if columns else 0
    named = (*columns, *(other for other in also if other not in columns))
    return columns, read_interventions(
        entries, targets, named, n_rows, _others(data, columns, column_named(data, interventions))
    )


def columns_and_entries(data: Any, variables: Sequence[str] | None, interventions: Any) -> tuple[Columns, Any]:
    """The columns of the variables, and the interventions: a column of its own, or as given, in the order of rows."""
    name = column_named(data, interventions)
    if name is not None:
        return _column_apart(data, variables, name)
    return read_columns(data, variables), aligned(interventions, data)


def column_named(data: Any, interventions: Any) -> str | None:
    """The name of the column that holds the interventions, if `interventions` names one; else None.

    Names of columns are read as text, so an integer may name a column too.
    """
    if isinstance(interventions, str):
        return interventions
    number = isinstance(interventions, (int, np.integer)) and not isinstance(interventions, bool)
    return str(interventions) if number and is_frame(data) and str(interventions) in _names(data) else None


def _others(data: Any, columns: Columns, name: str | None) -> list[str]:
    """Columns of the data that are not among the variables; interventions may name them too."""
    return [other for other in _names(data) if other not in columns and other != name] if is_frame(data) else []


def _names(frame: Any) -> list[str]:
    import narwhals as nw

    return [str(name) for name in nw.from_native(frame, eager_only=True).columns]


def of_frozen(table: Frozen, interventions: Any, targets: Any) -> np.ndarray | None:
    """The interventions of a table that was read before: its own, or those given now."""
    if interventions is None and targets is None:
        return table.intervened
    if table.intervened is not None:
        raise InvalidValue("interventions cannot be given together with a table that has them already. Leave them out.")
    if isinstance(interventions, str):
        raise _no_column(table, interventions)
    return read_interventions(interventions, targets, table.variables, table.n_rows)


def read_interventions(
    given: Any, targets: Any, variables: Sequence[str], n_rows: int, others: Sequence[str] = ()
) -> np.ndarray | None:
    """Which variables were intervened on in which rows, shape (N, d), not writeable; None without interventions.

    Parameters
    ----------
    given : sequence, array or DataFrame
        One entry per row (a name, several names, or nothing), or a boolean table.
    targets : mapping, optional
        The entries are then labels of conditions, and this maps each label to the variables it intervenes on.
    variables : sequence of str
    n_rows : int
    others : sequence of str, optional
        Columns of the data that are not among the variables. They may be named too, and are ignored.

    Returns
    -------
    numpy.ndarray or None

    Examples
    --------
    >>> from orderspn.data.interventions import read_interventions
    >>> read_interventions(["dose", None, ("dose", "age")], None, ["dose", "age"], 3)
    array([[ True, False],
           [False, False],
           [ True,  True]])
    >>> read_interventions(["control", "knockout"], {"control": [], "knockout": "dose"}, ["dose", "age"], 2)
    array([[False, False],
           [ True, False]])
    """
    if given is None:
        if targets is not None:
            raise InvalidValue(
                "targets give the variables of each label in interventions, but interventions were not given. Pass the "
                "column or the sequence that holds the label of each row as interventions=, or leave targets out."
            )
        return None
    is_table = is_frame(given) or (isinstance(given, np.ndarray) and given.ndim != 1)
    if is_table and targets is not None:
        raise InvalidValue(
            "targets belong to interventions that are labels; a boolean table already shows which variables were "
            "intervened on. Leave one of them out."
        )
    if is_frame(given):
        mask = mask_from_frame(given, variables, n_rows, others)
    elif is_table:
        mask = mask_from_array(given, variables, n_rows)
    else:
        mask = mask_from_entries(listed_entries(given), targets, variables, n_rows, others)
    if not mask.any():
        return None
    mask.setflags(write=False)
    return mask


def _column_apart(data: Any, variables: Sequence[str] | None, name: str) -> tuple[Columns, Any]:
    """The columns of the variables, and the column of interventions."""
    if not is_frame(data):
        raise _no_column(data, name)
    if variables is None:
        columns = read_columns(data, None)
        if name not in columns:
            raise unknown_name(name, list(columns), "column")
        return columns, columns.pop(name)
    columns = read_columns(data, variables)
    if name in columns:
        raise InvalidValue(
            f"column {name!r} holds the interventions (interventions={name!r}), so it cannot be one of the variables. "
            "Leave it out of variables=."
        )
    return columns, read_columns(data, [name])[name]


def _no_column(data: Any, name: str) -> InvalidValue:
    return InvalidValue(
        f"interventions={name!r} names a column of a DataFrame, but data is of type {type(data).__name__}. Pass a "
        "DataFrame, or as interventions a sequence with one entry per row."
    )


def mask_from_array(given: np.ndarray, variables: Sequence[str], n_rows: int) -> np.ndarray:
    """Check a boolean array (N, d) in the order of the variables, and return it."""
    expected = (n_rows, len(variables))
    if given.shape != expected:
        raise InvalidValue(
            f"interventions must have one entry per row, or be booleans of shape (rows, variables) = {expected}; "
            f"got an array of shape {given.shape}."
        )
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise InvalidValue("interventions have masked (missing) values. Fill them in first.")
    if given.dtype.kind == "O" and all(isinstance(value, BOOLEANS) for value in given.flat):
        return np.array(given.tolist(), dtype=bool).reshape(expected)
    if given.dtype.kind != "b":
        raise InvalidType(
            f"interventions of shape (rows, variables) must hold booleans; got dtype {given.dtype}. If 1 means "
            "intervened on, convert them with interventions.astype(bool)."
        )
    return np.array(given, dtype=bool, order="C")


def mask_from_frame(given: Any, variables: Sequence[str], n_rows: int, others: Sequence[str] = ()) -> np.ndarray:
    """Read a boolean DataFrame whose columns are variables; those without a column were never intervened on.

    Columns named in `others`, which are in the data but not among the variables, are ignored.
    """
    columns = read_columns(given, None)
    mask = np.zeros((n_rows, len(variables)), dtype=bool)
    place = {name: i for i, name in enumerate(variables)}
    for name, series in columns.items():
        if name not in place and name not in others:
            raise InvalidValue(
                f"the columns of a table of interventions must be named by variables: {unknown_name(name, variables)}"
            )
        if len(series) != n_rows:
            raise InvalidValue(f"interventions must have one row for each of the {n_rows} of data; got {len(series)}.")
        if name in place:
            mask[:, place[name]] = _booleans(name, series)
    return mask


def _booleans(name: str, series: Any) -> np.ndarray:
    if not _holds_booleans(series):
        raise InvalidType(
            f"column {name!r} of interventions must hold booleans; got dtype {series.dtype}. If 1 means intervened "
            "on, convert the table with .astype(bool) (pandas) or .cast(pl.Boolean) (polars). For names or labels, "
            "pass the column itself."
        )
    missing = int(series.null_count())
    if missing:
        raise InvalidValue(f"column {name!r} of interventions has {missing} missing value(s). Fill them in first.")
    values: np.ndarray = series.to_numpy().astype(bool)
    return values


def _holds_booleans(series: Any) -> bool:
    import narwhals as nw

    if isinstance(series.dtype, nw.Object):  # of pandas, if values are or were missing
        return all(isinstance(value, BOOLEANS) or is_missing(value) for value in series.to_list())
    return isinstance(series.dtype, nw.Boolean)


def aligned(given: Any, data: Any) -> Any:
    """Interventions in the order of the rows of `data` if both have a pandas index; anything else unchanged.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"dose": [1.0, 2.0, 3.0]}, index=["a", "b", "c"])
    >>> aligned(pd.Series(["dose", "", ""], index=["c", "a", "b"]), data).tolist()
    ['', '', 'dose']
    """
    if not (has_index(given) and has_index(data)) or len(given) != len(data):  # lengths are checked by the reader
        return given
    own, wanted = native(given).index, native(data).index
    if own.equals(wanted):
        return given
    if not (own.is_unique and wanted.is_unique):
        raise _unmatched("labels that occur more than once cannot be matched")
    places = own.get_indexer(wanted)
    if (places < 0).any():
        label = wanted[int((places < 0).argmax())]
        raise _unmatched(f"interventions have no row {label!r}")
    return native(given).iloc[places]


def by_position(given: Any) -> Any:
    """The same values without an index."""
    if not has_index(given):
        return given
    own = native(given)
    return own.to_numpy() if own.ndim == 1 else own.reset_index(drop=True)


def has_index(table: Any) -> bool:
    """Whether something is a series or DataFrame of pandas, or of a package that works like pandas."""
    import narwhals as nw

    own = native(table)
    return bool(nw.dependencies.is_pandas_like_series(own) or nw.dependencies.is_pandas_like_dataframe(own))


def native(table: Any) -> Any:
    """The table that narwhals wraps, or the table itself."""
    import narwhals as nw

    return nw.to_native(table, pass_through=True)


def _unmatched(why: str) -> InvalidValue:
    return InvalidValue(
        f"interventions and data are pandas tables with different indices: {why}. Give both the same index, or pass "
        "interventions.to_numpy() to match rows by position."
    )
