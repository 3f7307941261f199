"""Time and memory of cells, in files of their own: they differ from one time to the next."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from orderspn.experiments.cells import Cell
from orderspn.experiments.experiment import Outcome
from orderspn.experiments.tables import as_csv, as_markdown

MIB = 2.0**20

MEASURED = {
    "learn_seconds": ("seconds to learn", 1.0, "{:.2f}"),
    "learn_cpu_seconds": ("of the processor", 1.0, "{:.2f}"),
    "measure_seconds": ("seconds to measure", 1.0, "{:.2f}"),
    "measure_cpu_seconds": ("of the processor", 1.0, "{:.2f}"),
    "peak_bytes": ("peak memory (MiB)", MIB, "{:.0f}"),
}
"""What cells report, with a title, a unit and a format."""


def timings_csv(outcomes: Mapping[Cell, Outcome]) -> str:
    """A line for each cell."""
    columns = ["experiment", "d", "method", "run", "seed", *MEASURED]
    return as_csv(
        columns,
        (
            [cell.experiment, cell.d, cell.method, cell.run, cell.seed, *map(outcome.timings.get, MEASURED)]
            for cell, outcome in outcomes.items()
        ),
    )


def timings_markdown(title: str, outcomes: Mapping[Cell, Outcome]) -> str:
    """A line for each method: medians over runs."""
    groups: dict[tuple[int, str], list[Outcome]] = {}
    for cell, outcome in outcomes.items():
        groups.setdefault((cell.d, cell.method), []).append(outcome)
    rows = [[str(d), method, str(len(of)), *_medians(of)] for (d, method), of in groups.items()]
    columns = ["d", "method", "runs", *(title for title, *_ in MEASURED.values())]
    return (
        f"# {title}: time and memory\n\nMedians over runs. Every cell ran in one thread, beside as many others as "
        "there were jobs. Memory is the largest size of the process, the interpreter and its libraries included.\n\n"
        f"{as_markdown(columns, rows)}\n"
    )


def _medians(outcomes: Sequence[Outcome]) -> list[str]:
    return [
        _median([outcome.timings.get(name) for outcome in outcomes], unit, form)
        for name, (_, unit, form) in MEASURED.items()
    ]


def _median(values: Sequence[float | None], unit: float, form: str) -> str:
    known = [value for value in values if value is not None]
    return form.format(statistics.median(known) / unit) if known else "-"
