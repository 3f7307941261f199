"""Where somebody may be watching: a notebook, a terminal, or nowhere."""

from __future__ import annotations

import os
import sys
import threading
from typing import Literal

Screen = Literal["notebook", "terminal"]


def watched_screen(any_thread: bool = False) -> Screen | None:
    """Return where the user of this call is watching, or None for scripts with redirected errors, tests and workers.

    Threads and processes that a user has started would write over each other, so only the main ones are watched. With
    `any_thread` these are all threads of the main process.
    """
    if "PYTEST_CURRENT_TEST" in os.environ or not _is_main(any_thread):
        return None
    return this_screen()


def this_screen() -> Screen | None:
    """Return a notebook if this runs in one, a terminal if errors are written to one, or None."""
    if in_notebook():
        return "notebook"
    stream = sys.stderr
    if stream is not None and not stream.closed and stream.isatty() and os.environ.get("TERM") != "dumb":
        return "terminal"
    return None


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _is_main(any_thread: bool) -> bool:
    from multiprocessing import current_process

    is_main_thread = threading.current_thread() is threading.main_thread()
    return (any_thread or is_main_thread) and current_process().name == "MainProcess"
