"""Samples of orders and graphs, exactly distributed."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import networkx as nx
import numpy as np

from orderspn.core.randomness import RandomState, spawn_generators
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.queries.order_model import OrderModel


@dataclass(frozen=True, eq=False)
class GraphSamples:
    """Graphs drawn from a posterior, each with the order it was drawn with.

    Attributes
    ----------
    variables : list of str
    adjacency : numpy.ndarray
        Shape (n, d, d), bool: `adjacency[s, i, j]` says whether graph s has the edge i -> j.
    orders : numpy.ndarray
        Shape (n, d): indices of the variables, first to last.
    """

    variables: list[str]
    adjacency: np.ndarray  # (n, d, d) bool, [cause, effect]
    orders: np.ndarray  # (n, d)

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

    def to_networkx(self) -> list[nx.DiGraph[str]]:
        """All sampled graphs with named nodes; `samples[i]` gives a single one.

        Examples
        --------
        >>> import orderspn as osp
        >>> samples = osp.learn(osp.load_sachs().data, standardize=True).sample(3, rng=0)
        >>> len(samples.to_networkx()), len(samples[0].nodes)
        (3, 11)
        """
        return list(self)


def sample_graphs(
    orders: OrderModel,
    families: Sequence[Family],
    variables: Sequence[str],
    n: int,
    rng: RandomState,
    workers: Workers,
) -> GraphSamples:
    """Draw orders, then for every variable its parents among its predecessors."""
    d = len(families)
    generators = spawn_generators(rng, d + 1)
    drawn_orders = orders.sample(n, generators[d])
    positions = places_in(drawn_orders)
    adjacency = np.empty((n, d, d), dtype=bool)

    def fill(v: int) -> None:
        parents = families[v].sample_parents(predecessors(positions, v), generators[v])
        adjacency[:, :, v] = families[v].indicators(parents, d)

    workers.run([partial(fill, v) for v in range(d)], workers.steps("parents", d))
    return GraphSamples(list(variables), adjacency, drawn_orders)


def places_in(orders: np.ndarray) -> np.ndarray:
    """The place of each variable in each order (n, d)."""
    n, d = orders.shape
    places = np.empty((n, d), dtype=np.int64)
    np.put_along_axis(places, orders, np.arange(d)[None, :], axis=1)
    return places


def predecessors(places: np.ndarray, variable: int) -> np.ndarray:
    """Which variables come before one, given the places of all (n, d), shape (n, d), bool."""
    return places < places[:, [variable]]
