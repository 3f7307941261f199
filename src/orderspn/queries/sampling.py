"""Draws of graphs with their orders, and computations on such draws."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import networkx as nx
import numpy as np

from orderspn.core.arguments import check_fraction
from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.core.workers import Workers
from orderspn.display.edges import edges_html
from orderspn.display.html import titled
from orderspn.display.text import counted
from orderspn.leaves.context import context_first
from orderspn.leaves.family import Family
from orderspn.queries.order_model import DrawsOrders, OrderModel
from orderspn.queries.precision import WeightQuality, normalised_weights, quality_of

BATCH = 256
"""Number of graphs whose orders are computed at a time."""


def order_bytes(d: int) -> int:
    """Return the bytes of one drawn order: the order, the places of variables in it, and random numbers."""
    return 4 * 8 * d


def graph_bytes(d: int) -> int:
    """Return the bytes of one drawn graph with its order; comparisons hold graphs twice."""
    return 2 * d * d + order_bytes(d)


@dataclass(frozen=True, eq=False)
class GraphSamples:
    """Graphs drawn from a posterior, each with the order it was drawn with.

    Attributes
    ----------
    variables : list of str
    adjacency : numpy.ndarray
        Shape (n, d, d), bool: whether graph s has the edge i -> j is `adjacency[s, i, j]`.
    orders : numpy.ndarray
        Shape (n, d): indices of the variables, first to last.
    weights : numpy.ndarray, optional
        Shape (n,), sum 1: the weight of each graph. None if all are equal.
    quality : WeightQuality, optional
        Diagnostics of the weights: `.effective_sample_size` and `.pareto_k`.
    """

    variables: list[str]
    adjacency: np.ndarray  # (n, d, d) bool, [cause, effect]
    orders: np.ndarray  # (n, d)
    weights: np.ndarray | None = None
    quality: WeightQuality | None = None

    def __len__(self) -> int:
        return int(self.adjacency.shape[0])

    def __getitem__(self, sample: int) -> nx.DiGraph[str]:
        sample = operator.index(sample)
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.variables)
        causes, effects = np.nonzero(self.adjacency[sample])
        names = self.variables
        graph.add_edges_from((names[c], names[e]) for c, e in zip(causes, effects, strict=True))
        return graph

    def __iter__(self) -> Iterator[nx.DiGraph[str]]:
        return (self[sample] for sample in range(len(self)))

    def __repr__(self) -> str:
        return f"<GraphSamples: {self._about()}>"

    def _repr_html_(self) -> str:
        return titled(f"Sampled graphs: {self._about()}", edges_html(self.edge_frequencies(), self.variables, "share"))

    def _about(self) -> str:
        n_edges = float(self.edge_frequencies().sum())
        weighted = (
            ""
            if self.quality is None
            else (f", weighted, effective sample size {self.quality.effective_sample_size:.1f}")
        )
        return (
            f"{counted(len(self), 'graph')} of {counted(len(self.variables), 'variable')}, "
            f"{n_edges:.1f} edges on average{weighted}"
        )

    def edge_frequencies(self) -> np.ndarray:
        """Return the weighted share of graphs that have each edge, shape (d, d).

        Examples
        --------
        >>> import orderspn as osp
        >>> samples = osp.learn(osp.load_sachs(log=True).data).sample(10, rng=0)
        >>> samples.edge_frequencies().shape
        (11, 11)
        """
        frequencies: np.ndarray = np.average(self.adjacency, axis=0, weights=self.weights)
        return frequencies

    def to_networkx(self) -> list[nx.DiGraph[str]]:
        """Return all graphs with named nodes; `samples[i]` is a single one.

        Examples
        --------
        >>> import orderspn as osp
        >>> samples = osp.learn(osp.load_sachs(log=True).data).sample(3, rng=0)
        >>> len(samples.to_networkx()), len(samples[0].nodes)
        (3, 11)
        """
        return list(self)


def sample_graphs(
    orders: DrawsOrders,
    families: Sequence[Family],
    variables: Sequence[str],
    n: int,
    rng: RNGLike,
    workers: Workers,
) -> GraphSamples:
    """Draw orders, then the parents of every variable among its predecessors."""
    d = len(families)
    generators = spawn_generators(rng, d + 1)
    drawn_orders = context_first(orders.sample(n, generators[d]), d)
    positions = places_in(drawn_orders)
    adjacency = np.empty((n, d, d), dtype=bool)

    def fill(v: int) -> None:
        parents = families[v].sample_parents(predecessors(positions, v), generators[v])
        adjacency[:, :, v] = families[v].indicators(parents, d)

    workers.run([partial(fill, v) for v in range(d)], workers.steps("parents", d))
    return GraphSamples(list(variables), adjacency, drawn_orders)


def counted_once(samples: GraphSamples, orders: OrderModel) -> GraphSamples:
    """Return the same graphs with importance weights for the target in which each graph counts once."""
    graphs, which = distinct_graphs(samples.adjacency)
    log_weights = -orders.log_order_masses(graphs)[which]
    return replace(samples, weights=normalised_weights(log_weights), quality=quality_of(log_weights))


def weighted_quantile(draws: np.ndarray, share: float, weights: np.ndarray | None) -> np.ndarray:
    """Return a quantile of draws (n, ...) along the first axis, with weights (n,), or None if all are equal."""
    if weights is None:
        return np.quantile(draws, share, axis=0)
    return np.quantile(draws, share, axis=0, weights=weights, method="inverted_cdf")


def credible_ends(draws: np.ndarray, level: float, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of central credible intervals of draws (n, ...), each of shape (...)."""
    tail = (1.0 - check_fraction("level", level)) / 2.0
    return weighted_quantile(draws, tail, weights), weighted_quantile(draws, 1.0 - tail, weights)


def distinct_graphs(adjacency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct graphs among (n, d, d), and the index of each graph among them, shape (n,)."""
    packed = np.packbits(adjacency.reshape(len(adjacency), -1), axis=1)
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return adjacency[first], which.ravel()


def orders_of_graphs(adjacency: np.ndarray) -> np.ndarray:
    """Return a topological order of each graph (n, d, d), by the longest path to each variable, shape (n, d)."""
    n, d, _ = adjacency.shape
    orders = np.empty((n, d), dtype=np.int64)
    for start in range(0, n, BATCH):
        orders[start : start + BATCH] = np.argsort(_depths(adjacency[start : start + BATCH]), axis=1, kind="stable")
    return orders


def _depths(adjacency: np.ndarray) -> np.ndarray:
    """Return the length of the longest path to each variable, shape (n, d); a cycle is an error."""
    depths = np.zeros(adjacency.shape[:2], dtype=np.int16)
    for _ in range(adjacency.shape[1] + 1):
        deeper = np.where(adjacency, depths[:, :, None] + np.int16(1), np.int16(0)).max(axis=1)
        if (deeper == depths).all():
            return depths
        depths = deeper
    raise InvalidValue("graphs must have no cycles; got one with a cycle, which has no order.")


def places_in(orders: np.ndarray) -> np.ndarray:
    """Return the place of each variable in each order (n, d)."""
    n, d = orders.shape
    places = np.empty((n, d), dtype=np.int64)
    np.put_along_axis(places, orders, np.arange(d)[None, :], axis=1)
    return places


def predecessors(places: np.ndarray, variable: int) -> np.ndarray:
    """Return which variables come before one in each order, bool of shape (n, d), given the places of all (n, d)."""
    return places < places[:, [variable]]
