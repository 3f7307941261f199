"""Progress of a call: what is known of its work, and a thread that draws it.

Reports only write down a number. The thread draws them now and then, so that also work without reports, such as
compilation, is seen to go on, and nothing is imported or drawn for a call that is over soon.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import dataclass, field
from types import TracebackType

from orderspn.core.workers import reporting_to
from orderspn.display.drawings import Work, new_drawing
from orderspn.display.screen import Screen
from orderspn.kernels.compilation import compilation


@dataclass
class Bars:
    """One bar for each piece of work of a block, drawn from a while after it began until it ends.

    Attributes
    ----------
    screen : {"notebook", "terminal"} or None
        Where to draw; without a screen, the names of works are written to the error stream.
    patience : float
        Seconds before anything is drawn.
    """

    screen: Screen | None
    patience: float = 0.0
    works: dict[str, Work] = field(default_factory=dict)

    def __enter__(self) -> Bars:
        self._over = threading.Event()
        self._open = ExitStack()
        self._open.enter_context(compilation.untold())
        self._open.enter_context(reporting_to(self.update))
        # In a notebook the context says to which cell the output of a thread belongs.
        self._thread = threading.Thread(target=copy_context().run, args=(self._draw,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        self._over.set()
        self._thread.join()

    def update(self, work: str, done: int, total: int) -> None:
        """Note how far a piece of work is; the last one that was noted is the current one."""
        known = self.works.pop(work, None)
        goes_on = known is not None and done >= known.done
        self.works[work] = Work(work, done, total, known.since if known and goes_on else time.monotonic())

    def _draw(self) -> None:
        if self._over.wait(self.patience):
            return
        with new_drawing(self.screen) as drawing:
            drawing.draw(self._noted(), compilation.running)
            while not self._over.wait(drawing.interval):
                drawing.draw(self._noted(), compilation.running)

    def _noted(self) -> list[Work]:
        return list(self.works.copy().values())
