"""Compiled kernels in files, so that every process but the first only loads them.

A file is named after the kernel and a key of all that its machine code depends on, so it is never stale: an edit makes
another file. It begins with a checksum of the rest, and a file that does not fit is as good as none.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba
from numba import config
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from orderspn.kernels.contents import contents_key
from orderspn.kernels.folders import folders_to_read, folders_to_write

SUFFIX = ".nbc"
CHECKSUM_BYTES = 32

MOST_VERSIONS = 24
"""Number of files of one kernel that a folder keeps: argument types, versions of Python and numba, edits."""


class KernelCache:
    """The files of one kernel, with the methods that numba's dispatchers expect."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder in which new files are written."""
        return next(map(str, folders_to_write()), None)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled kernel for some types of arguments, or None."""
        if not self._enabled:
            return None
        target.refresh()
        name = self._file_name(signature, target.codegen())
        for folder in folders_to_read():
            content = _checked(folder / name)
            if content is not None:
                return CompileResult._rebuild(target, *pickle.loads(content))
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled kernel, if any folder takes it."""
        if not self._enabled or compiled.lifted or compiled.library.has_dynamic_globals:
            return
        content = dumps(compiled._reduce())
        name = self._file_name(signature, compiled.codegen)
        for folder in folders_to_write():
            if _written(folder / name, content):
                _remove_oldest(folder, self._stem)
                return

    def enable(self) -> None:
        """Use files."""
        self._enabled = True

    def disable(self) -> None:
        """Use no files."""
        self._enabled = False

    def flush(self) -> None:
        """Forget nothing: other processes may use the files."""

    @property
    def _stem(self) -> str:
        function = self._kernel.py_func
        return f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")

    def _file_name(self, signature: Any, codegen: Any) -> str:
        machine = (codegen.magic_tuple(), _setting())
        key = blake2b(repr((contents_key(self._kernel), str(signature), machine)).encode(), digest_size=16)
        return f"{self._stem}-{key.hexdigest()}{SUFFIX}"


@cache
def _setting() -> tuple[object, ...]:
    """Return what else decides how kernels are compiled: versions, and settings of numba from the environment."""
    names = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS")
    numbers = [(name, getattr(config, name, None)) for name in names]
    return (numba.__version__, sys.implementation.cache_tag, sys.version_info[:2], *numbers)


def _checked(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, rest = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    return rest if blake2b(rest, digest_size=CHECKSUM_BYTES).digest() == checksum else None


def _written(path: Path, content: bytes) -> bool:
    """Write a file as a whole or not at all, and tell whether it was possible."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(blake2b(content, digest_size=CHECKSUM_BYTES).digest() + content)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        return False
    return True


def _remove_oldest(folder: Path, stem: str) -> None:
    """Keep the newest files of a kernel; another process may remove the same ones."""
    with contextlib.suppress(OSError):
        files = sorted(folder.glob(f"{stem}-*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[MOST_VERSIONS:]:
            path.unlink()
