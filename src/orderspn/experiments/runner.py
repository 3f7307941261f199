"""Running the cells that are not kept yet, several at once."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing

from orderspn.core.errors import UserError
from orderspn.core.workers import ProgressCallback, Steps
from orderspn.experiments.cells import Cell, run_cell
from orderspn.experiments.experiment import Outcome
from orderspn.experiments.processes import submit_all, worker_processes
from orderspn.experiments.store import CellStore


def run_cells(
    cells: Sequence[Cell], store: CellStore, jobs: int, progress: ProgressCallback | None
) -> dict[Cell, Outcome]:
    """The outcome of every cell, from the store or computed and kept there at once; in the order of `cells`."""
    known = {cell: store.find(cell) for cell in cells}
    missing = [cell for cell, outcome in known.items() if outcome is None]
    for cell in missing:
        store.check_place(cell)  # before the long work, not after it
    steps = Steps("cells", len(cells), progress)
    steps.advance(len(cells) - len(missing))
    with closing(_computed(missing, jobs)) as finished:
        for cell, outcome in finished:
            store.keep(cell, outcome)
            known[cell] = outcome
            steps.advance()
    return {cell: outcome for cell, outcome in known.items() if outcome is not None}


def _computed(cells: Sequence[Cell], jobs: int) -> Generator[tuple[Cell, Outcome]]:
    """Cells with their outcomes, as they are finished."""
    jobs = min(jobs, len(cells))
    if jobs <= 1:
        yield from ((cell, run_cell(cell)) for cell in cells)
        return
    with worker_processes(jobs) as pool:
        futures = submit_all(pool, run_cell, cells)
        for future in as_completed(futures):
            try:
                outcome = future.result()
            except BrokenProcessPool as problem:
                raise UserError(
                    "a worker process ended before its work was done, often for want of memory. Finished cells are "
                    "kept; repeat with fewer jobs."
                ) from problem
            yield futures[future], outcome
