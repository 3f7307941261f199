"""Threads and progress: how long computations are spread over cores and reported.

Kernels release the interpreter lock, and each task owns the memory it writes. So the number of threads does not change
results. A `KeyboardInterrupt` cancels the tasks that have not started.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from orderspn.core.logs import Stage
from orderspn.core.memory import ANSWER_LIMIT

ProgressCallback = Callable[[str, int, int], None]
"""Called as `progress(work, done, total)`: the name of the work, the steps finished, and all steps."""

_listener: ContextVar[ProgressCallback | None] = ContextVar("listener", default=None)


@contextmanager
def reporting_to(callback: ProgressCallback) -> Iterator[None]:
    """Report the work of this block to a callback, in place of those that workers have.

    Models keep their workers, and are asked for years after they were learned: a display belongs to one call.
    """
    before = _listener.set(callback)
    try:
        yield
    finally:
        _listener.reset(before)


def has_listener() -> bool:
    """Whether this is within a block of `reporting_to`."""
    return _listener.get() is not None


def unheard(work: str, done: int, total: int) -> None:
    """Report to nobody: the callback of workers that speak only within a block of `reporting_to`."""


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Steps:
    """Counts the steps of one piece of work and reports them."""

    def __init__(self, work: str, total: int, callback: ProgressCallback | None) -> None:
        self._work, self._total, self._callback, self._done = work, total, callback, 0

    def advance(self, steps: int = 1) -> None:
        """Report that `steps` more steps are finished."""
        self._done += steps
        if self._callback is not None:
            self._callback(self._work, self._done, self._total)


@dataclass(frozen=True)
class Workers:
    """The number of threads, the callback for progress, and the bytes that an answer may take.

    Without a callback they are silent everywhere.
    """

    n_jobs: int = 1
    progress: ProgressCallback | None = None
    memory: int = ANSWER_LIMIT

    def steps(self, work: str, total: int) -> Steps:
        """Start a piece of work of `total` steps."""
        return Steps(work, total, self.progress and (_listener.get() or self.progress))

    def stage(self, name: str) -> Stage:
        """Begin a stage for the log; silent workers do not log."""
        return Stage(name, logged=self.progress is not None)

    def run(self, tasks: Iterable[Callable[[], object]], steps: Steps | None = None) -> None:
        """Run independent tasks and wait for all of them; each is one step."""
        tasks = list(tasks)
        if self.n_jobs == 1 or len(tasks) == 1:
            for task in tasks:
                task()
                if steps is not None:
                    steps.advance()
            return
        with ThreadPoolExecutor(self.n_jobs) as pool:
            pending = {pool.submit(task) for task in tasks}
            try:
                while pending:
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in finished:
                        future.result()
                        if steps is not None:
                            steps.advance()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
