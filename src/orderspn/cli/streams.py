"""Output and error streams that are closed, full, or nobody reads from."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import TextIO

_WRITING = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""What the system says where a stream cannot be written to."""


def prepare_streams() -> None:
    """Make sure that there are streams, and that any name can be written to the output."""
    if sys.stdout is None:  # closed before the program began; a file opened later would become the output
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if hasattr(sys.stdout, "reconfigure"):
        # A name that the terminal's encoding lacks is shown as an escape instead of ending the program.
        sys.stdout.reconfigure(errors="backslashreplace")


def is_of_stream(problem: OSError) -> bool:
    """Whether an error comes from a stream; that of a file has a name, or was reported where the file is used."""
    return problem.filename is None and problem.errno in _WRITING


def discard(stream: TextIO) -> None:
    """Send what is still buffered nowhere, lest the interpreter try to write it at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
