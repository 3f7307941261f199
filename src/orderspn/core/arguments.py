"""Checks of the arguments of public functions; code below them assumes valid values."""

from __future__ import annotations

import json
import math
import numbers
import os
import reprlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from orderspn.core.errors import InvalidType, InvalidValue

LARGEST_EFFORT = 1e6


def is_listing(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value can be iterated over and is not text.

    Examples
    --------
    >>> import numpy as np
    >>> is_listing(["A"]), is_listing("A"), is_listing(np.array("A")), is_listing(np.array(["A"]))
    (True, False, False, True)
    """
    if isinstance(value, str | bytes):
        return False
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`."""
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(repr(c) for c in choices)
    raise InvalidValue(f"{name} must be one of {listed}; got {value!r}.")


def check_integer(name: str, value: object, minimum: int, maximum: int | None = None) -> int:
    """Return `value` as an int if it is between `minimum` and `maximum`."""
    allowed = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InvalidType(f"{name} must be an integer {allowed}; got {value!r} of type {type(value).__name__}.")
    number = int(value)
    if number < minimum or (maximum is not None and number > maximum):
        raise InvalidValue(f"{name} must be an integer {allowed}; got {number}.")
    return number


def check_positive(name: str, value: object) -> float:
    """Return `value` as a float if it is finite and greater than 0."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidType(f"{name} must be a number greater than 0; got {value!r} of type {type(value).__name__}.")
    number = as_float(value)
    if not 0.0 < number < float("inf"):
        raise InvalidValue(f"{name} must be a finite number greater than 0; got {number}.")
    return number


def check_within(name: str, value: object, smallest: float, largest: float) -> float:
    """Return `value` as a float if it is in the range of positive numbers for which scores are accurate."""
    number = check_positive(name, value)
    if not smallest <= number <= largest:
        allowed = f"between {smallest:g} and {largest:g}" if smallest else f"at most {largest:g}"
        raise InvalidValue(f"{name} must be {allowed}, so that scores are accurate; got {number:g}.")
    return number


def as_float(value: numbers.Real) -> float:
    """Convert a number to a float; integers too large for one become infinite."""
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def check_effort(value: object) -> float:
    """Return `value` as a float if it can multiply the length of a search."""
    factor = check_positive("effort", value)
    if factor > LARGEST_EFFORT:
        raise InvalidValue(f"effort must be at most {LARGEST_EFFORT:g} times the usual; got {factor:g}.")
    return factor


def check_fraction(name: str, value: object) -> float:
    """Return `value` as a float if it is strictly between 0 and 1."""
    number = check_positive(name, value)
    if not number < 1.0:
        raise InvalidValue(f"{name} must be between 0 and 1; got {number}.")
    return number


def check_path(name: str, value: object) -> Path:
    """Return `value` as a path if it is text or a path object, and a valid name of a file."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        kind = type(value).__name__
        raise InvalidType(f"{name} must be text or a pathlib.Path; got {value!r} of type {kind}.")
    try:
        impossible = b"\0" in os.fsencode(value)
    except UnicodeEncodeError:
        impossible = True
    if impossible:
        raise InvalidValue(f"{name} must be a valid name of a file; got {os.fspath(value)!r}.")
    return Path(value)


def check_settings(name: str, settings: object) -> None:
    """Raise an error unless the settings of a method can be saved as JSON.

    Examples
    --------
    >>> check_settings("oracle.settings()", {"name": "mine", "share": float("nan")})
    Traceback (most recent call last):
    ...
    orderspn.core.errors.InvalidType: oracle.settings() must be a dictionary of JSON values with a 'name', to be saved; got {'name': 'mine', 'share': nan}.
    """  # noqa: E501
    sound = isinstance(settings, dict) and isinstance(settings.get("name"), str)
    sound = sound and all(isinstance(key, str) for key in settings)  # type: ignore[attr-defined]
    try:
        json.dumps(settings, allow_nan=False)
    except (TypeError, ValueError, RecursionError):  # not JSON, circular, or nested too deeply
        sound = False
    if not sound:
        raise InvalidType(
            f"{name} must be a dictionary of JSON values with a 'name', to be saved; got {reprlib.repr(settings)}."
        )


def check_flag(name: str, value: object) -> bool:
    """Return the value as a bool; raise an error if it is none."""
    if type(value).__name__ not in ("bool", "bool_"):  # NumPy's too, without loading it for the command line
        raise InvalidType(f"{name} must be True or False; got {value!r}.")
    return bool(value)
