"""Checksums: whether what is read is what was written, to the last bit."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def sha256_of_bytes(content: bytes | memoryview) -> str:
    """SHA-256 of bytes, as 64 hexadecimal digits.

    Examples
    --------
    >>> sha256_of_bytes(b"abc")[:8]
    'ba7816bf'
    """
    return hashlib.sha256(content).hexdigest()


def sha256_of_json(value: Any) -> str:
    """SHA-256 of a JSON value, whatever the order of its keys and the spaces in its file.

    It is that of the value as JSON gives it back: tuples count as lists, and keys as text. Numbers count as they are
    written: 1 and 1.0 differ. A value that JSON does not know (NaN among them) is a ValueError or TypeError.

    Examples
    --------
    >>> sha256_of_json({"a": 1, "b": [0.5, None]}) == sha256_of_json({"b": (0.5, None), "a": 1})
    True
    """
    as_read = json.loads(json.dumps(value, allow_nan=False))  # before sorting: numbers as keys sort otherwise
    text = json.dumps(as_read, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256_of_bytes(text.encode("ascii"))
