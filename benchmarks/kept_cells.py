"""Measurements one by one, each in a process of its own; those that are done are kept in a file of JSON."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
Results = dict[str, Any]


def read_results(path: Path) -> Results:
    """What is done so far."""
    results: Results = json.loads(path.read_text()) if path.exists() else {}
    return results


def measure_cells(
    module: str,
    names: Iterable[str],
    path: Path,
    *,
    fresh: bool = False,
    arguments: Sequence[str] = (),
    before: Callable[[str], None] | None = None,
) -> Results:
    """Measure the cells that are not done, or all if `fresh`, by `python -m module --cell NAME`; its last line counts.

    `before` is called with the name of each cell that is to be measured.
    """
    results = read_results(path)
    for name in names:
        if name in results and not fresh:
            continue
        if before is not None:
            before(name)
        command = [sys.executable, "-m", module, "--cell", name, *arguments]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        results[name] = json.loads(output.stdout.splitlines()[-1])
        path.write_text(json.dumps(results, indent=1) + "\n")
        print(name, {key: results[name][key] for key in list(results[name])[:6]}, file=sys.stderr, flush=True)
    return results


def keep(path: Path, name: str, cell: Cell) -> Results:
    """Add a cell to the file, beside what other runs have added meanwhile; returns all."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # between reading and writing, another run's cell would be lost
        results = read_results(path) | {name: cell}
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(dict(sorted(results.items())), indent=1) + "\n")
        os.replace(unfinished, path)
    return results
