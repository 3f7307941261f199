"""Rows to judge graphs by: a table brought into the variables, the order and the units of a posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import Matrices
from orderspn.data.categories import Categories
from orderspn.data.dataset import LARGEST_VALUE, Dataset, Units, read_rows_to_judge
from orderspn.data.interventions import of_frozen
from orderspn.metrics.behind import times_set, was_standardized


def read_rows(name: str, table: Any, graphs: Matrices) -> np.ndarray:
    """Values of the variables of graphs, shape (N, d): columns by name if both have names, else by position.

    Other than data to learn from, a single row will do, and columns may be constant.
    """
    if isinstance(table, Categories):
        raise InvalidType(f"{name} must hold numbers; got Categories. Pass the table they were read from.")
    if isinstance(table, Dataset):
        values = _chosen(name, dict(zip(table.variables, table.values.T, strict=True)), graphs)
    elif isinstance(table, (np.ndarray, list, tuple)):
        values = _from_array(name, table)
    else:
        values = _chosen(name, _columns(name, table), graphs)
    check_columns(name, values.shape[1], graphs)
    if not len(values):
        raise InvalidValue(f"{name} must have at least one row; got none.")
    if not (np.abs(values) <= LARGEST_VALUE).all():  # NaN among them
        raise InvalidValue(
            f"{name} must hold finite numbers up to {LARGEST_VALUE:g}; got missing, infinite or larger ones. Drop "
            "those rows."
        )
    return np.ascontiguousarray(values, dtype=np.float64)


def with_interventions(name: str, table: Any, graphs: Matrices, interventions: Any, targets: Any) -> Any:
    """Rows together with what was set in them, where that is said apart from them."""
    if interventions is None and targets is None:
        return table
    if isinstance(table, Dataset):
        return replace(table, intervened=of_frozen(table, interventions, targets))
    if isinstance(table, (np.ndarray, list, tuple)):
        check_columns(name, as_array(name, table).shape[1], graphs)
    return read_rows_to_judge(table, graphs.variables, interventions, targets)


def read_intervened(table: Any, graphs: Matrices) -> np.ndarray | None:
    """Which variables were set from outside in which rows of such a table, shape (N, d); None where nobody said so."""
    if not isinstance(table, Dataset) or table.intervened is None:
        return None
    mask = _chosen("rows", dict(zip(table.variables, table.intervened.T, strict=True)), graphs)
    return np.ascontiguousarray(mask) if mask.any() else None


def read_train(graphs: Any, train: Any, variables: Matrices) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows that a posterior was learned from (N, d), and what was set in them, which it knows."""
    values, was_set = read_rows("train", train, variables), read_intervened(train, variables)
    check_interventions(graphs, was_set)
    return values, was_set


def check_interventions(graphs: Any, train: np.ndarray | None) -> None:
    """Refuse data without the interventions that the posterior was learned with, or with others."""
    if not hasattr(graphs, "settings"):
        return
    learned_with = graphs.settings.get("interventions") or 0
    got = 0 if train is None else int(train.any(axis=1).sum())
    if got != learned_with:
        raise _other_interventions(f"{learned_with} of which under interventions", got)
    times = times_set(graphs)
    if times is None or train is None:
        return
    differ = np.flatnonzero(times != train.sum(axis=0))
    if differ.size:
        name = graphs.variables[differ[0]]
        raise _other_interventions(
            f"in {times[differ[0]]} of which {name!r} was set from outside", int(train[:, differ[0]].sum())
        )


def _other_interventions(expected: str, got: int) -> InvalidValue:
    return InvalidValue(
        f"train must be the rows that the posterior was learned from, {expected}; got {got} such rows. Pass "
        "train=osp.read_table(data, interventions=...), or osp.read_categories, with those that learn was given."
    )


def check_standardized(graphs: Any, train: Any, name: str, rows: Any) -> None:
    """Refuse rows in units of their own, which `read_table(..., standardize=True)` gives them."""
    own = [label for label, table in (("train", train), (name, rows)) if _has_own_units(table)]
    knows = hasattr(graphs, "settings")
    if not own or (train is None and not knows):  # sampled graphs take rows in any unit
        return
    same = len(own) == 2 and np.array_equal(train.values, rows.values)
    if same and (was_standardized(graphs) or not knows):
        return
    raise InvalidValue(
        f"{' and '.join(own)} must be in the units of the data as they were; got a Dataset that was standardised by "
        "the means and standard deviations of its own rows. Pass tables without standardize=True: where the posterior "
        "was learned with it, they are brought into its units here."
    )


def _has_own_units(table: Any) -> bool:
    return isinstance(table, Dataset) and table.standardized


def standard_units(graphs: Any, train: np.ndarray, intervened: np.ndarray | None) -> Units:
    """The units of a posterior that was learned from `train` standardised.

    It does not keep means and deviations, so they are taken again; rows that are in its units already stay as they are
    if `train` is in them too.
    """
    learned_from = graphs.settings["rows"]
    if len(train) != learned_from:
        raise InvalidValue(
            f"train must be the rows that the posterior was learned from, whose means and standard deviations are its "
            f"units (standardize=True); got {len(train)} rows instead of {learned_from}."
        )
    units = Units.of(train, intervened)
    if not units.deviation.all():
        raise InvalidValue("train must be the rows that the posterior was learned from; got a constant column.")
    return units


def check_columns(name: str, got: int, graphs: Matrices) -> None:
    """Refuse columns that cannot be matched by position."""
    if got != graphs.n_variables:
        raise InvalidValue(
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
