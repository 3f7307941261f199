"""A place for compiled kernels where the usual ones, beside the package and in the home folder, are read-only.

Numba would not even load a kernel there: "cannot cache function: no locator available".
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

PACKAGE = os.path.dirname(os.path.dirname(__file__))
VARIABLE = "NUMBA_CACHE_DIR"


def provide_kernel_cache() -> None:
    """Name a folder among temporary files as numba's cache, if it has no other and the user has named none.

    Called before any kernel is loaded. Costs a look at a few folders, and does not load numba.
    """
    numba = sys.modules.get("numba")
    if os.environ.get(VARIABLE) or (numba is not None and numba.config.CACHE_DIR):
        return
    if _writable(_of_user()) or all(map(_writable, _of_package())):
        return
    folder = private_folder()
    if folder is None:
        return  # nothing can be written anywhere, and numba will say so
    os.environ[VARIABLE] = folder  # so that processes started by this one share it
    if numba is not None:  # it has read its environment already
        numba.config.CACHE_DIR = folder


def private_folder() -> str | None:
    """A folder of this user alone, the same in every process; a new one if that name is taken by somebody else.

    Whoever can write to a cache of kernels can have any code run.
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
    found = os.lstat(folder)  # of the name itself: a link may lead anywhere
    if not hasattr(os, "getuid"):
        return True  # temporary files are the user's own where there are no such permissions
    return found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000


def _of_user() -> str:
    """Where numba would keep kernels for this user."""
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "numba")
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA", home), "numba")
    return os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.join(home, ".cache")), "numba")


def _of_package() -> Iterator[str]:
    """Where numba would keep kernels beside the modules they are in."""
    with os.scandir(PACKAGE) as entries:
        for entry in entries:
            if os.path.exists(os.path.join(entry.path, "__init__.py")):
                yield os.path.join(entry.path, "__pycache__")


def _writable(folder: str) -> bool:
    """Whether files can be written in a folder, or it can be made."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder) or os.curdir
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
