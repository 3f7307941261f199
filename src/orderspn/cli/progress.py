"""Progress bars: on a terminal only, on its error stream, and only for work that one has to wait for."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from orderspn.core.workers import ProgressCallback

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.5
"""Seconds of work after which bars appear."""


@contextmanager
def progress_bars(form: str | None) -> Iterator[ProgressCallback | None]:
    """Give the callback that draws bars, or None where nobody would see them."""
    if form is not None or not (sys.stdout.isatty() and sys.stderr.isatty()):
        yield None
        return
    bars = _new_bars()
    try:
        yield Bars(bars).update
    finally:
        bars.stop()


class Bars:
    """One bar for each piece of work, shown once the work has taken a while."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._show_from = time.monotonic() + PATIENCE

    def update(self, work: str, done: int, total: int) -> None:
        """Report progress, as `learn` and `load` do."""
        if work not in self._tasks:
            self._tasks[work] = self._bars.add_task(work, total=total)
        self._bars.update(self._tasks[work], completed=done, total=total)
        if time.monotonic() > self._show_from and not self._bars.live.is_started:
            self._bars.start()


def _new_bars() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
