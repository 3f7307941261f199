"""The destination of a path: a file, a folder for a new file, a device or pipe, or an error if it is not writable."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from orderspn.core.arguments import check_path
from orderspn.core.errors import UnwritableFile, UserError

STANDARD_STREAMS = (1, 2)

REMEDIES = {
    errno.EACCES: "; choose another folder or change its permissions",
    errno.EBUSY: "; if a container mounts this one file, mount its folder instead",
    errno.EDQUOT: "; free some space or choose another folder",
    errno.ELOOP: "; remove the link that leads back to itself",
    errno.ENAMETOOLONG: "; choose a shorter name",
    errno.ENOSPC: "; free some space or choose another folder",
    errno.EROFS: "; choose another folder",
}
"""Remedies for errors of the operating system."""


@dataclass(frozen=True)
class Destination:
    """A path that can be written to.

    Attributes
    ----------
    path : pathlib.Path
        The path, with links resolved unless it is a stream.
    status : os.stat_result or None
        The status of the file that exists there, if any.
    """

    path: Path
    status: os.stat_result | None

    @property
    def is_stream(self) -> bool:
        """Whether it is a device or pipe, such as /dev/null, which is written to and not replaced."""
        return self.status is not None and (stat.S_ISCHR(self.status.st_mode) or stat.S_ISFIFO(self.status.st_mode))


def destination(path: str | PathLike[str]) -> Destination:
    """Resolve a path, or raise UnwritableFile with the reason and the remedy.

    Examples
    --------
    >>> destination(".").path
    Traceback (most recent call last):
    orderspn.core.errors.UnwritableFile: cannot write '.': it is a folder; name a file in it.
    """
    asked = check_path("path", path)
    with naming_the_file(asked):
        found = Destination(asked, _status(asked))
        if not found.is_stream:  # /dev/stdout may be a link to a pipe without a path of its own
            found = Destination(Path(os.path.realpath(asked)), found.status)
    obstacle = _obstacle(found)
    if obstacle:
        raise UnwritableFile(f"cannot write {str(asked)!r}: {obstacle}.")
    return found


@contextmanager
def naming_the_file(path: str | PathLike[str]) -> Iterator[None]:
    """Turn errors of the operating system into UnwritableFile, which names the file and the remedy."""
    try:
        yield
    except UserError:
        raise
    except OSError as problem:
        reason = problem.strerror or str(problem)
        remedy = REMEDIES.get(problem.errno or 0, "")
        raise UnwritableFile(f"cannot write {os.fspath(path)!r}: {reason}{remedy}.") from problem


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _obstacle(place: Destination) -> str | None:
    """Return why the destination cannot be written, with the remedy; None if it can."""
    folder = place.path.parent
    if place.status is not None:
        return _obstacle_there(place, place.status)
    if not folder.exists():
        return f"the folder {str(folder)!r} does not exist; create it first"
    if not folder.is_dir():
        return f"{str(folder)!r} is a file, not a folder; choose another folder"
    return _closed(folder)


def _obstacle_there(place: Destination, status: os.stat_result) -> str | None:
    if stat.S_ISDIR(status.st_mode):
        return "it is a folder; name a file in it"
    if not (place.is_stream or stat.S_ISREG(status.st_mode)):
        return "it is neither a file nor a pipe; name a file"
    if not os.access(place.path, os.W_OK):
        return "it is write-protected; make it writable or name another file"
    if place.is_stream:
        return None
    if _takes_standard_output(status):
        return "this program's own output goes there; name another file, or send the output through a pipe"
    return _closed(place.path.parent)


def _closed(folder: Path) -> str | None:
    if os.access(folder, os.W_OK | os.X_OK):
        return None
    return f"no permission to write in {str(folder)!r}; choose another folder or change its permissions"


def _takes_standard_output(status: os.stat_result) -> bool:
    """Whether it is the file behind /dev/stdout: replacing it would lose the earlier output."""
    for descriptor in STANDARD_STREAMS:
        try:
            if os.path.samestat(os.fstat(descriptor), status):
                return True
        except OSError:  # a closed stream
            continue
    return False
