"""Rows in which variables were set from outside: however people say it, a table of truth values comes out.

A variable that was set says nothing about its causes in that row, so its local score leaves the row out (Cooper and
Yoo 1999). All other variables are scored by the row as usual, also as effects of the one that was set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Protocol

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.data.columns import Columns, read_columns
from orderspn.data.kinds import is_missing, listed

SEVERAL = (list, tuple, set, frozenset)
"""Types of an entry that names several variables."""


class Frozen(Protocol):
    """A table that has been read already."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def intervened(self) -> np.ndarray | None:
        """Which variables were set in which rows."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""


def read_with_interventions(
    data: Any, variables: Sequence[str] | None, interventions: Any, targets: Any
) -> tuple[Columns, np.ndarray | None]:
    """Columns of the variables, and which of them were set in which rows, shape (N, d); None if none ever was.

    `interventions` is the name of a column, which is then no variable, or what `read_interventions` takes.
    """
    if isinstance(interventions, str):
        columns, entries = _column_apart(data, variables, interventions)
    else:
        columns, entries = read_columns(data, variables), interventions
    n_rows = len(next(iter(columns.values()))) if columns else 0
    return columns, read_interventions(entries, targets, tuple(columns), n_rows)


def of_frozen(table: Frozen, interventions: Any, targets: Any) -> np.ndarray | None:
    """The same of a table that was read before: what it has already, or what is said now."""
    if interventions is None and targets is None:
        return table.intervened
    if table.intervened is not None:
        raise InvalidValue("interventions cannot be given together with a table that has them already. Leave them out.")
    if isinstance(interventions, str):
        raise _no_column(table, interventions)
    return read_interventions(interventions, targets, table.variables, table.n_rows)


def read_interventions(given: Any, targets: Any, variables: Sequence[str], n_rows: int) -> np.ndarray | None:
    """Which variables were set in which rows, shape (N, d), not writeable; None if none ever was.

    Parameters
    ----------
    given : sequence, array or DataFrame
        One entry per row (a name, several names, or nothing), or a table of truth values.
    targets : mapping, optional
        Entries are then labels of conditions, and this says which variables each of them sets.
    variables : sequence of str
    n_rows : int

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
                "targets say what the labels of interventions stand for, but interventions were not given. Pass the "
                "column or the sequence that holds the label of each row as interventions=, or leave targets out."
            )
        return None
    is_table = _is_frame(given) or (isinstance(given, np.ndarray) and given.ndim != 1)
    if is_table and targets is not None:
        raise InvalidValue(
            "targets belong to interventions that are labels; a table of truth values says itself which variables "
            "were set. Leave one of them out."
        )
    if _is_frame(given):
        mask = _from_frame(given, variables, n_rows)
    elif is_table:
        mask = _from_array(given, variables, n_rows)
    else:
        mask = _from_entries(_listed_entries(given), targets, variables, n_rows)
    if not mask.any():
        return None
    mask.setflags(write=False)
    return mask


def _column_apart(data: Any, variables: Sequence[str] | None, name: str) -> tuple[Columns, Any]:
    """The variables, and the column that says what was set."""
    if not _is_frame(data):
        raise _no_column(data, name)
    if variables is None:
        columns = read_columns(data, None)
        if name not in columns:
            raise unknown_name(name, list(columns), "column")
        return columns, columns.pop(name)
    columns = read_columns(data, variables)
    if name in columns:
        raise InvalidValue(
            f"column {name!r} says which variables were set (interventions={name!r}), so that it cannot be one of "
            "variables as well. Leave it out of them."
        )
    return columns, read_columns(data, [name])[name]


def _no_column(data: Any, name: str) -> InvalidValue:
    return InvalidValue(
        f"interventions={name!r} names a column of a DataFrame, but data is of type {type(data).__name__}. Pass a "
        "DataFrame, or as interventions a sequence with one entry per row."
    )


def _is_frame(table: Any) -> bool:
    import narwhals as nw

    return bool(nw.dependencies.is_into_dataframe(table))


# --- tables of truth values


def _from_array(given: np.ndarray, variables: Sequence[str], n_rows: int) -> np.ndarray:
    expected = (n_rows, len(variables))
    if given.shape != expected:
        raise InvalidValue(
            f"interventions must have one entry per row, or be truth values of shape (rows, variables) = {expected}; "
            f"got an array of shape {given.shape}."
        )
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise InvalidValue("interventions have masked (missing) truth values. Fill them in first.")
    if given.dtype.kind != "b":
        raise InvalidType(
            f"interventions of shape (rows, variables) must hold truth values; got dtype {given.dtype}. If 1 stands "
            "for a variable that was set, convert them with interventions.astype(bool)."
        )
    return np.array(given, dtype=bool, order="C")


