"""Cells of the study, method by data by repeat: measured once, kept in a file, and continued after an interruption."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.kept_cells import Cell, keep, read_results
from benchmarks.peers.environments import interpreter
from benchmarks.peers.measures import measured
from benchmarks.peers.methods import Method
from benchmarks.peers.tables import Family
from benchmarks.peers.workers import AdapterFailed, OverLimit, Worker

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
    """Measure the cells that are not kept, or all if `fresh`; the file is written after each."""
    results = read_results(path)
    chosen = list(families)
    for method in methods:
        python = interpreter(method.environment)
        if python is None:
            tell(f"{method.name}: not installed, left out")
            continue
        worker = Worker(python, method.script)
        for family in chosen:
            if not applies(method, family, family.make(0).values.shape[1]):
                continue
            for repeat in range(family.repeats) if repeats is None else repeats:
                name = name_of(method, family, repeat)
                if (fresh or name not in results) and (repeats is not None or _wanted(results, method, family, repeat)):
                    results[name] = measure_cell(worker, method, family, repeat)
                    results = keep(path, name, results[name])
                    tell(f"{name} {_short(results[name])}")
        worker.close()
    return results


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
