"""Cells of the study, method by data by repeat: measured once, kept in a file, and continued after an interruption."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchmarks.kept_cells import Cell, keep, read_results
from benchmarks.peers.environments import interpreter
from benchmarks.peers.measures import measured
from benchmarks.peers.methods import Method
from benchmarks.peers.tables import Family
from benchmarks.peers.workers import AdapterFailed, OverLimit, Worker
from orderspn.core.tasks import chosen_backend

SLOW, FEW = 25.0, 3
"""A method whose first repeat takes more CPU-seconds than this has so few repeats."""


def name_of(method: Method, family: Family, repeat: int) -> str:
    """Return the key of a cell."""
    return f"{method.name} | {family.name} | {repeat}"


def applies(method: Method, family: Family, variables: int) -> bool:
    """Whether a method takes tables of this kind and size."""
    return family.kind in method.kinds and variables <= method.most_variables


def measure_cell(worker: Worker, method: Method, family: Family, repeat: int) -> Cell:
    """Ask one method about one table, and measure the answer."""
    table, limit = family.make(repeat), max(family.cpu_limit, method.cpu_limit)
    try:
        answer = worker.ask(table.values, table.kinds, repeat, method.settings, limit)
    except OverLimit:
        return {"over_limit": limit}
    except AdapterFailed as failure:
        return {"failed": str(failure)}
    cost = {"cpu_seconds": float(answer["cpu_seconds"]), "peak_mib": float(answer["peak_mib"])}
    return cost | measured(answer, table)


def measure_rows(
    methods: Iterable[Method],
    families: Iterable[Family],
    path: Path,
    *,
    repeats: Iterable[int] | None = None,
    fresh: bool = False,
    tell: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> dict[str, Cell]:
    """Measure the cells that are not kept, or all if `fresh`; the file is written after each.

    On a backend of joblib that the user has chosen, a task is all repeats of a method on one kind of data, because the
    first decides whether there are others. The machines of its workers need the environments of the methods.
    """
    results = read_results(path)
    chosen, asked = list(families), None if repeats is None else list(repeats)
    backend = chosen_backend()
    rows: list[tuple[Method, Family]] = []

    def kept(name: str, cell: Cell) -> None:
        results.update(keep(path, name, cell))
        tell(f"{name} {_short(cell)}")

    def all_kept(number: int, cells: list[tuple[str, Cell]]) -> None:  # noqa: ARG001
        for name, cell in cells:
            kept(name, cell)

    for method in methods:
        python = interpreter(method.environment)
        if python is None:
            tell(f"{method.name}: not installed, left out")
            continue
        own = [(method, family) for family in chosen if applies(method, family, family.make(0).values.shape[1])]
        rows += own
        if backend is None:
            worker = Worker(python, method.script)
            for _, family in own:
                for name, cell in _measured(worker, method, family, results, asked, fresh):
                    kept(name, cell)
            worker.close()
    if backend is not None:
        each = [(method, family, _of_row(results, method, family), asked, fresh) for method, family in rows]
        backend.run(_row_in_worker, (), each, all_kept)
    return results


def _measured(
    worker: Worker, method: Method, family: Family, known: dict[str, Cell], repeats: list[int] | None, fresh: bool
) -> Iterator[tuple[str, Cell]]:
    """Measure the cells of one method on one kind of data that are not known; yield each with its name."""
    found = dict(known)
    for repeat in range(family.repeats) if repeats is None else repeats:
        name = name_of(method, family, repeat)
        if (fresh or name not in found) and (repeats is not None or _wanted(found, method, family, repeat)):
            found[name] = measure_cell(worker, method, family, repeat)
            yield name, found[name]


def _row_in_worker(
    key: object,  # noqa: ARG001
    shared: object,  # noqa: ARG001
    method: Method,
    family: Family,
    known: dict[str, Cell],
    repeats: list[int] | None,
    fresh: bool,
) -> list[tuple[str, Cell]]:
    """Measure one method on one kind of data, as a task of a backend."""
    python = interpreter(method.environment)
    if python is None:
        return []
    worker = Worker(python, method.script)
    try:
        return list(_measured(worker, method, family, known, repeats, fresh))
    finally:
        worker.close()


def _of_row(results: dict[str, Cell], method: Method, family: Family) -> dict[str, Cell]:
    names = (name_of(method, family, repeat) for repeat in range(family.repeats))
    return {name: results[name] for name in names if name in results}


def _wanted(results: dict[str, Cell], method: Method, family: Family, repeat: int) -> bool:
    """Whether a repeat belongs to the study: not after a first one that failed, and few where the first was slow."""
    if repeat == 0:
        return True
    first = results[name_of(method, family, 0)]
    return "cpu_seconds" in first and (first["cpu_seconds"] <= SLOW or repeat < FEW)


def _short(cell: Cell) -> str:
    kept = ("failed", "over_limit", "cpu_seconds", "peak_mib", "shd", "average_precision", "log_loss")
    return " ".join(
        f"{key}={cell[key]:.3g}" if key != "failed" else cell[key] for key in kept if cell.get(key) is not None
    )
