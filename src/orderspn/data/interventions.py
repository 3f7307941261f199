"""Rows in which variables were set from outside: however people say it, a table of truth values comes out.

A variable that was set says nothing about its causes in that row, so its local score leaves the row out (Cooper and
Yoo 1999). All other variables are scored by the row as usual, also as effects of the one that was set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from orderspn.core.errors import InvalidValue, unknown_name
from orderspn.data.alignment import aligned
from orderspn.data.columns import Columns, is_frame, read_columns
from orderspn.data.intervention_entries import listed_entries, mask_from_entries
from orderspn.data.intervention_masks import mask_from_array, mask_from_frame


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

    `interventions` is the name of a column, which is then no variable, or what `read_interventions` takes. A pandas
    series or DataFrame is matched with a DataFrame of pandas by the index of both.
    """
    name = column_named(data, interventions)
    if name is not None:
        columns, entries = _column_apart(data, variables, name)
    else:
        columns, entries = read_columns(data, variables), aligned(interventions, data)
    n_rows = len(next(iter(columns.values()))) if columns else 0
    return columns, read_interventions(entries, targets, tuple(columns), n_rows, _others(data, columns, name))


def column_named(data: Any, interventions: Any) -> str | None:
    """The name of the column that says what was set, if that is what interventions are.

    Names are text everywhere, so that a whole number may name a column too.
    """
    if isinstance(interventions, str):
        return interventions
    number = isinstance(interventions, (int, np.integer)) and not isinstance(interventions, bool)
    return str(interventions) if number and is_frame(data) and str(interventions) in _names(data) else None


def _others(data: Any, columns: Columns, name: str | None) -> list[str]:
    """Columns of the data that are not among the variables, and that may have been set all the same."""
    return [other for other in _names(data) if other not in columns and other != name] if is_frame(data) else []


def _names(frame: Any) -> list[str]:
    import narwhals as nw

    return [str(name) for name in nw.from_native(frame, eager_only=True).columns]


def of_frozen(table: Frozen, interventions: Any, targets: Any) -> np.ndarray | None:
    """The same of a table that was read before: what it has already, or what is said now."""
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
    """Which variables were set in which rows, shape (N, d), not writeable; None if none ever was.

    Parameters
    ----------
    given : sequence, array or DataFrame
        One entry per row (a name, several names, or nothing), or a table of truth values.
    targets : mapping, optional
        Entries are then labels of conditions, and this says which variables each of them sets.
    variables : sequence of str
    n_rows : int
    others : sequence of str, optional
        Columns of the data that are not among the variables: they may be named too, and nothing follows from it.

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
    is_table = is_frame(given) or (isinstance(given, np.ndarray) and given.ndim != 1)
    if is_table and targets is not None:
        raise InvalidValue(
            "targets belong to interventions that are labels; a table of truth values says itself which variables "
            "were set. Leave one of them out."
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
    """The variables, and the column that says what was set."""
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
            f"column {name!r} says which variables were set (interventions={name!r}), so that it cannot be one of "
            "variables as well. Leave it out of them."
        )
    return columns, read_columns(data, [name])[name]


def _no_column(data: Any, name: str) -> InvalidValue:
    return InvalidValue(
        f"interventions={name!r} names a column of a DataFrame, but data is of type {type(data).__name__}. Pass a "
        "DataFrame, or as interventions a sequence with one entry per row."
    )
