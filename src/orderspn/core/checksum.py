"""Checksums of bytes and of JSON values."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def sha256_of_bytes(content: bytes | memoryview) -> str:
    """Return the SHA-256 checksum of bytes, as 64 hexadecimal digits.

    Examples
    --------
    >>> sha256_of_bytes(b"abc")[:8]
    'ba7816bf'
    """
    return hashlib.sha256(content).hexdigest()


def sha256_of_json(value: Any) -> str:
    """Return the SHA-256 checksum of a JSON value; the order of keys and white space do not matter.

    Tuples count as lists, and keys as text, as JSON reads them back. Numbers count as they are written: 1 and 1.0
    differ. A value that JSON cannot represent, such as NaN, raises ValueError or TypeError.

    Examples
    --------
    >>> sha256_of_json({"a": 1, "b": [0.5, None]}) == sha256_of_json({"b": (0.5, None), "a": 1})
    True
    """
    as_read = json.loads(json.dumps(value, allow_nan=False))  # keys become text before they are sorted
    text = json.dumps(as_read, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256_of_bytes(text.encode("ascii"))
