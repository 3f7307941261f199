"""Rows of categories to judge graphs by: a table brought into the variables, order and levels of a posterior."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import Matrices
from orderspn.data.categories import Categories, categories_of, category_values, read_categories
from orderspn.data.columns import Columns, listed
from orderspn.data.dataset import Dataset
from orderspn.data.interventions import read_with_interventions
from orderspn.metrics.rows import as_array, as_frame, check_columns
from orderspn.scores.protocol import Score

Levels = tuple[tuple[str, ...], ...]


def reads_categories(score: str | Score) -> bool:
    """Whether rows are categories for a score, and not numbers."""
    return score == "bdeu" or getattr(score, "reads", "numbers") == "categories"


def read_category_rows(
    name: str, table: Any, graphs: Matrices, levels: Levels | None, interventions: Any = None, targets: Any = None
) -> Categories:
    """Categories of the variables of graphs: columns by name if both have names, else by position.

    Given levels, a single row will do, and columns may be constant. Without, the levels are those that
    `read_categories` finds, and a table must vary as data to learn from do. What was set in the rows is what the table
    says itself, or `interventions` and `targets`.
    """
    columns, intervened = _read(name, table, graphs, interventions, targets)
    if not len(next(iter(columns.values()))):
        raise InvalidValue(f"{name} must have at least one row; got none.")
    if levels is None and isinstance(table, Categories):
        levels = tuple(table.levels[table.variables.index(variable)] for variable in columns)
    if levels is None:
        return categories_of(columns, intervened)
    codes = [
        _codes(name, variable, column, own) for (variable, column), own in zip(columns.items(), levels, strict=True)
    ]
    return Categories(tuple(columns), np.ascontiguousarray(np.column_stack(codes), np.uint16), levels, intervened)


def _read(
    name: str, table: Any, graphs: Matrices, interventions: Any, targets: Any
) -> tuple[Columns, np.ndarray | None]:
    """Columns of the graphs' variables, and which of them were set in which rows."""
    if isinstance(table, Categories):
        table = read_categories(table, interventions=interventions, targets=targets)
    elif interventions is not None or targets is not None:
        if isinstance(table, (np.ndarray, list, tuple, Dataset)):
            _columns(name, table, graphs)  # refuses what has no such columns, by its name
        columns, intervened = read_with_interventions(table, graphs.variables, interventions, targets)
        check_columns(name, len(columns), graphs)
        return columns, intervened
    columns = _columns(name, table, graphs)
    return columns, _intervened(table, columns)


def _columns(name: str, table: Any, graphs: Matrices) -> Columns:
    """Columns in the order of the graphs' variables; others are left out."""
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
        values = np.array(table, dtype=object)  # NumPy would have made text of numbers that stand beside text
    check_columns(name, values.shape[1], graphs)
    names = graphs.variables or tuple(f"X{v + 1}" for v in range(graphs.n_variables))
    return dict(zip(names, values.T, strict=True))


def _intervened(table: Any, columns: Columns) -> np.ndarray | None:
    """Which of the variables were set from outside in which rows, where the table says so."""
    if not isinstance(table, Categories) or table.intervened is None:
        return None
    mask = table.intervened[:, [table.variables.index(variable) for variable in columns]]
    return np.ascontiguousarray(mask) if mask.any() else None


def _codes(name: str, variable: str, column: Any, levels: tuple[str, ...]) -> np.ndarray:
    """Places among the levels that the variable has."""
    texts = list(map(str, category_values(variable, column)))
    place = {level: code for code, level in enumerate(levels)}
    unknown = sorted(set(texts) - place.keys())
    if unknown:
        raise InvalidValue(
            f"{name} has {listed(unknown)} in the column {variable!r}, whose levels are {listed(levels)}. Drop those "
            "rows, or learn from a table that declares every level: an ordered pandas.CategoricalDtype, or a "
            "polars.Enum."
        )
    return np.array([place[text] for text in texts])
