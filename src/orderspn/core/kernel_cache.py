"""A folder for compiled kernels if numba's usual ones, beside the package and in the home folder, are read-only.

Without a writable folder numba refuses to load a kernel: "cannot cache function: no locator available".
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

PACKAGE = os.path.dirname(os.path.dirname(__file__))
VARIABLE = "NUMBA_CACHE_DIR"


def provide_kernel_cache() -> None:
    """Set numba's cache to a folder among temporary files, unless it has another or the user has chosen one.

    It is called before any kernel is loaded. It checks a few folders and does not import numba.
    """
    numba = sys.modules.get("numba")
    if os.environ.get(VARIABLE) or (numba is not None and numba.config.CACHE_DIR):
        return
    if _writable(_of_user()) or all(map(_writable, _of_package())):
        return
    folder = private_folder()
    if folder is None:
        return  # no folder is writable; numba will raise its own error
    os.environ[VARIABLE] = folder  # child processes share it
    if numba is not None:  # numba has already read the environment
        numba.config.CACHE_DIR = folder


def private_folder() -> str | None:
    """Return a folder of this user alone, the same in every process; a new one if another user has taken the name.

    It must be private: write access to a cache of kernels is enough to run any code.
    """
    import tempfile

    owner = os.getuid() if hasattr(os, "getuid") else 0
    for parent in _temporary_folders():
        folder = os.path.join(parent, f"orderspn-{owner}")
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            return folder if _is_private(folder) else tempfile.mkdtemp(prefix="orderspn-", dir=parent)
        except OSError:
            continue
    return None


def _temporary_folders() -> Iterator[str]:
    import tempfile

    try:
        yield tempfile.gettempdir()
    except FileNotFoundError:  # no folder in which it can write
        yield "/dev/shm"


def _is_private(folder: str) -> bool:
    found = os.lstat(folder)  # not of its target: a link may lead anywhere
    if not hasattr(os, "getuid"):
        return True  # on such systems temporary folders belong to the user
    return found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000


def _of_user() -> str:
    """Return the folder in which numba would keep kernels for this user."""
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "numba")
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA", home), "numba")
    return os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.join(home, ".cache")), "numba")


def _of_package() -> Iterator[str]:
    """Yield the folders in which numba would keep kernels beside their modules."""
    with os.scandir(PACKAGE) as entries:
        for entry in entries:
            if os.path.exists(os.path.join(entry.path, "__init__.py")):
                yield os.path.join(entry.path, "__pycache__")


def _writable(folder: str) -> bool:
    """Whether a folder is writable or can be created."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder) or os.curdir
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
