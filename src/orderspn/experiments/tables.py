"""From outcomes to tables: a row for every number, and a summary over runs."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from orderspn.experiments.cells import Cell
from orderspn.experiments.experiment import Experiment, Outcome, Value


class Row(NamedTuple):
    """One number of one cell; the columns of `results.csv`."""

    experiment: str
    d: int
    method: str
    run: int
    seed: int
    metric: str
    n: int | None
    value: float


class SummaryRow(NamedTuple):
    """One metric of one method, over runs."""

    d: int
    metric: str
    n: int | None
    method: str
    runs: int
    mean: float
    sd: float | None
    median: float

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean; one run has none."""
        return None if self.sd is None else self.sd / math.sqrt(self.runs)


def rows_of(experiment: Experiment, outcomes: Mapping[Cell, Outcome]) -> list[Row]:
    """Every measured number, in the order of the cells."""
    by_run: dict[tuple[int, int], dict[str, Outcome]] = {}
    for cell, outcome in outcomes.items():
        by_run.setdefault((cell.d, cell.run), {})[cell.method] = outcome
    compared = {place: experiment.compare(of_run) for place, of_run in by_run.items()}
    return [
        _row(cell, value)
        for cell, outcome in outcomes.items()
        for value in [*outcome.values, *compared[cell.d, cell.run].get(cell.method, [])]
    ]


def _row(cell: Cell, value: Value) -> Row:
    return Row(cell.experiment, cell.d, cell.method, cell.run, cell.seed, *value)


def summarize(experiment: Experiment, rows: Iterable[Row]) -> list[SummaryRow]:
    """Mean, standard deviation and median over runs, of the metrics of the experiment.

    The standard deviation is that of a sample (n - 1); one run has none.
    """
    groups: dict[tuple[int, str, int | None, str], list[float]] = {}
    methods: list[str] = []
    for row in rows:
        if row.method not in methods:
            methods.append(row.method)
        groups.setdefault((row.d, row.metric, row.n, row.method), []).append(row.value)
    order = [metric.name for metric in experiment.metrics]
    shown = sorted(
        (group for group in groups if group[1] in order),
        key=lambda group: (group[0], order.index(group[1]), group[2] or 0, methods.index(group[3])),
    )
    return [SummaryRow(*group, *_statistics(groups[group])) for group in shown]


def _statistics(values: Sequence[float]) -> tuple[int, float, float | None, float]:
    spread = statistics.stdev(values) if len(values) > 1 else None
    return len(values), statistics.fmean(values), spread, statistics.median(values)


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values with full precision; None is an empty field.

    Examples
    --------
    >>> print(as_csv(["n", "value"], [(None, 0.1)]), end="")
    n,value
    ,0.1
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def as_markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown.

    Examples
    --------
    >>> print(as_markdown(["method", "mean"], [("GADGET", "0.9")]))
    | method | mean |
    | --- | --- |
    | GADGET | 0.9 |
    """
    lines = [list(columns), ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