def _from_frame(given: Any, variables: Sequence[str], n_rows: int) -> np.ndarray:
    columns = read_columns(given, None)
    mask = np.zeros((n_rows, len(variables)), dtype=bool)
    place = {name: i for i, name in enumerate(variables)}
    for name, series in columns.items():
        if name not in place:
            raise InvalidValue(
                f"the columns of a table of interventions must be named by variables: {unknown_name(name, variables)}"
            )
        if len(series) != n_rows:
            raise InvalidValue(f"interventions must have one row for each of the {n_rows} of data; got {len(series)}.")
        mask[:, place[name]] = _truth_values(name, series)
    return mask


def _truth_values(name: str, series: Any) -> np.ndarray:
    import narwhals as nw

    if not isinstance(series.dtype, nw.Boolean):
        raise InvalidType(
            f"column {name!r} of interventions must hold truth values; got dtype {series.dtype}. If 1 stands for a "
            "variable that was set, convert the table with .astype(bool) (pandas) or .cast(pl.Boolean) (polars). For "
            "names or labels, pass the column itself."
        )
    missing = int(series.null_count())
    if missing:
        raise InvalidValue(
            f"column {name!r} of interventions has {missing} missing truth value(s). Fill them in first."
        )
    values: np.ndarray = series.to_numpy().astype(bool)
    return values


# --- one entry per row


def _listed_entries(given: Any) -> list[Any]:
    if isinstance(given, (Mapping, Set, bytes)) or not isinstance(given, Iterable):
        raise InvalidType(
            "interventions must be the name of a column, a sequence with one entry per row, or a table of truth values "
            f"(rows, variables); got {type(given).__name__}."
        )
    for method in ("to_list", "tolist"):  # of a series, or of an array: values of Python's own types
        if hasattr(given, method):
            return list(getattr(given, method)())
    return list(given)


def _from_entries(entries: list[Any], targets: Any, variables: Sequence[str], n_rows: int) -> np.ndarray:
    if len(entries) != n_rows:
        raise InvalidValue(f"interventions must have one entry for each of the {n_rows} rows; got {len(entries)}.")
    mask = np.zeros((n_rows, len(variables)), dtype=bool)
    rows = _places_by_name(entries, variables) if targets is None else _places_by_label(entries, targets, variables)
    for row, places in enumerate(rows):
        mask[row, places] = True
    return mask


def _places_by_name(entries: list[Any], variables: Sequence[str]) -> Iterator[list[int]]:
    place = {name: i for i, name in enumerate(variables)}
    for row, entry in enumerate(entries):
        names = [_checked_name(name, row) for name in _members(entry)]
        for name in names:
            if name not in place:
                raise InvalidValue(
                    f"row {row} of interventions (counted from 0): {unknown_name(name, variables)} If entries are "
                    "labels of conditions, pass targets= to say which variables each of them sets."
                )
        yield [place[name] for name in names]


def _places_by_label(entries: list[Any], targets: Any, variables: Sequence[str]) -> Iterator[list[int]]:
    places = _read_targets(targets, variables)
    rows = [_labels(entry, places) for entry in entries]
    unknown = {str(label): label for labels in rows for label in labels if _known(label, places) is None}
    if unknown:
        raise InvalidValue(
            f"targets must say of every label in interventions which variables it sets; got nothing about "
            f"{listed(list(unknown))}. An empty list means an observational condition."
        )
    for labels in rows:
        yield [i for label in labels for i in _known(label, places) or []]


def _read_targets(targets: Any, variables: Sequence[str]) -> dict[Any, list[int]]:
    """Label -> places of the variables that it sets."""
    if not isinstance(targets, Mapping):
        raise InvalidType(f"targets must be a mapping of labels to names of variables; got {type(targets).__name__}.")
    places: dict[Any, list[int]] = {}
    for label, names in targets.items():
        places[label] = []
        for name in _members(names):
            if str(name) not in variables:
                raise InvalidValue(f"targets of {label!r}: {unknown_name(str(name), variables)}")
            places[label].append(list(variables).index(str(name)))
    return places


def _members(entry: Any) -> list[Any]:
    """The names of an entry: none, one or several."""
    if isinstance(entry, SEVERAL):
        return [name for name in entry if not _is_nothing(name)]
    return [] if _is_nothing(entry) else [entry]


def _labels(entry: Any, places: Mapping[Any, list[int]]) -> list[Any]:
    """The labels of an entry; what is missing may be a label too, and so may a tuple."""
    if not isinstance(entry, (list, set)) and _known(entry, places) is not None:
        return [entry]
    return _members(entry)


def _known(label: Any, places: Mapping[Any, list[int]]) -> list[int] | None:
    """What a label sets; numbers are also known by what they read like."""
    try:
        own = places.get(label)
    except TypeError:
        raise InvalidType(f"labels of conditions must be text or numbers; got {label!r}.") from None
    return places.get(_text(label)) if own is None else own


def _is_nothing(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def _checked_name(value: Any, row: int) -> str:
    if isinstance(value, (bool, np.bool_)):
        raise InvalidType(
            f"an entry of interventions must be the name of a variable, or several names; got {value} in row {row}. A "
            "table of truth values must be a NumPy array of shape (rows, variables), or a DataFrame."
        )
    return _text(value)


def _text(value: Any) -> str:
    """As a table names its columns; whole numbers beside missing ones have become fractions."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
