"""What an array of a file may be: its type and number of dimensions, declared by whoever writes and reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

NUMBER, INTEGER, BYTE, SHORT, TRUTH = "<f8", "<i8", "|u1", "<u2", "|b1"
"""Types of entries, as NumPy writes them: little-endian, whatever the machine."""


class StoredArray(NamedTuple):
    """What one array of a file may be."""

    types: tuple[str, ...]
    dimensions: tuple[int, ...]


StoredArrays = Mapping[str, StoredArray]
"""The arrays that something may have in a file, by name."""
