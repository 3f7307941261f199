"""What an experiment is: whom it compares, what it measures, and how the outcome is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from orderspn.experiments.runs import Run
    from orderspn.experiments.tables import Row
    from orderspn.posterior import Posterior


class Value(NamedTuple):
    """One measured number; `n` is what it was measured for, such as a number of edges, where there are several."""

    metric: str
    n: int | None
    value: float


@dataclass(frozen=True)
class Metric:
    """A name in tables, a label in figures, which way is good ("lower", "higher" or ""), and the scale of its axis."""

    name: str
    label: str
    better: str = ""
    scale: str = "linear"


@dataclass(frozen=True)
class Outcome:
    """What one cell found.

    Attributes
    ----------
    values : tuple of Value
        The numbers of the tables.
    edges : list of list of float, optional
        Edge probabilities, for comparisons between cells.
    warnings : tuple of str
        What learning had to say.
    timings : mapping
        Seconds and bytes: they differ each time, and are kept apart from everything else.
    """

    values: tuple[Value, ...]
    edges: list[list[float]] | None = None
    warnings: tuple[str, ...] = ()
    timings: Mapping[str, float | None] = field(default_factory=dict)


def no_comparison(outcomes: Mapping[str, Outcome]) -> dict[str, list[Value]]:  # noqa: ARG001
    """Most experiments measure every cell for itself."""
    return {}


@dataclass(frozen=True)
class Experiment:
    """One of the paper's experiments, or one in their manner.

    Attributes
    ----------
    name, title : str
    about : str
        What is measured and how, in a few sentences for the report.
    methods : sequence of str
        Those that are compared by default.
    metrics : sequence of Metric
        Those in the tables, in this order.
    protocol : callable
        From the number of variables to the numbers that the outcome depends on, as JSON values.
    measure : callable
        From a posterior and its run to values.
    draw : callable
        From rows and methods to a figure.
    references : sequence of str
        Methods that the others are compared with.
    compare : callable
        From the outcomes of a run, by method, to further values of each method.
    """

    name: str
    title: str
    about: str
    methods: Sequence[str]
    metrics: Sequence[Metric]
    protocol: Callable[[int], dict[str, Any]]
    measure: Callable[[Posterior, Run], Outcome]
    draw: Callable[[Sequence[Row], Sequence[str]], Figure]
    references: Sequence[str] = ()
    compare: Callable[[Mapping[str, Outcome]], dict[str, list[Value]]] = no_comparison
