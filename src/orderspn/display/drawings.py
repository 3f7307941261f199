"""Bars of progress on a terminal and in a notebook, both made by rich, and names of works elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

from orderspn.display.screen import Screen
from orderspn.kernels.compilation import COMPILING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress, Task, TaskID

WORKING = "working"

PAST_SHOWN = 3
"""Number of earlier works that are shown above the current one."""


@dataclass(frozen=True)
class Work:
    """A piece of work: its name, the steps that are done, all of them, and when it began."""

    name: str
    done: int
    total: int
    since: float

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.done >= self.total


class Drawing(AbstractContextManager["Drawing"]):
    """What is on the screen during a block; nothing is left of it afterwards."""

    interval: ClassVar[float] = 0.1
    """Seconds between two pictures."""

    def draw(self, works: Sequence[Work], compiling: bool) -> None:
        """Show works, the current one last, and whether kernels are being compiled."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def new_drawing(screen: Screen | None) -> Drawing:
    """Return an empty drawing for a screen."""
    return {"terminal": TerminalDrawing, "notebook": NotebookDrawing, None: NamesOnly}[screen]()


class NamesOnly(Drawing):
    """A line for each new name of work on the error stream, where bars cannot be drawn."""

    def __init__(self) -> None:
        self._named: set[str] = set()

    def draw(self, works: Sequence[Work], compiling: bool) -> None:
        """Write the names that are new."""
        for name in [*([COMPILING] if compiling else []), *(work.name for work in works)]:
            if name not in self._named:
                self._named.add(name)
                sys.stderr.write(f"orderspn: {name}\n")


class BarDrawing(Drawing):
    """The bars themselves: the current work, the last ones before it, and one that moves if no number is known."""

    def __init__(self) -> None:
        self.bars = _new_bars()
        self._tasks: dict[str, TaskID] = {}
        self._moving = self.bars.add_task(WORKING, total=None, place=0, visible=False)

    def draw(self, works: Sequence[Work], compiling: bool) -> None:
        """Update the bars; subclasses show them."""
        for place, work in enumerate(works, start=-len(works)):
            self._draw_work(work, place)
        idle = not works or works[-1].finished
        self.bars.update(self._moving, description=COMPILING if compiling else WORKING, visible=compiling or idle)

    def _draw_work(self, work: Work, place: int) -> None:
        """Draw a work at a place before the end; that at -1 is the current one."""
        if work.name not in self._tasks:
            self._tasks[work.name] = self.bars.add_task(work.name, total=work.total, place=place)
        number = self._tasks[work.name]
        task = next(task for task in self.bars.tasks if task.id == number)
        if task.start_time != work.since:
            self.bars.reset(number, total=work.total, completed=0)
            task.start_time = work.since
        self.bars.update(number, completed=work.done, place=place, visible=place >= -1 - PAST_SHOWN)
        if place < -1 or work.finished:
            self.bars.stop_task(number)


class TerminalDrawing(BarDrawing):
    """Bars at the bottom of a terminal."""

    def __enter__(self) -> TerminalDrawing:
        self.bars.start()
        return self

    def draw(self, works: Sequence[Work], compiling: bool) -> None:
        """Draw the bars anew."""
        super().draw(works, compiling)
        self.bars.refresh()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bars.stop()


class NotebookDrawing(BarDrawing):
    """One output of a cell, which is replaced, and empty in the end."""

    interval: ClassVar[float] = 0.5

    def __init__(self) -> None:
        super().__init__()
        self._output: Any = None

    def draw(self, works: Sequence[Work], compiling: bool) -> None:
        """Replace the output by a new picture of the bars."""
        import IPython.display as notebook

        super().draw(works, compiling)
        if self._output is None:
            self._output = notebook.display(self.bars, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._output.update(self.bars)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._output is not None:
            self._output.update({"text/plain": "", "text/html": ""}, raw=True)


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
    from rich.text import Text

    class InOrder(Progress):
        """Bars in the order of their field `place`."""

        def get_renderables(self) -> Iterable[RenderableType]:
            yield self.make_tasks_table(sorted(self.tasks, key=lambda task: task.fields["place"]))

    class Left(TimeRemainingColumn):
        """The time that is left, where it is known."""

        def render(self, task: Task) -> Text:
            known = task.time_remaining if not task.finished else None
            return Text.assemble(super().render(task), " left") if known else Text("")

    return InOrder(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        Left(),
        console=Console(stderr=True, force_jupyter=False),
        transient=True,
        auto_refresh=False,
    )
