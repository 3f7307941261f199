"""Simulated data together with the network that they came from."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_choice, check_positive
from orderspn.core.dag import topological_order
from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices, read_graph
from orderspn.core.randomness import RandomState, spawn_generators
from orderspn.simulate.network import LinearGaussianNetwork
from orderspn.simulate.random_graphs import erdos_renyi

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Simulation:
    """Rows drawn from a network, and the truth about them.

    Attributes
    ----------
    data : pandas.DataFrame
        A column for each variable.
    network : LinearGaussianNetwork
        Where they came from; `network.sample` gives further rows.
    """

    data: pd.DataFrame
    network: LinearGaussianNetwork

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in the order of the columns."""
        return self.network.variables

    @property
    def adjacency(self) -> np.ndarray:
        """The true graph: shape (d, d), bool, [cause, effect]."""
        return self.network.adjacency

    @property
    def weights(self) -> np.ndarray:
        """The true weights: shape (d, d), [cause, effect]."""
        return self.network.weights

    @property
    def total_effects(self) -> np.ndarray:
        """The true total effects: shape (d, d), [cause, effect], 1 on the diagonal."""
        return self.network.total_effects

    @property
    def graph(self) -> nx.DiGraph[str]:
        """The true graph with named nodes and the attribute `weight` on its edges."""
        return self.network.graph


def linear_gaussian(
    graph: Any,
    n_rows: int = 100,
    *,
    expected_degree: float | None = None,
    weights: str = "normal",
    weight_scale: float = 1.0,
    noise_variances: float | Sequence[float] | np.ndarray = 0.1,
    variables: Sequence[str] | None = None,
    rng: RandomState = None,
) -> Simulation:
    """Draw weights for a random or given graph, and rows from the network so made.

    By default as in the paper: an Erdos-Renyi graph with 2d expected edges, weights N(0, 1), noise variance 0.1.

    Parameters
    ----------
    graph : int, DataFrame, array or networkx.DiGraph
        A number of variables for a random graph, or a graph without cycles, such as one from `scale_free`.
    n_rows : int, default 100
    expected_degree : float, default 4
        Of a random graph: expected number of edges at each variable, see `erdos_renyi`.
    weights : {"normal", "uniform"}
        Standard normal, or uniform in [0.5, 2] with a random sign.
    weight_scale : float, default 1
        A factor on all weights.
    noise_variances : float or sequence of float, default 0.1
        One for all variables, or one for each.
    variables : sequence of str, optional
        Names, where the graph has none; default `X1`, `X2`, ...
    rng : int, SeedSequence, Generator or None
        The same seed gives the same network whatever the number of rows.

    Returns
    -------
    Simulation
        With `.data`, `.network`, `.adjacency`, `.weights`, `.total_effects`, `.graph` and `.variables`.

    Examples
    --------
    >>> import orderspn as osp
    >>> truth = osp.simulate.linear_gaussian(10, n_rows=200, rng=0)
    >>> truth.data.shape, int(truth.adjacency.sum())
    ((200, 10), 19)
    >>> test_rows = truth.network.sample(1000, rng=1)

    A graph of one's own:

    >>> import networkx as nx
    >>> osp.simulate.linear_gaussian(nx.DiGraph([("A", "B"), ("B", "C")]), weights="uniform", rng=0).variables
    ('A', 'B', 'C')
    """
    check_choice("weights", weights, ("normal", "uniform"))
    scale = check_positive("weight_scale", weight_scale)
    for_graph, for_weights, for_rows = spawn_generators(rng, 3)
    if isinstance(graph, numbers.Integral) and not isinstance(graph, bool):
        edges = Matrices(erdos_renyi(int(graph), 4.0 if expected_degree is None else expected_degree, for_graph), None)
    else:
        if expected_degree is not None:
            raise InvalidValue("expected_degree is for random graphs; it cannot be given together with a graph.")
        edges = read_graph("graph", graph)
        topological_order("graph", edges.values, edges.variables)
        if edges.variables is not None and variables is not None:
            raise InvalidValue("variables cannot be given together with a graph that has its names already.")
    shape = edges.values.shape
    if weights == "normal":
        drawn = for_weights.normal(size=shape)
    else:
        drawn = for_weights.uniform(0.5, 2.0, size=shape) * for_weights.choice([-1.0, 1.0], size=shape)
    names = edges.variables if variables is None else variables
    network = LinearGaussianNetwork(
        np.where(edges.values, scale * drawn, 0.0), noise_variances, variables=names, adjacency=edges.values
    )
    return Simulation(network.sample(n_rows, for_rows), network)
