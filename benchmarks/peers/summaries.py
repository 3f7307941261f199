"""Cells of the study by method and data: means with their spread, and differences on the same tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.kept_cells import Cell
from benchmarks.peers.cells import FEW
from benchmarks.peers.tables import Family

Results = dict[str, Cell]


class Measure(NamedTuple):
    """How a measure is called and shown, and whether more of it is better."""

    key: str
    label: str
    digits: int
    more_is_better: bool


GRAPH = (
    Measure("shd", "SHD", 1, False),
    Measure("adjacency_f1", "adjacency F1", 2, True),
    Measure("arrowhead_f1", "arrowhead F1", 2, True),
    Measure("parent_aid", "parent AID", 2, False),
    Measure("ancestor_aid", "ancestor AID", 2, False),
    Measure("score_gain", "BGe, nats above the truth", 0, True),
)
EDGES = (
    Measure("auroc", "AUROC", 3, True),
    Measure("average_precision", "average precision", 3, True),
    Measure("directed_average_precision", "of directions", 3, True),
    Measure("brier", "Brier", 4, False),
    Measure("log_loss", "log loss", 3, False),
    Measure("log_loss_common", "log loss, common floor", 3, False),
    Measure("calibration_error", "calibration error", 3, False),
    Measure("expected_shd", "E-SHD", 1, False),
)
COST = (Measure("cpu_seconds", "CPU-s", 2, False), Measure("peak_mib", "MiB", 0, False))


def rows_of(results: Results, method: str, family: str) -> dict[int, Cell]:
    """Return the cells of a method on tables of a family, by repeat."""
    start = f"{method} | {family} | "
    return {int(name.removeprefix(start)): cell for name, cell in results.items() if name.startswith(start)}


def values_of(cells: Iterable[Cell], key: str) -> np.ndarray:
    """Return the values of a measure, without cells that have none."""
    return np.array([cell[key] for cell in cells if cell.get(key) is not None], dtype=float)


def mean_and_spread(cells: Iterable[Cell], measure: Measure) -> str:
    """Return the mean and, of several repeats, the standard deviation over them."""
    values = values_of(cells, measure.key)
    if not len(values):
        return ""
    shown = f"{values.mean():.{measure.digits}f}"
    return shown if len(values) == 1 else f"{shown} ± {values.std(ddof=1):.{measure.digits}f}"


class Difference(NamedTuple):
    """Mean difference of two methods on the same tables, its standard error (None: one table), and how many tables."""

    mean: float
    error: float | None
    tables: int

    def verdict(self, more_is_better: bool) -> str:
        """Whether the first is ahead or behind by more than two standard errors."""
        gain = self.mean if more_is_better else -self.mean
        if self.tables < FEW or self.error is None:
            return "too few tables"
        if abs(gain) <= 2.0 * self.error or gain == 0.0:
            return "equal"
        return "ahead" if gain > 0.0 else "behind"


def difference(results: Results, first: str, second: str, family: str, key: str) -> Difference | None:
    """Return how much larger a measure of the first method is, over the tables that both answered."""
    a, b = rows_of(results, first, family), rows_of(results, second, family)
    pairs = [
        a[repeat][key] - b[repeat][key]
        for repeat in a.keys() & b.keys()
        if a[repeat].get(key) is not None and b[repeat].get(key) is not None
    ]
    if not pairs:
        return None
    error = float(np.std(pairs, ddof=1) / np.sqrt(len(pairs))) if len(pairs) > 1 else None
    return Difference(float(np.mean(pairs)), error, len(pairs))


def best_method(results: Results, methods: Iterable[str], family: str, measure: Measure) -> str | None:
    """Return the method with the best mean over the tables that all of them answered.

    A method that answered fewer than `FEW` tables, where others answered more, does not take part.
    """
    answered: dict[str, dict[int, float]] = {}
    for method in methods:
        cells = rows_of(results, method, family)
        answered[method] = {r: cell[measure.key] for r, cell in cells.items() if cell.get(measure.key) is not None}
    most = max((len(own) for own in answered.values()), default=0)
    taking_part = {method: own for method, own in answered.items() if own and len(own) >= min(FEW, most)}
    if not taking_part:
        return None
    shared = set.intersection(*(set(own) for own in taking_part.values()))
    sign = -1.0 if measure.more_is_better else 1.0
    return min(taking_part, key=lambda method: sign * sum(taking_part[method][repeat] for repeat in shared))


def pooled_bins(results: Results, methods: Iterable[str], families: Iterable[Family]) -> dict[str, np.ndarray]:
    """Return counts, sums of probabilities and joined pairs of ten bins, over tables that all methods answered."""
    names = list(methods)
    pooled = {name: np.zeros((10, 3)) for name in names}
    for family in families:
        answered = {name: rows_of(results, name, family.name) for name in names}
        shared = set.intersection(*({r for r, cell in own.items() if "bins" in cell} for own in answered.values()))
        for name in names:
            for repeat in shared:
                pooled[name] += np.array(answered[name][repeat]["bins"])
    return pooled


def troubles(results: Results, key: str) -> dict[str, list[Any]]:
    """Return cells that went over the limit, or failed: names of method and data, with what is under the key."""
    found: dict[str, list[Any]] = {}
    for name, cell in results.items():
        if key in cell:
            found.setdefault(" | ".join(name.split(" | ")[:2]), []).append(cell[key])
    return found
