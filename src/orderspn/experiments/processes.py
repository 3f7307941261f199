"""Worker processes that end with their parent, however that ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
"""Read by libraries when they are loaded: workers share the cores among themselves, not each with all."""


@contextmanager
def worker_processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of fresh processes for `submit_all`; whatever ends the block ends them at once.

    Fresh ones and not copies of this one: threads and locks of a parent do not survive being copied.
    """
    context = get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(theirs,))
    try:
        yield pool
    finally:
        ours.close()
        pool.shutdown(wait=True, cancel_futures=True)
        theirs.close()


def submit_all(
    pool: ProcessPoolExecutor, work: Callable[[Task], Result], tasks: Iterable[Task]
) -> dict[Future[Result], Task]:
    """Hand in all tasks, which starts the processes."""
    with _environment(ONE_THREAD), _interruptions_wait():
        return {pool.submit(work, task): task for task in tasks}


def _start_worker(lifeline: Connection) -> None:
    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Connection) -> None:
    """Wait for the other end of the pipe to be closed, by the parent or by its death, and go."""
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)


@contextmanager
def _interruptions_wait() -> Iterator[None]:
    """Let Ctrl-C wait a moment: a process that is started meanwhile never hears of it, not even while it imports."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables that are not set already, for a while."""
    added = [name for name in variables if name not in os.environ]
    os.environ.update({name: variables[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
