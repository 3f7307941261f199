"""An experiment: runs of simulated data, the measurement of each, and the figure of the outcome.

Every run has a seed, from which its network, its data and all other random numbers are derived. All methods have the
same data and the same queries of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.experiments.methods import METHODS as PAPER_METHODS
from orderspn.simulate.simulation import Simulation, linear_gaussian

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from orderspn.experiments.tables import Row
    from orderspn.queries.edges import Edge

N_ROWS, N_TEST_ROWS = 100, 1000
"""Rows to learn from, and held-out rows, as in the paper."""

MOST_SEED = 2**31 - 1
"""Seeds are below this, so that those of different purposes never coincide."""

TEST_ROWS, SELECTIONS, LEARNING, METRICS, HOLES = 1, 2, 3, 4, 5
"""Purposes for which a run needs random numbers, besides its network and its data."""


@dataclass(frozen=True, eq=False)
class Run:
    """One network with data to learn from.

    Attributes
    ----------
    seed : int
        `simulate.linear_gaussian(d, 100, rng=seed)` gives the same network and data again.
    simulation : Simulation
    """

    seed: int
    simulation: Simulation

    @property
    def test_rows(self) -> pd.DataFrame:
        """Held-out rows."""
        return self.simulation.network.sample(N_TEST_ROWS, self.stream(TEST_ROWS))

    @property
    def true_edges(self) -> list[Edge]:
        """The edges of the true graph, by cause, then by effect."""
        names = self.simulation.variables
        return [(names[i], names[j]) for i, j in zip(*np.nonzero(self.simulation.adjacency), strict=True)]

    def stream(self, purpose: int, *parts: int) -> np.random.SeedSequence:
        """The seed sequence for one purpose."""
        return stream(self.seed, purpose, *parts)


def stream(seed: int, purpose: int, *parts: int) -> np.random.SeedSequence:
    """The seed sequence of a run for one purpose.

    Learning must not share a seed with the simulation: its first random order would be that of the true graph.
    """
    return np.random.SeedSequence([seed, purpose, *parts])


def make_run(d: int, seed: int) -> Run:
    """Simulate a run: an Erdos-Renyi graph with 2d expected edges, weights N(0, 1), noise variance 0.1.

    Examples
    --------
    >>> run = make_run(6, 0)
    >>> run.simulation.data.shape, run.test_rows.shape
    ((100, 6), (1000, 6))
    """
    return Run(seed, linear_gaussian(d, N_ROWS, rng=seed))


def paper_runs(d: int, seed: int) -> list[Run]:
    """The one run of a cell in the paper's experiments."""
    return [make_run(d, seed)]


PAPER_DATA = (
    "an Erdos-Renyi graph with 2d expected edges, weights N(0, 1), noise variance 0.1, and 100 rows to learn from, as "
    "in the paper. Score BGe, fair prior."
)


class Value(NamedTuple):
    """One measured number; `n` is the number of edges or rows, or the bin, that it was measured for, if any."""

    metric: str
    n: int | None
    value: float


@dataclass(frozen=True)
class Metric:
    """Name in tables, label in figures, what is better ("lower", "higher" or ""), and the scale of the axis."""

    name: str
    label: str
    better: str = ""
    scale: str = "linear"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one cell.

    Attributes
    ----------
    values : tuple of Value
        The numbers of the tables.
    edges : list of list of float, optional
        Edge probabilities, for comparisons between cells.
    warnings : tuple of str
        Warnings of learning.
    timings : mapping
        Seconds and bytes. They differ each time, and are kept separate from everything else.
    """

    values: tuple[Value, ...]
    edges: list[list[float]] | None = None
    warnings: tuple[str, ...] = ()
    timings: Mapping[str, float | None] = field(default_factory=dict)


def no_comparison(outcomes: Mapping[str, Outcome]) -> dict[str, list[Value]]:  # noqa: ARG001
    """No comparison between cells: most experiments measure each cell by itself."""
    return {}


@dataclass(frozen=True)
class Experiment:
    """One of the paper's experiments, or one like them.

    Attributes
    ----------
    name, title : str
    about : str
        What is measured and how, in a few sentences for the report.
    methods : sequence of str
        Methods that are compared by default.
    metrics : sequence of Metric
        Metrics in the tables, in this order.
    protocol : callable
        Maps the number of variables to the settings that the outcome depends on, as JSON values.
    measure : callable
        Maps a posterior (or a campaign of experiments) and its run to an outcome.
    draw : callable
        Maps rows and methods to a figure.
    simulate : callable
        Maps the number of variables and a seed to the runs of a cell: one, or one for each number of rows.
    data : str
        What is simulated, for the report.
    known : sequence of str
        Methods that can be asked for.
    d : int
        Number of variables by default.
    references : sequence of str
        Methods that the others are compared with.
    compare : callable
        Maps the outcomes of a run, by method, to further values of each method.
    paired_with : str, optional
        The method whose paired differences from all others are reported.
    """

    name: str
    title: str
    about: str
    methods: Sequence[str]
    metrics: Sequence[Metric]
    protocol: Callable[[int], dict[str, Any]]
    measure: Callable[[Any, Any], Outcome]
    draw: Callable[[Sequence[Row], Sequence[str]], Figure]
    simulate: Callable[[int, int], Sequence[Any]] = paper_runs
    data: str = PAPER_DATA
    known: Sequence[str] = tuple(PAPER_METHODS)
    d: int = 16
    references: Sequence[str] = ()
    compare: Callable[[Mapping[str, Outcome]], dict[str, list[Value]]] = no_comparison
    paired_with: str | None = None

    def __repr__(self) -> str:
        return f"<Experiment {self.name!r}>"
