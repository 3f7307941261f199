"""Paired differences between methods: all methods of a run have the same data, so that the data cancel."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from orderspn.experiments.tables import Row


class Difference(NamedTuple):
    """The mean over runs of the metric of a method less that of the reference."""

    d: str
    """Number of variables, or all of them, as text: "10", "10 and 20"."""

    metric: str
    method: str
    runs: int
    mean: float
    standard_error: float | None

    @property
    def in_errors(self) -> float | None:
        """The mean in standard errors; None if there is no error."""
        return self.mean / self.standard_error if self.standard_error else None


def paired_differences(rows: Sequence[Row], reference: str, metrics: Sequence[str]) -> list[Difference]:
    """Return the differences from a reference, for each number of variables and for all runs together.

    Metrics that are measured for several n are left out, and so are runs without the reference.

    Examples
    --------
    >>> rows = [Row("design", 10, name, run, run, "area", None, value)
    ...         for name, values in {"A": (1.0, 2.0), "B": (2.0, 5.0)}.items() for run, value in enumerate(values)]
    >>> [(own.d, own.method, own.mean, own.standard_error) for own in paired_differences(rows, "A", ["area"])]
    [('10', 'B', 2.0, 1.0)]
    """
    values = {(row.metric, row.method, row.d, row.run): row.value for row in rows if row.n is None}
    sizes = sorted({row.d for row in rows})
    methods = [name for name in dict.fromkeys(row.method for row in rows) if name != reference]
    groups = [[d] for d in sizes] + ([sizes] if len(sizes) > 1 else [])
    found = []
    for metric in metrics:
        for group in groups:
            for method in methods:
                apart = [
                    value - values[metric, reference, d, run]
                    for (name, own, d, run), value in values.items()
                    if (name, own) == (metric, method) and d in group and (metric, reference, d, run) in values
                ]
                # "All together" must not be one of the sizes alone.
                if apart and {d for (name, own, d, _) in values if (name, own) == (metric, method)} >= set(group):
                    found.append(Difference(" and ".join(map(str, group)), metric, method, *_mean_and_error(apart)))
    return found


def _mean_and_error(values: Sequence[float]) -> tuple[int, float, float | None]:
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    return len(values), statistics.fmean(values), error
