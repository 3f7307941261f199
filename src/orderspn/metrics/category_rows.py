"""Rows of categories to judge graphs by: a table brought into the variables, order and levels of a posterior."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.matrices import Matrices
from orderspn.data.categories import Categories, categories_of, category_values
from orderspn.data.columns import Columns
from orderspn.data.dataset import Dataset
from orderspn.data.interventions import read_with_interventions
from orderspn.data.kinds import listed
from orderspn.metrics.rows import as_array, as_frame, wrong_number_of_columns
from orderspn.scores.bdeu import FittedBDeu
from orderspn.scores.protocol import Score

Levels = tuple[tuple[str, ...], ...]


def reads_categories(score: str | Score) -> bool:
    """Whether rows are categories for a score, and not numbers."""
    return score == "bdeu" or getattr(score, "reads", "numbers") == "categories"


def levels_behind(graphs: Any) -> Levels | None:
    """The levels that a posterior of categories was learned with; None of anything else."""
    local = getattr(getattr(graphs, "_model", None), "score", None)
    fitted = getattr(local, "likelihood", None)
    return fitted.levels if isinstance(fitted, FittedBDeu) else None


def read_category_rows(name: str, table: Any, graphs: Matrices, levels: Levels | None) -> Categories:
    """Categories of the variables of graphs: columns by name if both have names, else by position.

    Given levels, a single row will do, and columns may be constant. Without, the levels are those that
    `read_categories` finds, and a table must vary as data to learn from do.
    """
    columns = _columns(name, table, graphs)
    if not len(next(iter(columns.values()))):
        raise InvalidValue(f"{name} must have at least one row; got none.")
    intervened = _intervened(table, columns)
    if levels is None and isinstance(table, Categories):
        levels = tuple(table.levels[table.variables.index(variable)] for variable in columns)
    if levels is None:
        return categories_of(columns, intervened)
    codes = [
        _codes(name, variable, column, own) for (variable, column), own in zip(columns.items(), levels, strict=True)
    ]
    return Categories(tuple(columns), np.ascontiguousarray(np.column_stack(codes), np.uint16), levels, intervened)


def read_categories_to_judge(table: Any, posterior: Any, interventions: str, targets: Any) -> Categories:
    """Rows of a DataFrame that has a column which says what was set, for a posterior of categories."""
    variables = posterior.variables
    _, intervened = read_with_interventions(table, variables, interventions, targets)
    shape = Matrices(np.zeros((len(variables), len(variables))), tuple(variables))
    return replace(read_category_rows("X", table, shape, levels_behind(posterior)), intervened=intervened)


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
        if len(columns) != graphs.n_variables:
            raise wrong_number_of_columns(name, len(columns), graphs)
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
    if values.shape[1] != graphs.n_variables:
        raise wrong_number_of_columns(name, values.shape[1], graphs)
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
