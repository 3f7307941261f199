"""Held-out rows of numbers and categories, as the variables that a posterior was learned from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.data.column_groups import of_variables
from orderspn.data.columns import Columns
from orderspn.data.dataset import LARGEST_VALUE, numbers_in
from orderspn.data.interventions import read_with_interventions
from orderspn.data.mixed import MixedTable, MixedVariable
from orderspn.metrics.held_out_rows import level_codes
from orderspn.scores.mixed_variables import GroupVariable


def read_mixed_rows(
    name: str,
    table: Any,
    posterior: Any,
    learned: Sequence[GroupVariable],
    interventions: Any = None,
    targets: Any = None,
) -> MixedTable:
    """Read rows with the variables of a posterior: one row is enough, and columns may be constant."""
    if isinstance(table, MixedTable):
        if (list(table.variables), list(table.kinds.values())) != (posterior.variables, [v.kind for v in learned]):
            raise InvalidType(f"{name} must have the variables of the posterior, of the same kinds; got {table!r}.")
        return table
    members = {own: tuple(v.columns) for own, v in zip(posterior.variables, learned, strict=True)}
    wanted = [column for columns in members.values() for column in columns]
    also = tuple(own for own in members if own not in wanted)
    columns, mask = read_with_interventions(table, wanted, interventions, targets, also)
    parts = tuple(
        _variable(name, own, v, {column: columns[column] for column in v.columns})
        for own, v in zip(posterior.variables, learned, strict=True)
    )
    if not len(parts[0].values):
        raise InvalidValue(f"{name} must have at least one row; got none.")
    return MixedTable(tuple(posterior.variables), parts, of_variables(mask, (*columns, *also), members))


def _variable(name: str, variable: str, learned: GroupVariable, columns: Columns) -> MixedVariable:
    if learned.kind == "category":
        codes = level_codes(name, variable, columns[variable], tuple(learned.levels), coded=True)
        return MixedVariable("category", codes[:, None].astype(np.float64), tuple(columns), tuple(learned.levels))
    values = numbers_in(columns)
    if not (np.abs(values) <= LARGEST_VALUE).all():  # NaN among them
        raise InvalidValue(f"{name} has missing, infinite or too large values of {variable!r}. Drop those rows.")
    return MixedVariable(learned.kind, values, tuple(columns))
