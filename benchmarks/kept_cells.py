"""Measurements one by one, each in a process of its own; those that are done are kept in a file of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

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
