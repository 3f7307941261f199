"""A finished part of the work as a file: arrays and JSON values, a checksum, no pickle, written atomically."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from orderspn.core.atomic import replacing
from orderspn.core.checksum import sha256_of_bytes
from orderspn.core.json_text import read_json

HEADER = "header"
"""Name of the array with the JSON values of a part."""

CHECKSUM_LENGTH = 64


@dataclass(frozen=True, eq=False)
class Part:
    """Arrays by name, and JSON values by name."""

    arrays: Mapping[str, np.ndarray]
    values: Mapping[str, Any] = field(default_factory=dict)


def write_part(path: Path, part: Part, about: Mapping[str, Any]) -> None:
    """Write a part, and what it is `about`; a file that was there is replaced once the new one is complete."""
    header = json.dumps({"about": about, "values": part.values}, allow_nan=False).encode()
    content = io.BytesIO()
    arrays: dict[str, Any] = {**part.arrays, HEADER: np.frombuffer(header, dtype=np.uint8)}
    assert not any(array.dtype.hasobject for array in arrays.values())  # it would be pickled
    np.savez(content, **arrays)
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(sha256_of_bytes(content.getbuffer()).encode("ascii"))
        file.write(content.getbuffer())


def read_part(path: Path) -> tuple[Part, dict[str, Any]]:
    """Read a part and what it is about; a ValueError says that the file is damaged."""
    whole = memoryview(path.read_bytes())
    content = whole[CHECKSUM_LENGTH:]
    if bytes(whole[:CHECKSUM_LENGTH]) != sha256_of_bytes(content).encode("ascii"):
        raise ValueError("its checksum is not that of its content")
    with np.load(io.BytesIO(content), allow_pickle=False) as members:
        arrays = {name: members[name] for name in members.files}
    header = read_json(arrays.pop(HEADER).tobytes())
    return Part(arrays, header["values"]), header["about"]


def in_a_row(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return arrays of different lengths as one, and their lengths."""
    return np.concatenate([*arrays, np.empty(0, dtype=np.int64)]).astype(np.int64), np.array([len(a) for a in arrays])


def apart(joined: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """Return the arrays that `in_a_row` joined.

    Examples
    --------
    >>> [own.tolist() for own in apart(*in_a_row([np.array([3, 1]), np.array([], dtype=int), np.array([2])]))]
    [[3, 1], [], [2]]
    """
    return np.split(joined, np.cumsum(lengths)[:-1])
