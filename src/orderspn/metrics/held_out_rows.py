"""Held-out rows, with the variables, the order and the levels of a posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import Matrices
from orderspn.core.names import quoted
from orderspn.data.categories import Categories, categories_of, category_values, read_categories
from orderspn.data.columns import Columns
from orderspn.data.dataset import LARGEST_VALUE, Dataset, read_evaluation_rows
from orderspn.data.interventions import of_frozen, read_with_interventions
from orderspn.metrics.graph_scoring import intervention_counts
from orderspn.scores.registry import DEFAULT_SCORES

Levels = tuple[tuple[str, ...], ...]


def read_rows(name: str, table: Any, graphs: Matrices) -> np.ndarray:
    """Read the values of the variables of graphs, shape (N, d): columns by name if both have names, else by position.

    Unlike in data to learn from, one row is enough, and columns may be constant.
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
    """Return rows together with their interventions, if these are given separately."""
    if interventions is None and targets is None:
        return table
    if isinstance(table, Dataset):
        return replace(table, intervened=of_frozen(table, interventions, targets))
    if isinstance(table, (np.ndarray, list, tuple)):
        check_columns(name, as_array(name, table).shape[1], graphs)
    return read_evaluation_rows(table, graphs.variables, interventions, targets)


def read_intervened(table: Any, graphs: Matrices) -> np.ndarray | None:
    """Return which variables were intervened on in which rows of such a table, (N, d); None without interventions."""
    if not isinstance(table, Dataset) or table.intervened is None:
        return None
    mask = _chosen("rows", dict(zip(table.variables, table.intervened.T, strict=True)), graphs)
    return np.ascontiguousarray(mask) if mask.any() else None


def check_interventions(graphs: Any, train: np.ndarray | None) -> None:
    """Raise an error if the interventions of training rows are not those that the posterior was learned with."""
    if not hasattr(graphs, "settings"):
        return
    learned_with = graphs.settings.get("interventions") or 0
    got = 0 if train is None else int(train.any(axis=1).sum())
    if got != learned_with:
        raise _other_interventions(f"{learned_with} of which under interventions", got)
    times = intervention_counts(graphs)
    if times is None or train is None:
        return
    differ = np.flatnonzero(times != train.sum(axis=0))
    if differ.size:
        name = graphs.variables[differ[0]]
        raise _other_interventions(
            f"in {times[differ[0]]} of which {name!r} was intervened on", int(train[:, differ[0]].sum())
        )


def _other_interventions(expected: str, got: int) -> InvalidValue:
    return InvalidValue(
        f"train must be the rows that the posterior was learned from, {expected}; got {got} such rows. Pass "
        "train=osp.read_table(data, interventions=...), or osp.read_categories, with the interventions of learn."
    )


def check_columns(name: str, got: int, graphs: Matrices) -> None:
    """Raise an error for columns that cannot be matched by position."""
    if got != graphs.n_variables:
        raise InvalidValue(
            f"{name} must have a column for each of the {graphs.n_variables} variables of graphs; got {got} columns."
        )


def as_array(name: str, table: Any) -> np.ndarray:
    """Return a table as an array (rows, variables) of any type."""
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
    """Return a table as a narwhals DataFrame."""
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
            f"{name} must hold numbers; got an array of dtype {values.dtype}. For categories pass "
            f"score={DEFAULT_SCORES['categories']!r}."
        )
    return values


def _columns(name: str, table: Any) -> dict[str, np.ndarray]:
    """Return the numeric columns of any table that narwhals reads, by name."""
    import narwhals as nw

    frame = as_frame(name, table)
    return {
        str(column): series.cast(nw.Float64).to_numpy()
        for column, series in zip(frame.columns, frame.iter_columns(), strict=True)
        if series.dtype.is_numeric()
    }


def _chosen(name: str, columns: dict[str, np.ndarray], graphs: Matrices) -> np.ndarray:
    """Return the columns in the order of the graphs' variables, as a matrix; other columns are ignored."""
    wanted: Sequence[str] = list(columns) if graphs.variables is None else graphs.variables
    for variable in wanted:
        if variable not in columns:
            raise InvalidValue(
                f"{name} must have a column of numbers for every variable of graphs: "
                f"{unknown_name(variable, list(columns), 'column')}"
            )
    return np.column_stack([columns[variable] for variable in wanted])


