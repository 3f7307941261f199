"""Declarations of the arrays in files: their types and numbers of dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

NUMBER, INTEGER, BYTE, SHORT, BOOLEAN = "<f8", "<i8", "|u1", "<u2", "|b1"
"""Types of entries in NumPy's notation: little-endian on every machine."""


class StoredArray(NamedTuple):
    """The types and numbers of dimensions that an array of a file may have."""

    types: tuple[str, ...]
    dimensions: tuple[int, ...]


StoredArrays = Mapping[str, StoredArray]
"""The arrays of a score or model in a file, by name."""
