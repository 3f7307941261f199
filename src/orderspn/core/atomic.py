"""Writing files so that a reader sees the old one or the new one, never a part of it."""

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
"""Names of unfinished files. They are random: threads, and processes of several computers, may share a folder."""

LONGEST_ENDING = 16
"""Characters. Some writers choose their format by the ending, and a name has a longest length."""

STALE_SECONDS = 24 * 3600.0

CANNOT_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}
"""What file systems say that do not know `fsync`; any other error is one of the disk."""


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """Give a temporary name of the same ending; what is written there takes the place of `path` at the end.

    Whatever ends the writing early (an error, a full disk, Ctrl-C) leaves the old file and no temporary one. A kill may
    leave a temporary file; a later save in the same folder removes it once it is a day old. What is there before keeps
    its permissions, links are followed, and devices and pipes such as /dev/null are written into. All that goes wrong
    with files is an UnwritableFile.
    """
    with naming_the_file(path):
        place = destination(path)
        with _poured_into(place.path) if place.is_stream else _put_in_place(place) as temporary:
            yield temporary


@contextmanager
def _put_in_place(place: Destination) -> Iterator[Path]:
    folder = place.path.parent
    temporary = folder / f".orderspn-{secrets.token_hex(16)}.tmp{place.path.suffix[:LONGEST_ENDING]}"
    descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)  # less what the umask takes
    try:
        try:
            _remove_stale(folder, os.fstat(descriptor).st_mtime)
            if place.status is not None:
                _take_after(temporary, place.status)
            yield temporary
            _sync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, place.path)
    except BaseException:
        with suppress(OSError):  # the first error is the one to tell
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(folder)


@contextmanager
def _poured_into(stream: Path) -> Iterator[Path]:
    """Devices and pipes get the finished file in one go: writers may want to seek in theirs."""
    with TemporaryDirectory(prefix="orderspn-") as folder:
        temporary = Path(folder) / f"finished{stream.suffix[:LONGEST_ENDING]}"
        yield temporary
        with temporary.open("rb") as source, os.fdopen(os.open(stream, os.O_WRONLY), "wb") as sink:
            shutil.copyfileobj(source, sink)


def _take_after(temporary: Path, old: os.stat_result) -> None:
    """Give a file the owner, group and mode of the one that it will replace, as far as the system lets us."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(temporary, -1, old.st_gid)
        with suppress(OSError):
            os.chown(temporary, old.st_uid, -1)
    with suppress(OSError):
        os.chmod(temporary, stat.S_IMODE(old.st_mode))


def _remove_stale(folder: Path, now: float) -> None:
    """Remove what killed saves left behind; `now` is by the clock of the file system."""
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [entry.path for entry in entries if TEMPORARY.fullmatch(entry.name)]:
            with suppress(OSError):  # another save may be faster
                if now - os.lstat(path).st_mtime > STALE_SECONDS:
                    os.unlink(path)


def _sync(descriptor: int) -> None:
    """Wait until the disk has it; else a power cut could leave the new name on an empty file."""
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno not in CANNOT_SYNC:
            raise


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows, or a folder that may not be listed
        return
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)
