"""What columns hold: real numbers, whole numbers or categories; and how a table is read where nobody says it.

Whole numbers may be measurements or codes of categories, and nothing in them says which: they are never guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.data.columns import Columns, is_array

REAL, WHOLE, CATEGORY, OTHER = "real numbers", "whole numbers", "categories", "neither"


def kind_of(column: Any) -> str:
    """What one column holds, by its type alone (of an array of objects, by theirs)."""
    return _kind_of_array(column) if is_array(column) else _kind_of_series(column)


def _kind_of_array(column: np.ndarray) -> str:
    if column.dtype.kind == "O":
        return CATEGORY if all(isinstance(value, str) or is_missing(value) for value in column) else OTHER
    return {"f": REAL, "i": WHOLE, "u": WHOLE, "b": CATEGORY, "U": CATEGORY}.get(column.dtype.kind, OTHER)


def _kind_of_series(series: Any) -> str:
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_integer():
        return WHOLE
    if dtype.is_numeric():
        return REAL
    if isinstance(dtype, (nw.Boolean, nw.String, nw.Categorical, nw.Enum)):
        return CATEGORY
    if isinstance(dtype, nw.Object):  # text or truth values beside missing ones
        return CATEGORY if all(isinstance(v, (str, bool)) or is_missing(v) for v in series.to_list()) else OTHER
    return OTHER


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, or the NA of pandas."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


def all_categories(columns: Columns) -> bool:
    """Whether all columns are categories (True) or real numbers (False); anything else is an error that asks."""
    names: dict[str, list[str]] = {}
    for name, column in columns.items():
        names.setdefault(kind_of(column), []).append(name)
    if OTHER in names:
        raise neither(names[OTHER][0], columns[names[OTHER][0]])
    if names.keys() <= {REAL}:
        return False
    if names.keys() <= {CATEGORY}:
        return True
    raise _unclear(names)


def neither(name: str, column: Any) -> InvalidType:
    """Build the error for a column that holds no numbers and no categories."""
    return InvalidType(
        f"column {name!r} holds neither numbers nor categories (dtype {column.dtype}). Drop it, or convert it to "
        "numbers, text or truth values."
    )


def _unclear(names: dict[str, list[str]]) -> InvalidValue:
    found = "; ".join(f"{kind} in {listed(names[kind])}" for kind in (REAL, WHOLE, CATEGORY) if kind in names)
    encode = f" (encode {listed(names[CATEGORY])} as numbers first, or leave out)" if CATEGORY in names else ""
    cut = f" (cut {listed(names[REAL])} into classes first, or leave out)" if REAL in names else ""
    return InvalidValue(
        f"it is not clear whether columns are numbers or categories: got {found}. Pass score='bge' to treat all as "
        f"numbers{encode}, or score='bdeu' to treat all as categories{cut}."
    )


def listed(names: Sequence[str]) -> str:
    """The first few names, for a message."""
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
