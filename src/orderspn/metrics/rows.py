"""Rows to judge graphs by: a table brought into the variables, the order and the units of a posterior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import Matrices
from orderspn.data.dataset import LARGEST_VALUE, Dataset


def read_rows(name: str, table: Any, graphs: Matrices) -> np.ndarray:
    """Values of the variables of graphs, shape (N, d): columns by name if both have names, else by position.

    Other than data to learn from, a single row will do, and columns may be constant.
    """
    if isinstance(table, Dataset):
        values = _chosen(name, dict(zip(table.variables, table.values.T, strict=True)), graphs)
    elif isinstance(table, (np.ndarray, list, tuple)):
        values = _from_array(name, table)
    else:
        values = _chosen(name, _columns(name, table), graphs)
    if values.shape[1] != graphs.n_variables:
        raise wrong_number_of_columns(name, values.shape[1], graphs)
    if not len(values):
        raise InvalidValue(f"{name} must have at least one row; got none.")
    if not (np.abs(values) <= LARGEST_VALUE).all():  # NaN among them
        raise InvalidValue(
            f"{name} must hold finite numbers up to {LARGEST_VALUE:g}; got missing, infinite or larger ones. Drop "
            "those rows."
        )
    return np.ascontiguousarray(values, dtype=np.float64)


def read_intervened(table: Any, graphs: Matrices) -> np.ndarray | None:
    """Which variables were set from outside in which rows of such a table, shape (N, d); None where nobody said so."""
    if not isinstance(table, Dataset) or table.intervened is None:
        return None
    mask = _chosen("rows", dict(zip(table.variables, table.intervened.T, strict=True)), graphs)
    return np.ascontiguousarray(mask) if mask.any() else None


def check_interventions(graphs: Any, train: np.ndarray | None) -> None:
    """Refuse data without the interventions that the posterior was learned with, or with others."""
    learned_with = getattr(graphs, "settings", {}).get("interventions") or 0
    got = 0 if train is None else int(train.any(axis=1).sum())
    if hasattr(graphs, "settings") and got != learned_with:
        raise InvalidValue(
            f"train must be the rows that the posterior was learned from, {learned_with} of which under interventions; "
            f"got {got} such rows. Pass train=osp.read_table(data, interventions=...), or osp.read_categories, with "
            "those that learn was given."
        )


def was_standardized(graphs: Any) -> bool:
    """Whether a posterior was learned from columns that were centred and divided by their standard deviations."""
    return bool(getattr(graphs, "settings", {}).get("standardized", False))


def in_standard_units(graphs: Any, train: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows in the units of a posterior that was learned from `train` standardised.

    It does not keep means and deviations, so they are taken again; rows that are in its units already stay as they are
    if `train` is in them too.
    """
    learned_from = graphs.settings["rows"]
    if len(train) != learned_from:
        raise InvalidValue(
            f"train must be the rows that the posterior was learned from, whose means and standard deviations are its "
            f"units (standardize=True); got {len(train)} rows instead of {learned_from}."
        )
    deviations = train.std(axis=0)
    if not deviations.all():
        raise InvalidValue("train must be the rows that the posterior was learned from; got a constant column.")
    return np.ascontiguousarray((rows - train.mean(axis=0)) / deviations)


def wrong_number_of_columns(name: str, got: int, graphs: Matrices) -> InvalidValue:
    """Build the error for columns that cannot be matched by position."""
    return InvalidValue(
        f"{name} must have a column for each of the {graphs.n_variables} variables of graphs; got {got} columns."
    )


def as_array(name: str, table: Any) -> np.ndarray:
    """An array of rows and variables, of whatever values."""
    try:
        values = np.asarray(table)
    except ValueError as problem:
        raise InvalidValue(f"{name} must be a table whose rows have equal lengths ({problem}).") from None
    if values.ndim != 2:
        raise InvalidValue(f"{name} must have two dimensions (rows, variables); got shape {values.shape}.")
    if isinstance(table, np.ma.MaskedArray) and np.ma.is_masked(table):
        raise InvalidValue(f"{name} has masked (missing) values. Drop those rows or fill them in first.")
    return values


def as_frame(name: str, table: Any) -> Any:
    """A table as narwhals reads it."""
    import narwhals as nw

    try:
        return nw.from_native(table, eager_only=True)
    except TypeError:
        raise InvalidType(
            f"{name} must be a pandas or polars DataFrame, another eager table that narwhals reads, or a "
            f"two-dimensional NumPy array; got {type(table).__name__}."
        ) from None


def _from_array(name: str, table: Any) -> np.ndarray:
    values = as_array(name, table)
    if values.dtype.kind not in "iuf":
        raise InvalidType(
            f"{name} must hold numbers; got an array of dtype {values.dtype}. For categories pass score='bdeu'."
        )
    return values


def _columns(name: str, table: Any) -> dict[str, np.ndarray]:
    """Columns of numbers of any table that narwhals reads, by name."""
    import narwhals as nw

    frame = as_frame(name, table)
    return {
        str(column): series.cast(nw.Float64).to_numpy()
        for column, series in zip(frame.columns, frame.iter_columns(), strict=True)
        if series.dtype.is_numeric()
    }


def _chosen(name: str, columns: dict[str, np.ndarray], graphs: Matrices) -> np.ndarray:
    """Columns in the order of the graphs' variables, as a matrix; others are left out."""
    wanted: Sequence[str] = list(columns) if graphs.variables is None else graphs.variables
    for variable in wanted:
        if variable not in columns:
            raise InvalidValue(
                f"{name} must have a column of numbers for every variable of graphs: "
                f"{unknown_name(variable, list(columns), 'column')}"
            )
    return np.column_stack([columns[variable] for variable in wanted])
