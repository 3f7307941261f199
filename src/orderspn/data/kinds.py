"""The kind of a column: whether it is read as a number or as a category.

Text is a category, and real numbers are numbers. Integers and booleans may be either, so the other columns decide.
Integers are numbers if the table has measured columns: real numbers, or integers with more than `MOST_CODES` different
values. Otherwise they are categories. Booleans are categories beside text, or if nothing is measured; as numbers they
have the same score. Users settle it by `kinds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import quoted
from orderspn.data.columns import Columns, is_array, is_missing
from orderspn.data.text_numbers import CONVERT, numbers_as_text

Kind = Literal["number", "category"]

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
    """How columns are read, and a note on it where their types leave a choice."""

    kinds: dict[str, Kind]
    note: str | None = None

    @property
    def all_numbers(self) -> bool:
        """Whether every column is a number."""
        return all(kind == "number" for kind in self.kinds.values())

    @property
    def all_categories(self) -> bool:
        """Whether every column is a category."""
        return all(kind == "category" for kind in self.kinds.values())


def reading_of(columns: Columns, given: Mapping[str, Kind], measured: bool = False) -> Reading:
    """Return how columns are read, given the kinds of some of them and whether something else is known to be measured.

    `measured` is for a score of numbers, or for groups of measured columns beside these.
    """
    types = {name: kind_of(column) for name, column in columns.items()}
    for name, found in types.items():
        if found == OTHER:
            raise neither(name, columns[name])
        if found == CATEGORY and given.get(name) == "number":
            raise InvalidValue(
                f"kinds says that {name!r} is a number, and the column holds text. Convert it to numbers first, for "
                "example with pandas.to_numeric, or leave it out of kinds."
            )
    open_integers = [name for name, found in types.items() if found == INTEGER and name not in given]
    many = [name for name in open_integers if _n_different(columns[name]) > MOST_CODES]
    real = any(found == REAL and given.get(name) != "category" for name, found in types.items())
    beside = measured or real or "number" in given.values()
    text = any(found == CATEGORY for found in types.values()) or "category" in given.values()
    numbers = beside or bool(many)
    by_type: dict[str, Kind] = {
        REAL: "number",
        CATEGORY: "category",
        INTEGER: "number" if numbers else "category",
        BOOLEAN: "number" if numbers and not text else "category",
    }
    kinds = {name: given.get(name, by_type[found]) for name, found in types.items()}
    about_text = _note_on_text(columns, kinds, given) if "number" in kinds.values() else None
    about_integers = None if measured else _note(columns, open_integers, many, beside)
    return Reading(kinds, " ".join(filter(None, (about_text, about_integers))) or None)


def checked_kinds(kinds: Mapping[str, Kind] | None, columns: Columns) -> dict[str, Kind]:
    """Return the kinds that a user gave, checked."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise InvalidType(f"kinds must map names of columns to 'number' or 'category'; got {type(kinds).__name__}.")
    for name, kind in kinds.items():
        if name not in columns:
            raise unknown_name(name, list(columns), "column")
        if kind not in get_args(Kind):
            raise InvalidValue(f"kinds must say 'number' or 'category'; got {kind!r} for {name!r}.")
    return dict(kinds)


def _note(columns: Columns, integers: Sequence[str], many: Sequence[str], beside: bool) -> str | None:
    """Return the note on how integers are read, if it could have been otherwise."""
    if not (beside or many):
        if not integers:
            return None
        return (
            f"the integers in {quoted(integers)} are read as categories, because none of these columns has more than "
            f"{MOST_CODES} different values. Pass score='bdeu' to confirm, score='bge' to read them as numbers, or "
            f"kinds={{{integers[0]!r}: 'number'}}."
        )
    few = [name for name in integers if 2 < _n_different(columns[name]) <= MOST_CODES]
    if few:
        return (
            f"the integers in {quoted(few)} are read as numbers, because other columns are measured. Pass "
            f"kinds={{{few[0]!r}: 'category'}} if they are codes, or kinds={{{few[0]!r}: 'number'}} to confirm."
        )
    if beside:
        return None
    return (
        f"the integers are read as numbers, because {_have(many)} more than {MOST_CODES} different values. Pass "
        "score='bge' to confirm, or score='bdeu' to read all columns as categories."
    )


def _note_on_text(columns: Columns, kinds: Mapping[str, Kind], given: Mapping[str, Kind]) -> str | None:
    """Return the note on text beside numbers that was meant to hold numbers itself."""
    for name, kind in kinds.items():
        meant = numbers_as_text(columns[name]) if kind == "category" and name not in given else None
        if meant:
            return (
                f"column {name!r} holds {meant}, and is read as a category. Convert it: {CONVERT}; or pass "
                f"kinds={{{name!r}: 'category'}} to confirm."
            )
    return None


def _n_different(column: Any) -> int:
    return int(np.unique(column).size if is_array(column) else column.n_unique())


def _have(names: Sequence[str]) -> str:
    return f"{quoted(names)} {'has' if len(names) == 1 else 'have'}"


def neither(name: str, column: Any) -> InvalidType:
    """Build the error for a column that holds neither numbers nor categories."""
    remedy = (
        "Drop it, or convert it to numbers, such as days since the first date; osp.time_series.lagged(data, "
        f"time={name!r}) is for rows that follow each other in time."
        if _is_time(column)
        else "Drop it, or convert it to numbers, text or booleans."
    )
    return InvalidType(f"column {name!r} holds neither numbers nor categories (dtype {column.dtype}). {remedy}")


def _is_time(column: Any) -> bool:
    if is_array(column):
        return bool(column.dtype.kind in "mM")
    return bool(column.dtype.is_temporal())
