"""Atomic writes: a reader sees the old file or the new one, never a part of it."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from orderspn.core.destination import Destination, destination, naming_the_file

TEMPORARY = re.compile(r"\.orderspn-[0-9a-f]{32}\.tmp(\..*)?", re.DOTALL)
"""Names of unfinished files. They are random, because several threads, processes or computers may share a folder."""

LONGEST_ENDING = 16
"""Most characters of the ending that a temporary name keeps, by which some writers choose their format."""

STALE_SECONDS = 24 * 3600.0

CANNOT_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}
"""Errors of file systems without `fsync`; any other error is a failure of the disk."""


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path with the same ending; the file written there replaces `path` at the end.

    If the writing stops early (an error, a full disk, Ctrl-C), the old file stays and the temporary one is removed. A
    killed process may leave a temporary file; a later save in the same folder removes it once it is a day old. The new
    file has the permissions of the old one. Links are followed; devices and pipes such as /dev/null are written to.
    Every failure of the file system raises UnwritableFile.
    """
    with naming_the_file(path):
        place = destination(path)
        with _copied_into(place.path) if place.is_stream else _moved_to(place) as temporary:
            yield temporary


@contextmanager
def _moved_to(place: Destination) -> Iterator[Path]:
    folder = place.path.parent
    temporary = folder / f".orderspn-{secrets.token_hex(16)}.tmp{place.path.suffix[:LONGEST_ENDING]}"
    descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)  # the umask applies
    try:
        try:
            _remove_stale(folder, os.fstat(descriptor).st_mtime)
            if place.status is not None:
                _copy_permissions(place.status, temporary)
            yield temporary
            _sync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, place.path)
    except BaseException:
        with suppress(OSError):  # report the first error
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(folder)


@contextmanager
def _copied_into(stream: Path) -> Iterator[Path]:
    """Yield a temporary path and copy the finished file into a device or pipe, in which writers could not seek."""
    with TemporaryDirectory(prefix="orderspn-") as folder:
        temporary = Path(folder) / f"finished{stream.suffix[:LONGEST_ENDING]}"
        yield temporary
        with temporary.open("rb") as source, os.fdopen(os.open(stream, os.O_WRONLY), "wb") as sink:
            shutil.copyfileobj(source, sink)


def _copy_permissions(old: os.stat_result, temporary: Path) -> None:
    """Give a file the owner, group and mode of the file it will replace, as far as the system allows."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(temporary, -1, old.st_gid)
        with suppress(OSError):
            os.chown(temporary, old.st_uid, -1)
    with suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(old.st_mode))


def _remove_stale(folder: Path, now: float) -> None:
    """Remove the temporary files of killed processes; `now` is the time of the file system."""
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [entry.path for entry in entries if TEMPORARY.fullmatch(entry.name)]:
            with suppress(OSError):  # another process may have removed it
                if now - os.lstat(path).st_mtime > STALE_SECONDS:
                    os.unlink(path)


def _sync(descriptor: int) -> None:
    """Wait until the file is on disk; otherwise a power cut could leave an empty file under the new name."""
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno not in CANNOT_SYNC:
            raise


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows, or a folder without permission to read it
        return
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)
