"""Simulated data: random graphs, linear Gaussian networks on them, and rows drawn from the networks."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_choice, check_integer, check_positive
from orderspn.core.dag import topological_order
from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices, read_graph
from orderspn.core.memory import check_answer
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.simulate.network import LinearGaussianNetwork

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

BYTES_PER_PAIR = 16
"""Bytes per pair of variables while a graph is drawn: a random number, and the graph before and after shuffling."""


def erdos_renyi(d: int, expected_degree: float = 4.0, rng: RNGLike = None) -> np.ndarray:
    """Draw a DAG in which each pair of variables has an edge independently of the others.

    The direction of edges follows a uniformly random order of the variables.

    Parameters
    ----------
    d : int
        Number of variables, at least 2.
    expected_degree : float, default 4
        Expected number of edges at each variable, in and out together; the expected number of edges is
        `d * expected_degree / 2`, so 2d by default. With `d - 1` or more every pair has an edge.
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    numpy.ndarray
        Shape (d, d), bool, [cause, effect].

    Examples
    --------
    >>> import orderspn as osp
    >>> graph = osp.simulate.erdos_renyi(100, rng=0)
    >>> graph.shape, 150 < int(graph.sum()) < 250
    ((100, 100), True)
    """
    d = _checked_size(d)
    p = min(1.0, check_positive("expected_degree", expected_degree) / (d - 1))
    generator = spawn_generators(rng, 1)[0]
    return _shuffled(np.triu(generator.random((d, d)) < p, k=1), generator)


def scale_free(d: int, edges_per_variable: int = 2, *, hubs: str = "effects", rng: RNGLike = None) -> np.ndarray:
    """Draw a DAG in which a few variables have many edges (Barabasi and Albert, Science 1999).

    Variables are added one by one. Each is joined to different earlier ones, drawn with probability proportional to one
    plus the number of later variables that are already joined to them.

    Parameters
    ----------
    d : int
        Number of variables, at least 2.
    edges_per_variable : int, default 2
        How many earlier variables each is joined to, or all of them while there are fewer.
    hubs : {"effects", "causes"}
        Whether the earlier variable of a pair, which may become a hub, is the effect (the convention of most
        simulation studies) or the cause.
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    numpy.ndarray
        Shape (d, d), bool, [cause, effect].

    Examples
    --------
    >>> import orderspn as osp
    >>> graph = osp.simulate.scale_free(100, hubs="causes", rng=0)
    >>> int(graph.sum()), bool(graph.sum(axis=1).max() > 10), int(graph.sum(axis=0).max())
    (197, True, 2)
    """
    d = _checked_size(d)
    m = check_integer("edges_per_variable", edges_per_variable, 1)
    check_choice("hubs", hubs, ("effects", "causes"))
    generator = spawn_generators(rng, 1)[0]
    later_first = np.zeros((d, d), dtype=bool)  # [later, earlier]
    joined = np.ones(d)
    for v in range(1, d):
        earlier = generator.choice(v, size=min(m, v), replace=False, p=joined[:v] / joined[:v].sum())
        later_first[v, earlier] = True
        joined[earlier] += 1.0
    return _shuffled(later_first if hubs == "effects" else later_first.T, generator)


def _checked_size(d: int) -> int:
    d = check_integer("d", d, 2)
    check_answer(BYTES_PER_PAIR * d * d, f"graphs of {d:,} variables", "Ask for fewer, d=.")
    return d


def _shuffled(adjacency: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    order = generator.permutation(len(adjacency))
    return np.ascontiguousarray(adjacency[order][:, order])


@dataclass(frozen=True, eq=False)
class Simulation:
    """Rows drawn from a network, and the network itself.

    Attributes
    ----------
    data : pandas.DataFrame
        A column for each variable.
    network : LinearGaussianNetwork
        The true network; `network.sample` draws more rows.
    """

    data: pd.DataFrame
    network: LinearGaussianNetwork

    def __repr__(self) -> str:
        edges = int(self.adjacency.sum())
        return f"<Simulation: {len(self.data):,} rows of {len(self.variables)} variables, {edges} true edges>"

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


def random_or_given(
    graph: Any,
    expected_degree: float | None,
    variables: Sequence[str] | None,
    rng: np.random.Generator,
    default_degree: float,
) -> Matrices:
    """Return a random graph of a number of variables, or a given graph, checked."""
    if isinstance(graph, numbers.Integral) and not isinstance(graph, bool):
        return Matrices(
            erdos_renyi(int(graph), default_degree if expected_degree is None else expected_degree, rng), None
        )
    if expected_degree is not None:
        raise InvalidValue("expected_degree is for random graphs; it cannot be given together with a graph.")
    edges = read_graph("graph", graph)
    topological_order("graph", edges.values, edges.variables)
    if edges.variables is not None and variables is not None:
        raise InvalidValue("variables cannot be given together with a graph that has its names already.")
    return edges


def linear_gaussian(
    graph: Any,
    n_rows: int = 100,
    *,
    expected_degree: float | None = None,
    weights: str = "normal",
    weight_scale: float = 1.0,
    noise_variances: float | Sequence[float] | np.ndarray = 0.1,
    variables: Sequence[str] | None = None,
    rng: RNGLike = None,
) -> Simulation:
    """Draw weights for a random or given graph, and rows from the resulting network.

    The default is the paper's: an Erdos-Renyi graph with 2d expected edges, weights N(0, 1), noise variance 0.1.

    Parameters
    ----------
    graph : int, DataFrame, array or networkx.DiGraph
        A number of variables for a random graph, or a graph without cycles, such as one from `scale_free`.
    n_rows : int, default 100
    expected_degree : float, default 4
        For a random graph, the expected number of edges at each variable; see `erdos_renyi`.
    weights : {"normal", "uniform"}
        Standard normal, or uniform in [0.5, 2] with a random sign.
    weight_scale : float, default 1
        A factor on all weights.
    noise_variances : float or sequence of float, default 0.1
        One number for each variable, or one for all.
    variables : sequence of str, optional
        Names, if the graph has none (default `X1`, `X2`, ...).
    rng : int, SeedSequence, Generator or None
        The same seed gives the same network for any number of rows.

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

    A given graph:

    >>> import networkx as nx
    >>> osp.simulate.linear_gaussian(nx.DiGraph([("A", "B"), ("B", "C")]), weights="uniform", rng=0).variables
    ('A', 'B', 'C')
    """
    check_choice("weights", weights, ("normal", "uniform"))
    scale = check_positive("weight_scale", weight_scale)
    for_graph, for_weights, for_rows = spawn_generators(rng, 3)
    edges = random_or_given(graph, expected_degree, variables, for_graph, default_degree=4.0)
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
