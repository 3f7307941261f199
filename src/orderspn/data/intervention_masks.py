"""Interventions as a table of truth values: which variables were set in which rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.data.columns import read_columns
from orderspn.data.kinds import is_missing

TRUTH = (bool, np.bool_)
"""Types of a truth value; tables that had missing ones hold them as objects."""


def mask_from_array(given: np.ndarray, variables: Sequence[str], n_rows: int) -> np.ndarray:
    """An array (N, d) in the order of the variables, checked."""
    expected = (n_rows, len(variables))
    if given.shape != expected:
        raise InvalidValue(
            f"interventions must have one entry per row, or be truth values of shape (rows, variables) = {expected}; "
            f"got an array of shape {given.shape}."
        )
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise InvalidValue("interventions have masked (missing) truth values. Fill them in first.")
    if given.dtype.kind == "O" and all(isinstance(value, TRUTH) for value in given.flat):
        return np.array(given.tolist(), dtype=bool).reshape(expected)
    if given.dtype.kind != "b":
        raise InvalidType(
            f"interventions of shape (rows, variables) must hold truth values; got dtype {given.dtype}. If 1 stands "
            "for a variable that was set, convert them with interventions.astype(bool)."
        )
    return np.array(given, dtype=bool, order="C")


def mask_from_frame(given: Any, variables: Sequence[str], n_rows: int, others: Sequence[str] = ()) -> np.ndarray:
    """A DataFrame whose columns are named by variables; those without a column were never set.

    Columns named by `others`, which are in the data and not among the variables, say nothing about these.
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
            mask[:, place[name]] = _truth_values(name, series)
    return mask


def _truth_values(name: str, series: Any) -> np.ndarray:
    if not _holds_truth(series):
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


def _holds_truth(series: Any) -> bool:
    import narwhals as nw

    if isinstance(series.dtype, nw.Object):  # of pandas, where some were missing at some time
        return all(isinstance(value, TRUTH) or is_missing(value) for value in series.to_list())
    return isinstance(series.dtype, nw.Boolean)
