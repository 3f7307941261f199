"""Conversion of JSON values to declared structures, with checks of types and ranges."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

T = TypeVar("T")

LARGEST_COUNT = 2**53
"""Largest integer up to which a float64 represents every integer exactly."""

Count = Annotated[int, Meta(ge=0, le=LARGEST_COUNT)]
Positive = Annotated[float, Meta(gt=0.0, le=1e300)]
Finite = Annotated[float, Meta(ge=-1e300, le=1e300)]
Share = Annotated[float, Meta(ge=-1e-9, le=1.0 + 1e-9)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]


def converted(value: Any, structure: type[T], place: str = "$") -> T:
    """Convert a JSON value to a structure; a ValueError says what is wrong with it and where.

    Examples
    --------
    >>> converted(-1, Count, "$.settings.rows")
    Traceback (most recent call last):
    ValueError: Expected `int` >= 0 - at `$.settings.rows`
    """
    try:
        return msgspec.convert(value, structure)
    except msgspec.ValidationError as problem:
        text = str(problem)
        raise ValueError(text.replace("`$", f"`{place}") if "`$" in text else f"{text} - at `{place}`") from problem


def require(condition: bool, message: str) -> None:
    """Raise a ValueError unless a condition between several values holds."""
    if not condition:
        raise ValueError(message)
