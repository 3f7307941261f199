"""Columns of text that were meant to hold numbers: they would be read as categories."""

from __future__ import annotations

from typing import Any

from orderspn.data.columns import is_array, listed
from orderspn.data.text_files import is_number

NUMERIC_TEXT = 0.5
"""Share of values of a column of text that are numbers from which it was meant to hold numbers."""

CONVERT = "pandas.to_numeric(column, errors='coerce')"


def numbers_as_text(column: Any) -> str | None:
    """Return what a column of text holds if it was meant to hold numbers; None otherwise.

    Numbers with a few other entries are common in files. Types of categories, which declare their levels, are meant.
    """
    if not _is_text(column):
        return None
    values = [value for value in listed(column) if isinstance(value, str)]
    others = sorted({value for value in values if not is_number(value)})
    if not values or sum(map(is_number, values)) <= NUMERIC_TEXT * len(values):
        return None
    besides = f", besides {', '.join(map(repr, others[:3]))}{', ...' if len(others) > 3 else ''}" if others else ""
    return f"numbers as text{besides}"


def _is_text(column: Any) -> bool:
    if is_array(column):
        return bool(column.dtype.kind in "OU")
    import narwhals as nw

    return isinstance(column.dtype, (nw.String, nw.Object))
