"""Reports of an experiment: its results, which are the same every time, and separately its time and memory."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from orderspn.experiments.approaches import APPROACHES
from orderspn.experiments.cells import Cell
from orderspn.experiments.differences import Difference, paired_differences
from orderspn.experiments.experiment import Experiment, Outcome
from orderspn.experiments.tables import Row, SummaryRow, as_csv, as_markdown

MIB = 2.0**20
MEASURED = {
    "learn_seconds": ("seconds to learn", 1.0, "{:.2f}"),
    "learn_cpu_seconds": ("of the processor", 1.0, "{:.2f}"),
    "measure_seconds": ("seconds to measure", 1.0, "{:.2f}"),
    "measure_cpu_seconds": ("of the processor", 1.0, "{:.2f}"),
    "peak_bytes": ("peak memory (MiB)", MIB, "{:.0f}"),
}
"""What cells report, with a title, a unit and a format."""


def report(
    experiment: Experiment,
    settings: Mapping[str, Any],
    summary: Sequence[SummaryRow],
    rows: Sequence[Row],
    outcomes: Mapping[Cell, Outcome],
    notes: Sequence[str],
) -> str:
    """The whole report in Markdown."""
    parts = [
        f"# {experiment.title}",
        _setting(experiment, settings),
        experiment.about,
        *(f"Note: {note}" for note in notes),
        "## Results",
        "Mean with its standard error, standard deviation and median over runs. Every number is in `results.csv`; "
        "`figure.png` and `figure.svg` show them, and `timings.md` has times and memory.",
        *_tables(experiment, summary),
        *differences(experiment, rows),
        "## Methods",
        _methods(settings["methods"]),
        *_warnings(outcomes),
    ]
    return "\n\n".join(parts) + "\n"


def _setting(experiment: Experiment, settings: Mapping[str, Any]) -> str:
    sizes = " and ".join(map(str, settings["d"]))
    last = settings["seed"] + settings["runs"] - 1
    return (
        f"{settings['runs']} run(s) with {sizes} variables, seeds {settings['seed']} to {last}: {experiment.data} "
        f"Effort {settings['effort']:g}, version {settings['versions']['orderspn']}."
    )


def _tables(experiment: Experiment, summary: Sequence[SummaryRow]) -> Iterable[str]:
    """A heading and a table for each metric and number of variables."""
    for d in sorted({row.d for row in summary}):
        for metric in experiment.metrics:
            rows = [row for row in summary if row.d == d and row.metric == metric.name]
            if rows:
                better = f" ({metric.better} is better)" if metric.better else ""
                yield f"### {metric.label}{better}, d = {d}"
                yield _table(rows)


def _table(rows: Sequence[SummaryRow]) -> str:
    several = any(row.n is not None for row in rows)
    columns = [*(["n"] if several else []), "method", "runs", "mean", "standard error", "sd", "median"]
    return as_markdown(
        columns,
        (
            [
                *([str(row.n)] if several else []),
                row.method,
                str(row.runs),
                f"{row.mean:.4f}",
                "-" if row.standard_error is None else f"{row.standard_error:.4f}",
                "-" if row.sd is None else f"{row.sd:.4f}",
                f"{row.median:.4f}",
            ]
            for row in rows
        ),
    )


def differences(experiment: Experiment, rows: Sequence[Row]) -> list[str]:
    """A heading and a table of paired differences from the reference of the experiment; empty if it has none."""
    reference = experiment.paired_with
    found = [] if reference is None else paired_differences(rows, reference, [own.name for own in experiment.metrics])
    if not found:
        return []
    labels = {metric.name: metric.label for metric in experiment.metrics}
    columns = ["metric", "d", "method", "runs", f"mean, less {reference}", "standard error", "in standard errors"]
    return [
        f"### Paired differences from {reference}",
        "In each run all methods have the same data; the standard error is that of the mean difference over runs.",
        as_markdown(
            columns,
            (
                [labels[own.metric], own.d, own.method, str(own.runs), f"{own.mean:+.4f}", *_errors(own)]
                for own in found
            ),
        ),
    ]


def _errors(own: Difference) -> list[str]:
    return [
        "-" if own.standard_error is None else f"{own.standard_error:.4f}",
        "-" if own.in_errors is None else f"{own.in_errors:+.1f}",
    ]


def _methods(methods: Mapping[str, Mapping[str, Any]]) -> str:
    """What each method is, and its settings."""
    lines = []
    for name, by_size in methods.items():
        lines.append(f"- {name}: {APPROACHES[name].what}.")
        lines += [f"  - d = {d}: `{json.dumps(settings)}`" for d, settings in by_size.items()]
    return "\n".join(lines)


def _warnings(outcomes: Mapping[Cell, Outcome]) -> list[str]:
    """The number of runs of each method with a warning, such as that chains disagree."""
    counts: dict[tuple[int, str], int] = {}
    for cell, outcome in outcomes.items():
        if outcome.warnings:
            counts[cell.d, cell.method] = counts.get((cell.d, cell.method), 0) + 1
    if not counts:
        return []
    lines = [f"- {method}, d = {d}: {count} run(s)" for (d, method), count in counts.items()]
    return [
        "## Warnings of learning",
        "Runs with a warning, mostly that chains disagree or have not converged; `results.json` has the messages.",
        "\n".join(lines),
    ]


def timings_csv(outcomes: Mapping[Cell, Outcome]) -> str:
    """Time and memory of each cell, as CSV."""
    columns = ["experiment", "d", "method", "run", "seed", *MEASURED]
    return as_csv(
        columns,
        (
            [cell.experiment, cell.d, cell.method, cell.run, cell.seed, *map(outcome.timings.get, MEASURED)]
            for cell, outcome in outcomes.items()
        ),
    )


def timings_markdown(title: str, outcomes: Mapping[Cell, Outcome]) -> str:
    """Time and memory of each method, medians over runs, as Markdown."""
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
