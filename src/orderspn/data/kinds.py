"""The kind of a column, and whether a table is read as numbers or as categories.

Text is a category, and real numbers are numbers. Booleans and integers may be either, so the other columns decide:
beside real numbers they are numbers, and booleans alone or beside text are categories. Integers without real numbers
are categories if all of them have at most `MOST_CODES` different values, and otherwise numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.names import quoted
from orderspn.data.columns import Columns, is_array, is_missing

REAL, INTEGER, BOOLEAN, CATEGORY, OTHER = "real numbers", "integers", "booleans", "categories", "neither"

MOST_CODES = 10
"""Most different values of a column of integers that are taken for codes of categories."""


def kind_of(column: Any) -> str:
    """Return the kind of a column from its type; for an array of objects, from the types of the objects."""
    return _kind_of_array(column) if is_array(column) else _kind_of_series(column)


def _kind_of_array(column: np.ndarray) -> str:
    if column.dtype.kind == "O":
        return CATEGORY if all(isinstance(value, str) or is_missing(value) for value in column) else OTHER
    return {"f": REAL, "i": INTEGER, "u": INTEGER, "b": BOOLEAN, "U": CATEGORY}.get(column.dtype.kind, OTHER)


def _kind_of_series(series: Any) -> str:
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_integer():
        return INTEGER
    if dtype.is_numeric():
        return REAL
    if isinstance(dtype, nw.Boolean):
        return BOOLEAN
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        return CATEGORY
    if isinstance(dtype, nw.Object):  # text or booleans with missing values
        return CATEGORY if all(isinstance(v, (str, bool)) or is_missing(v) for v in series.to_list()) else OTHER
    return OTHER


class Reading(NamedTuple):
    """How a table is read, and a note on it where the types of columns leave a choice."""

    as_categories: bool
    note: str | None = None


def reading_of(columns: Columns) -> Reading:
    """Return whether columns are read as numbers or as categories; text beside real numbers is an error."""
    names: dict[str, list[str]] = {}
    for name, column in columns.items():
        names.setdefault(kind_of(column), []).append(name)
    if OTHER in names:
        raise neither(names[OTHER][0], columns[names[OTHER][0]])
    if CATEGORY in names and REAL in names:
        raise _mixed(names)
    if REAL in names:
        return Reading(as_categories=False)
    if INTEGER not in names:
        return Reading(as_categories=True)
    return _reading_of_integers(columns, names)


def _reading_of_integers(columns: Columns, names: dict[str, list[str]]) -> Reading:
    """Return how integers are read that have no real numbers beside them."""
    many = [name for name in names[INTEGER] if _n_different(columns[name]) > MOST_CODES]
    if many and CATEGORY in names:
        raise _mixed({**names, INTEGER: many})
    if many:
        return Reading(
            False,
            f"the integers are read as numbers, because {_have(many)} more than {MOST_CODES} different values. Pass "
            "score='bge' to confirm, or score='bdeu' to read all columns as categories.",
        )
    return Reading(
        True,
        f"the integers in {quoted(names[INTEGER])} are read as categories, because none of these columns has more than "
        f"{MOST_CODES} different values. Pass score='bdeu' to confirm, or score='bge' to read them as numbers.",
    )


def _n_different(column: Any) -> int:
    return int(np.unique(column).size if is_array(column) else column.n_unique())


def _have(names: Sequence[str]) -> str:
    return f"{quoted(names)} {'has' if len(names) == 1 else 'have'}"


def neither(name: str, column: Any) -> InvalidType:
    """Build the error for a column that holds neither numbers nor categories."""
    return InvalidType(
        f"column {name!r} holds neither numbers nor categories (dtype {column.dtype}). Drop it, or convert it to "
        "numbers, text or booleans."
    )


def _mixed(names: dict[str, list[str]]) -> InvalidValue:
    """Build the error for text beside numbers."""
    numbers = [*names.get(REAL, []), *names.get(INTEGER, [])]
    kinds = (REAL, INTEGER, BOOLEAN, CATEGORY)
    found = "; ".join(f"{kind} in {quoted(names[kind])}" for kind in kinds if kind in names)
    return InvalidValue(
        f"columns must be all numbers or all categories; got {found}. For numbers, encode {quoted(names[CATEGORY])} as "
        f"numbers or leave out. For categories, cut {quoted(numbers)} into classes (pandas.cut) or leave out."
    )
