"""Strict reading of JSON from unknown sources: a value that is safe to use, or a ValueError with the reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NoReturn

DEEPEST = 100
"""Most levels of lists and objects. Python's own limit depends on its version and on the depth of the caller."""

LONGEST_INTEGER = 300
"""Most digits of an integer. Such integers fit a float and are read in negligible time."""


def read_json(text: str | bytes) -> Any:
    """Read a JSON value, strictly.

    A ValueError is raised for text that is not UTF-8 or not JSON, NaN and infinities (also 1e999), a key that occurs
    twice, integers of more than 300 digits, and more than 100 levels.

    Examples
    --------
    >>> read_json('{"a": [1, 0.5, null]}')
    {'a': [1, 0.5, None]}
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: the key 'a' occurs twice
    """
    try:
        value = json.loads(
            _decoded(text) if isinstance(text, bytes) else text,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as problem:
        raise ValueError(f"it is not JSON: {problem}") from problem
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_depth(value)
    return value


_TOO_DEEP = f"it is nested deeper than {DEEPEST} levels"


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ValueError(f"it is not UTF-8 text: {problem.reason} at byte {problem.start}") from problem


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_INTEGER:
        raise ValueError(f"it has an integer of {len(digits)} digits: {digits[:10]}...")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _no_number(digits)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"it has {name[:20]}, which is no finite number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:40]!r} occurs twice")
        found[key] = value
    return found


def _check_depth(value: Any) -> None:
    """Check the depth level by level, without recursion."""
    level = _containers([value])
    for _ in range(DEEPEST):
        level = _containers(
            inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)
        )
    if level:
        raise ValueError(_TOO_DEEP)


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list)]
