"""Showing the progress of a call, as its argument `progress` asks."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType
from orderspn.core.workers import ProgressCallback, Workers, available_cores, has_listener, reporting_to, unheard
from orderspn.display.bars import Bars
from orderspn.display.notices import tell_of_compilation
from orderspn.display.screen import this_screen, watched_screen
from orderspn.kernels.compilation import compilation

Progress = bool | Literal["auto"] | ProgressCallback | None
"""Bars at once (True), bars where somebody is watching and after a while ("auto"), a callback, or nothing."""

PATIENCE = 2.0
"""Seconds of work after which bars appear by themselves."""

compilation.tell_by(tell_of_compilation)


def showing(progress: Progress, usual: ProgressCallback | None = None) -> AbstractContextManager[Any]:
    """Show the progress of a block with bars, report it to a callback, or be silent.

    Parameters
    ----------
    progress : bool, "auto", callable or None
        With "auto", the work of a block within another one belongs to the outer one.
    usual : callable, optional
        What "auto" stands for, if the user has chosen a callback before.
    """
    check_progress(progress)
    if progress == "auto":
        return nullcontext() if has_listener() else _by_itself(usual)
    if progress is True:
        return Bars(this_screen())
    return reporting_to(progress or unheard)


def check_progress(progress: Any) -> Progress:
    """Raise an error if this is no argument `progress`."""
    if progress is None or isinstance(progress, bool) or callable(progress) or progress == "auto":
        return progress
    raise InvalidType(
        f"progress must be True, False, 'auto' or a function progress(work, done, total); got {progress!r}."
    )


def callback_of(progress: Progress) -> ProgressCallback:
    """Return the callback that workers keep: that of the user, or one that nobody hears."""
    return progress if callable(progress) else unheard


def make_workers(n_jobs: int | None, progress: Progress) -> Workers:
    """Check the number of threads; None stands for all cores."""
    callback = callback_of(check_progress(progress))
    return Workers(available_cores() if n_jobs is None else check_integer("n_jobs", n_jobs, 1), callback)


def _by_itself(usual: ProgressCallback | None) -> AbstractContextManager[Any]:
    if usual is not None and usual is not unheard:
        return reporting_to(usual)
    screen = watched_screen()
    return nullcontext() if screen is None else Bars(screen, PATIENCE)
