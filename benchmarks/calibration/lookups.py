"""Kept cells by data and settings, and what follows from them: differences to the default, and regrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.calibration.arms import ARMS, DEFAULT, Arm
from benchmarks.calibration.tables import FAMILIES, Family

Results = dict[str, Any]
DISTINCT = 2.0
"""A difference of more than so many standard errors is told."""


class Value(NamedTuple):
    """A number and its standard error."""

    value: float
    error: float

    def shown(self, places: int = 3, sign: bool = False) -> str:
        return f"{self.value:{'+' if sign else ''}.{places}f} ± {self.error:.{places}f}"


def families_of(group: str) -> list[Family]:
    return [family for family in FAMILIES.values() if family.group == group]


def measured_arms(results: Results, families: Sequence[Family]) -> list[Arm]:
    """Return the arms that were measured on all of these kinds of data."""
    return [arm for arm in ARMS.values() if all(f"{family.name} | {arm.group}" in results for family in families)]


def measure(results: Results, family: Family, arm: Arm, kind: str, key: str) -> Value:
    """Return a measure of an arm on a kind of data."""
    return Value(*results[f"{family.name} | {arm.group}"][kind][arm.name][key])


def curve(results: Results, family: Family, arm: Arm, kind: str) -> list[list[float]]:
    """Return the points of a reliability curve: count, probability, share of true pairs, ends of its band."""
    points: list[list[float]] = results[f"{family.name} | {arm.group}"][kind][arm.name]["curve"]
    return points


def verdict(results: Results, family: Family, arm: Arm, kind: str) -> str:
    """Whether the log loss of an arm is lower than that of the default, higher, or not distinguishable."""
    difference = measure(results, family, arm, kind, "log_loss_difference")
    if abs(difference.value) <= DISTINCT * difference.error:
        return "equal"
    return "better" if difference.value < 0.0 else "worse"


def counted(results: Results, families: Sequence[Family], arm: Arm, kind: str) -> dict[str, int]:
    """Return on how many kinds of data an arm is better than the default, equal and worse."""
    found = [verdict(results, family, arm, kind) for family in families]
    return {name: found.count(name) for name in ("better", "equal", "worse")}


def best(results: Results, family: Family, arms: Sequence[Arm], kind: str) -> Arm:
    """Return the arm with the lowest log loss, relative to the default on the same tables."""
    return min(arms, key=lambda arm: _above_default(results, family, arm, kind))


def log_loss(results: Results, family: Family, arm: Arm, kind: str) -> float:
    """Return the log loss as if all arms were measured on the tables of the default."""
    return measure(results, family, DEFAULT, kind, "log_loss").value + _above_default(results, family, arm, kind)


def _above_default(results: Results, family: Family, arm: Arm, kind: str) -> float:
    """Return the difference in log loss to the default: arms may have been measured on different numbers of tables."""
    return measure(results, family, arm, kind, "log_loss_difference").value


class Regret(NamedTuple):
    """How much higher the log loss of an arm is than that of the best one for the data: at most, where, on average."""

    largest: float
    where: Family
    mean: float


def regret(results: Results, families: Sequence[Family], arm: Arm, arms: Sequence[Arm], kind: str) -> Regret:
    """Return the regret of an arm before all arms, over kinds of data."""
    lost = {
        family: _above_default(results, family, arm, kind)
        - _above_default(results, family, best(results, family, arms, kind), kind)
        for family in families
    }
    where = max(lost, key=lambda family: lost[family])
    return Regret(lost[where], where, sum(lost.values()) / len(lost))


def inside_bands(results: Results, family: Family, arm: Arm, kind: str, fewest: int) -> tuple[int, int]:
    """Return how many points of a curve have their mean probability within their band, and how many points there are.

    Points of fewer pairs than `fewest` do not count: a band of few tables is too narrow.
    """
    points = [point for point in curve(results, family, arm, kind) if point[0] >= fewest]
    return sum(low <= promised <= high for _, promised, _, low, high in points), len(points)
