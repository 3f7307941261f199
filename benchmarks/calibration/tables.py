"""Tables of data whose true graph is known: of the model's own prior, as usually simulated, and against assumptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

import orderspn as osp
from benchmarks.bge_prior import numbers_from_prior
from benchmarks.calibration.graph_prior import prior_of_graphs

VARIABLES = 8

OWN, SIMULATED, WRONG = "own prior", "simulated", "wrong assumptions"


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of variables, and the graph among them."""

    frame: pd.DataFrame
    graph: np.ndarray  # (d, d) bool, [cause, effect]


@dataclass(frozen=True)
class Family:
    """Tables of one kind; `make` draws one from a seed."""

    name: str
    label: str
    group: str
    make: Callable[[int], Table]


def own_prior(seed: int, *, target: str, n_rows: int = 100) -> Table:
    """A graph from the fair prior, and parameters and rows from BGe's, with its default settings."""
    graph = prior_of_graphs(VARIABLES, "fair", target).sample(1, rng=seed).adjacency[0].astype(bool)
    # Another stream than that of the graph: one of the same seed would repeat its random numbers.
    rng = np.random.default_rng([seed, 1])
    values = numbers_from_prior(graph, n_rows, rng, alpha_mu=1.0, alpha_w=VARIABLES + 2.0, t=0.5)
    return Table(pd.DataFrame(values, columns=[f"X{v + 1}" for v in range(VARIABLES)]), graph)


def linear(seed: int, *, degree: float, n_rows: int) -> Table:
    """The paper's simulation: weights N(0, 1), noise of variance 0.1."""
    simulation = osp.simulate.linear_gaussian(VARIABLES, n_rows, expected_degree=degree, rng=seed)
    return Table(simulation.data, simulation.adjacency)


def nonlinear(seed: int, *, degree: float, n_rows: int) -> Table:
    """Curves instead of lines."""
    simulation = osp.simulate.nonlinear(VARIABLES, n_rows, expected_degree=degree, rng=seed)
    return Table(simulation.data, simulation.adjacency)


def skewed(seed: int, *, degree: float, n_rows: int) -> Table:
    """The paper's networks with exponential noise of the same variance."""
    network = osp.simulate.linear_gaussian(VARIABLES, 1, expected_degree=degree, rng=seed).network
    noise = np.random.default_rng([seed, 1]).exponential(size=(n_rows, VARIABLES)) - 1.0
    values = noise * np.sqrt(network.noise_variances) @ network.total_effects
    return Table(pd.DataFrame(values, columns=list(network.variables)), network.adjacency)


def hidden_cause(seed: int, *, degree: float, n_rows: int) -> Table:
    """The paper's simulation of one more variable, a cause of two or more others, which is not in the table.

    What caused the hidden variable is then a direct cause of its effects. Its effects cause each other only if they did
    before: if the hidden cause alone joins them, the truth is that they are not joined.
    """
    simulation = _first_with(VARIABLES + 1, degree, n_rows, seed, lambda graph: graph.sum(axis=1))
    hidden = int(simulation.adjacency.sum(axis=1).argmax())
    return Table(simulation.data.drop(columns=simulation.variables[hidden]), without(simulation.adjacency, hidden))


def without(graph: np.ndarray, hidden: int) -> np.ndarray:
    """Return the direct causes among the other variables, relative to these."""
    kept = np.delete(np.arange(len(graph)), hidden)
    through = np.outer(graph[:, hidden], graph[hidden])
    return (graph | through)[np.ix_(kept, kept)]


def selection(seed: int, *, degree: float, n_rows: int) -> Table:
    """The upper half of twice as many rows, by a variable with two or more causes, which is in the table."""
    simulation = _first_with(VARIABLES, degree, 2 * n_rows, seed, lambda graph: graph.sum(axis=0))
    selected = int(simulation.adjacency.sum(axis=0).argmax())
    frame = simulation.data
    column = frame.iloc[:, selected]
    return Table(frame[column > column.median()].reset_index(drop=True), simulation.adjacency)


def _first_with(
    d: int, degree: float, n_rows: int, seed: int, counted: Callable[[np.ndarray], np.ndarray]
) -> osp.simulate.Simulation:
    """The first simulation in which some variable has at least two of what is counted."""
    for child in np.random.SeedSequence(seed).spawn(100):
        simulation = osp.simulate.linear_gaussian(d, n_rows, expected_degree=degree, rng=child)
        if counted(simulation.adjacency).max() >= 2:
            return simulation
    raise AssertionError(f"no variable has two edges in 100 graphs of degree {degree}")


_LISTED = (
    Family("own-order", "own prior (orders), 100 rows", OWN, partial(own_prior, target="order")),
    Family("own-dag", "own prior (DAGs), 100 rows", OWN, partial(own_prior, target="dag")),
    *(
        Family(
            f"linear-{degree}-{n_rows}",
            f"linear Gaussian, degree {degree}, {n_rows} rows",
            SIMULATED,
            partial(linear, degree=float(degree), n_rows=n_rows),
        )
        for n_rows in (100, 1000)
        for degree in (2, 4, 6)
    ),
    Family("nonlinear", "curves, degree 2, 1000 rows", WRONG, partial(nonlinear, degree=2.0, n_rows=1000)),
    Family("skewed", "exponential noise, degree 2, 1000 rows", WRONG, partial(skewed, degree=2.0, n_rows=1000)),
    Family(
        "hidden", "a hidden common cause, degree 2, 1000 rows", WRONG, partial(hidden_cause, degree=2.0, n_rows=1000)
    ),
    Family("selection", "selected rows, degree 2, 1000 rows", WRONG, partial(selection, degree=2.0, n_rows=1000)),
)
FAMILIES = {family.name: family for family in _LISTED}