def read_category_rows(
    name: str, table: Any, graphs: Matrices, levels: Levels | None, interventions: Any = None, targets: Any = None
) -> Categories:
    """Read the categories of the variables of graphs: columns by name if both have names, else by position.

    If levels are given, one row is enough, and columns may be constant. Otherwise the levels are those that
    `read_categories` finds, and no column may be constant. Interventions are those of the table itself, or those given
    by `interventions` and `targets`.
    """
    columns, intervened = _read_category_columns(name, table, graphs, interventions, targets)
    if not len(next(iter(columns.values()))):
        raise InvalidValue(f"{name} must have at least one row; got none.")
    if levels is None and isinstance(table, Categories):
        levels = tuple(table.levels[table.variables.index(variable)] for variable in columns)
    if levels is None:
        return categories_of(columns, intervened)
    codes = [
        level_codes(name, variable, column, own)
        for (variable, column), own in zip(columns.items(), levels, strict=True)
    ]
    return Categories(tuple(columns), np.ascontiguousarray(np.column_stack(codes), np.uint16), levels, intervened)


def _read_category_columns(
    name: str, table: Any, graphs: Matrices, interventions: Any, targets: Any
) -> tuple[Columns, np.ndarray | None]:
    """Read the columns of the graphs' variables, and which of them were intervened on in which rows."""
    if isinstance(table, Categories):
        table = read_categories(table, interventions=interventions, targets=targets)
    elif interventions is not None or targets is not None:
        if isinstance(table, (np.ndarray, list, tuple, Dataset)):
            _category_columns(name, table, graphs)  # raises with the name of the argument if columns are missing
        columns, intervened = read_with_interventions(table, graphs.variables, interventions, targets)
        check_columns(name, len(columns), graphs)
        return columns, intervened
    columns = _category_columns(name, table, graphs)
    return columns, _category_interventions(table, columns)


def _category_columns(name: str, table: Any, graphs: Matrices) -> Columns:
    """Return the columns in the order of the graphs' variables; other columns are ignored."""
    if isinstance(table, Dataset):
        raise InvalidType(f"{name} must hold categories; got a Dataset of numbers. Pass the table it was read from.")
    if isinstance(table, (np.ndarray, list, tuple)):
        return _columns_of_array(name, table, graphs)
    if isinstance(table, Categories):
        columns: Columns = {
            variable: np.array(own, dtype=object)[codes]
            for variable, own, codes in zip(table.variables, table.levels, table.codes.T, strict=True)
        }
    else:
        frame = as_frame(name, table)
        columns = {str(column): series for column, series in zip(frame.columns, frame.iter_columns(), strict=True)}
    if graphs.variables is None:
        check_columns(name, len(columns), graphs)
        return columns
    for variable in graphs.variables:
        if variable not in columns:
            raise InvalidValue(
                f"{name} must have a column for every variable of graphs: "
                f"{unknown_name(variable, list(columns), 'column')}"
            )
    return {variable: columns[variable] for variable in graphs.variables}


def _columns_of_array(name: str, table: Any, graphs: Matrices) -> Columns:
    values = as_array(name, table)
    if values.dtype.kind == "U" and not isinstance(table, np.ndarray):
        values = np.array(table, dtype=object)  # NumPy would turn numbers beside text into text
    check_columns(name, values.shape[1], graphs)
    names = graphs.variables or tuple(f"X{v + 1}" for v in range(graphs.n_variables))
    return dict(zip(names, values.T, strict=True))


def _category_interventions(table: Any, columns: Columns) -> np.ndarray | None:
    """Return which of the variables were intervened on in which rows, if the table says so."""
    if not isinstance(table, Categories) or table.intervened is None:
        return None
    mask = table.intervened[:, [table.variables.index(variable) for variable in columns]]
    return np.ascontiguousarray(mask) if mask.any() else None


def level_codes(name: str, variable: str, column: Any, levels: tuple[str, ...], coded: bool = False) -> np.ndarray:
    """Return the codes of the values among the known levels of the variable; `coded` if levels may be real numbers."""
    texts = list(map(str, category_values(variable, column, coded)))
    place = {level: code for code, level in enumerate(levels)}
    unknown = sorted(set(texts) - place.keys())
    if unknown:
        raise InvalidValue(
            f"{name} has {quoted(unknown)} in the column {variable!r}, whose levels are {quoted(levels)}. Drop those "
            "rows, or learn from a table that declares every level: an ordered pandas.CategoricalDtype, or a "
            "polars.Enum."
        )
    return np.array([place[text] for text in texts])
