"""Folders for compiled kernels: beside the package, else of the user, else among temporary files.

All of them are read. So kernels that were compiled when an image or a shared installation was made serve everyone,
also those who cannot write there. New kernels are written to the first folder that takes them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numba

PACKAGE = Path(__file__).parents[1]


def folders_to_read() -> list[Path]:
    """Return the folders in which kernels may be, the first choice first."""
    return [folder for folder in _folders() if folder.is_dir()]


def folders_to_write() -> list[Path]:
    """Return the folders in which kernels may be kept, the first choice first."""
    return [folder for folder in _folders() if _writable(folder)]


def _folders() -> Iterator[Path]:
    chosen = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    if chosen:
        yield Path(chosen)
        return
    yield PACKAGE / "__pycache__"
    yield of_user()
    private = private_folder()
    if private is not None:
        yield private


def of_user() -> Path:
    """Return the folder of this user for files that can be made again."""
    home = Path(os.path.expanduser("~"))
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "orderspn"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home) / "orderspn" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "orderspn"


@cache
def private_folder() -> Path | None:
    """Return a folder of this user alone, the same in every process; a new one if another user has taken the name.

    It must be private: write access to a folder of kernels is enough to run any code.
    """
    owner = os.getuid() if hasattr(os, "getuid") else 0
    for parent in _temporary_folders():
        folder = parent / f"orderspn-{owner}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return folder if _is_private(folder) else Path(tempfile.mkdtemp(prefix="orderspn-", dir=parent))
        except OSError:
            continue
    return None


def _temporary_folders() -> Iterator[Path]:
    try:
        yield Path(tempfile.gettempdir())
    except FileNotFoundError:  # no folder in which it can write
        yield Path("/dev/shm")


def _is_private(folder: Path) -> bool:
    found = os.lstat(folder)  # not of its target: a link may lead anywhere
    if not hasattr(os, "getuid"):
        return True  # on such systems temporary folders belong to the user
    return found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000


def _writable(folder: Path) -> bool:
    """Whether a folder is writable or can be created."""
    folder = next((known for known in (folder, *folder.absolute().parents) if os.path.lexists(known)), folder)
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
