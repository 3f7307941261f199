"""Archives: one `.npz` with a JSON manifest and a checksum, without pickle, written atomically and checked when read.

Members are stored, never compressed, so that a file never takes more memory than its own size.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from orderspn.core.atomic import replacing
from orderspn.core.errors import UnreadableFile
from orderspn.core.file_kinds import EXCEL, PARQUET, POSTERIOR, ZIP, is_text, seems_to_be
from orderspn.core.json_text import read_json
from orderspn.core.memory import readable_bytes
from orderspn.storage.members import ANY, CHECKSUM, MANIFEST, TEXT, fits

FORMAT = "orderspn-posterior"
FORMAT_VERSION = 1
MIXTURE_VERSION = 2
"""The version of files of mixtures. Files of single posteriors are as they were before there were mixtures."""

ENDING = ".npy"
"""Ending of the names of members in the archive."""


class Archive(NamedTuple):
    """The content of a file: a manifest of the right format, and arrays of numbers."""

    manifest: dict[str, Any]
    arrays: dict[str, np.ndarray]


def write_archive(path: str | PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write an archive; the file at `path` is replaced only once the new one is complete."""
    members = {MANIFEST: np.frombuffer(json.dumps(manifest, allow_nan=False).encode(), dtype=np.uint8)}
    members |= {name: _as_stored(array) for name, array in arrays.items()}
    stored: dict[str, Any] = {**members, CHECKSUM: checksum_of(members)}
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **stored)  # not with allow_pickle=False, which older versions of NumPy would store as an array


def _as_stored(array: np.ndarray) -> np.ndarray:
    """Return the array in C order and little-endian."""
    if array.dtype.hasobject:
        raise TypeError("an array of objects would be pickled, and no file with it could be loaded")
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def checksum_of(members: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the SHA-256 of all members, with names, types and shapes, as bytes (32,)."""
    digest = hashlib.sha256()
    for name in sorted(members):
        array = members[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """Read the manifest of a file: format, versions, variables, settings and evidence."""
    return read_archive(path, Path(path).stat().st_size).manifest


def read_archive(path: str | PathLike[str], memory_limit: int) -> Archive:
    """Read an archive; raise an `UnreadableFile` that says what is wrong with it."""
    content = _content(path, memory_limit)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _members_of(archive, len(content), str(path))
    except UnreadableFile:
        raise
    except Exception as problem:
        # For a damaged archive zipfile raises almost any exception; the file has been read by now.
        raise _no_posterior(path, content) from problem


def _no_posterior(path: str | PathLike[str], content: bytes) -> UnreadableFile:
    """Build the error for a file that is no archive of this package; it says what the file seems to be."""
    kind = seems_to_be(content)
    if kind in (EXCEL, PARQUET) or (kind is None and is_text(content)):
        found = f": it is {kind or 'a text file, perhaps a table'}. Learn a posterior from it first."
    elif kind in (None, POSTERIOR, ZIP):
        found = ", or it is damaged."
    else:
        found = f": it seems to be {kind}."
    return UnreadableFile(f"{str(path)!r} is not a posterior saved by orderspn{found}")


def _content(path: str | PathLike[str], memory_limit: int) -> bytes:
    """Return all bytes of a regular file that is not too large."""
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(f"{str(path)!r} is not a regular file. Copy it to one first.")
        if status.st_size > memory_limit:
            raise UnreadableFile(
                f"{str(path)!r} has {readable_bytes(status.st_size)}; the limit is {readable_bytes(memory_limit)}. "
                "Raise memory_limit= (in bytes)."
            )
        return file.read(status.st_size)


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _members_of(archive: zipfile.ZipFile, size: int, path: str) -> Archive:
    """Return manifest and arrays; the manifest is read first, because other formats may have other members."""
    infos = {info.filename.removesuffix(ENDING): info for info in archive.infolist()}
    if len(infos) != len(archive.infolist()):
        raise _damaged(path, "two of its arrays have the same name")
    if MANIFEST not in infos and any(info.filename.endswith(ENDING) for info in infos.values()):
        raise UnreadableFile(f"{path!r} holds NumPy arrays, but no posterior saved by orderspn.")
    if MANIFEST not in infos:
        raise ValueError("it is another archive")
    _check_stored(infos.values(), size, path)
    described = _array(archive.read(infos[MANIFEST]), MANIFEST, path)
    manifest = _manifest(described.tobytes(), path)
    arrays = {name: _array(archive.read(info), name, path) for name, info in infos.items()}
    found = arrays.pop(CHECKSUM, None)
    if found is None or not np.array_equal(found, checksum_of(arrays)):
        raise _damaged(path, "its checksum does not match, so it was changed after it was saved")
    del arrays[MANIFEST]
    return Archive(manifest, arrays)


def _check_stored(infos: Iterable[zipfile.ZipInfo], size: int, path: str) -> None:
    """Raise an error for archives that take more memory than their size."""
    infos = list(infos)
    if any(info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size for info in infos):
        raise _damaged(path, "it has compressed arrays, which orderspn does not write")
    if sum(info.file_size for info in infos) > size:
        raise _damaged(path, "its arrays overlap")


def _array(content: bytes, name: str, path: str) -> np.ndarray:
    """Return one array of numbers, of the size in its header."""
    declared, file = TEXT if name in (MANIFEST, CHECKSUM) else ANY, io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise _damaged(path, f"{name!r} has an unknown header")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.str != dtype.newbyteorder("<").str or not fits(declared, dtype, len(shape)) or fortran_order:
        raise _damaged(path, f"{name!r} has the type {dtype} and {len(shape)} dimensions")
    values = np.frombuffer(content, dtype=dtype, offset=file.tell())
    if min(shape, default=1) < 0 or values.size != np.prod([int(n) for n in shape], dtype=object):
        raise _damaged(path, f"{name!r} does not have the number of entries in its header")
    # A copy, because kernels are compiled for writable arrays.
    return np.array(values.reshape(shape), dtype=dtype.newbyteorder("="))


def _manifest(text: bytes, path: str) -> dict[str, Any]:
    """Return the manifest, if it has this format."""
    try:
        manifest = read_json(text)
        json.dumps(manifest, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except ValueError as problem:
        raise _damaged(path, f"its manifest cannot be read: {problem}") from problem
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise UnreadableFile(f"{path!r} holds NumPy arrays, but no posterior saved by orderspn.")
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        raise _damaged(path, f"its format is not a number: {str(version)[:20]}")
    newest = MIXTURE_VERSION if is_mixture(manifest) else FORMAT_VERSION
    if version > newest:
        raise UnreadableFile(
            f"{path!r} was written by a newer orderspn ({str(manifest.get('package_version'))[:20]}), in format "
            f"{version}; this one reads up to {newest}. Upgrade with: pip install --upgrade orderspn"
        )
    return manifest


def is_mixture(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest is that of a mixture."""
    return "components" in manifest


def _damaged(path: str, reason: str) -> UnreadableFile:
    return UnreadableFile(f"{path!r} is damaged: {reason}.")
