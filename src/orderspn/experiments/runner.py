"""Running the cells that are not stored yet, several at once, in worker processes that end with their parent.

If the user has chosen a backend by `joblib.parallel_config`, cells are tasks of it instead.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from orderspn.core.errors import UserError
from orderspn.core.tasks import chosen_backend
from orderspn.core.workers import Workers, unheard
from orderspn.display.progress import showing
from orderspn.experiments.cells import Cell, run_cell
from orderspn.experiments.experiment import Outcome
from orderspn.experiments.store import CellStore

Task = TypeVar("Task")
Result = TypeVar("Result")
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
"""Environment variables with which libraries use one core per worker."""


def run_cells(cells: Sequence[Cell], store: CellStore, jobs: int) -> dict[Cell, Outcome]:
    """The outcome of every cell in the order of `cells`, from the store, or computed and stored immediately."""
    known = {cell: store.find(cell) for cell in cells}
    missing = [cell for cell, outcome in known.items() if outcome is None]
    for cell in missing:
        store.check_place(cell)  # before the long work
    steps = Workers(1, unheard).steps("cells", len(cells))
    steps.advance(len(cells) - len(missing))

    def keep(cell: Cell, outcome: Outcome) -> None:
        store.keep(cell, outcome)
        known[cell] = outcome
        steps.advance()

    backend = chosen_backend()
    if backend is not None and missing:
        # One cell is one task; its own threads and searches stay in its worker.
        backend.run(_cell_in_worker, (), [(cell,) for cell in missing], lambda i, outcome: keep(missing[i], outcome))
        missing = []
    with closing(_computed(missing, jobs)) as finished:
        for cell, outcome in finished:
            keep(cell, outcome)
    return {cell: outcome for cell, outcome in known.items() if outcome is not None}


def _run_silently(cell: Cell) -> Outcome:
    with showing(False):  # the progress of an experiment is counted in cells
        return run_cell(cell)


def _cell_in_worker(key: object, shared: object, cell: Cell) -> Outcome:  # noqa: ARG001
    return _run_silently(cell)


def _computed(cells: Sequence[Cell], jobs: int) -> Generator[tuple[Cell, Outcome]]:
    """Cells with their outcomes, in the order in which they finish."""
    jobs = min(jobs, len(cells))
    if jobs <= 1:
        yield from ((cell, _run_silently(cell)) for cell in cells)
        return
    with worker_processes(jobs) as pool:
        futures = submit_all(pool, run_cell, cells)
        for future in as_completed(futures):
            try:
                outcome = future.result()
            except BrokenProcessPool as problem:
                raise UserError(
                    "a worker process ended before its work was done, often for lack of memory. Finished cells are "
                    "kept; repeat with fewer jobs."
                ) from problem
            yield futures[future], outcome


@contextmanager
def worker_processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of new processes for `submit_all`, which end when the block ends, also after an error.

    They are spawned, not forked: threads and locks of the parent would not survive a fork.
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
    """Submit all tasks, which starts the processes."""
    with _environment(ONE_THREAD), _interruptions_wait():
        return {pool.submit(work, task): task for task in tasks}


def _start_worker(lifeline: Connection) -> None:
    # Ctrl-C reaches every process of a terminal; only the parent should react.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Connection) -> None:
    """Exit when the other end of the pipe is closed, by the parent or by its death."""
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)


@contextmanager
def _interruptions_wait() -> Iterator[None]:
    """Delay Ctrl-C: a process that is started meanwhile does not receive it, not even while it imports."""
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
    """Set environment variables that are not set already, within the block."""
    added = [name for name in variables if name not in os.environ]
    os.environ.update({name: variables[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
