"""One graph with named nodes, from any form of graph that the package takes or returns."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from orderspn.core.dag import topological_order
from orderspn.core.errors import InvalidType
from orderspn.core.matrices import Matrices, read_graph
from orderspn.metrics.arguments import read_probabilities
from orderspn.models.protocol import is_posterior

PROBABILITY = "probability"
"""Name of the attribute of edges."""


def to_networkx(graph: Any, probabilities: Any = None) -> nx.DiGraph[str]:
    """Convert one graph to a new `networkx.DiGraph` with the variables' names as nodes.

    Parameters
    ----------
    graph : MostProbableGraph, BestGraph, networkx.DiGraph, DataFrame, array, network or simulation
        One graph; of `samples = posterior.sample(n)` pass one, `samples[i]`. An edge in both directions stands for an
        undirected one, as in a CPDAG. The variables of an array are called `X1`, `X2`, ... Attributes of a networkx
        graph are kept.
    probabilities : Posterior or DataFrame, optional
        Probabilities of edges, for the attribute `probability` of every edge.

    Returns
    -------
    networkx.DiGraph

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> best = osp.export.to_networkx(posterior.most_probable_graph(), probabilities=posterior)
    >>> cause, effect = next(iter(best.edges))
    >>> abs(best.edges[cause, effect]["probability"] - posterior.probability(f"{cause} -> {effect}")) < 1e-9
    True
    """
    if is_posterior(graph):
        raise InvalidType(
            "graph must be one graph; got a posterior, which is over many. Pass its most_probable_graph(), one of its "
            "sample(n), or threshold_graph(posterior)."
        )
    source = _networkx_within(graph)
    read = read_graph("graph", graph if source is None else source)
    # Nodes of networkx graphs are names, even if they are numbers.
    names = read.variables or ([f"X{v + 1}" for v in range(read.n_variables)] if source is None else _in_order(source))
    named = _from_matrix(read.values, names)
    if source is not None:
        _copy_attributes(source, named)
    if probabilities is not None:
        _set_probabilities(named, Matrices(read.values, tuple(names)), probabilities)
    return named


def acyclic_networkx(graph: Any, what: str) -> nx.DiGraph[str]:
    """Convert one graph for packages that take only DAGs; raise an error that shows a cycle if there is one."""
    named = to_networkx(graph)
    both = next(((c, e) for c, e in named.edges if named.has_edge(e, c)), None)
    if both is not None:
        raise InvalidType(
            f"{what} takes directed graphs without cycles; got an edge in both directions between {both[0]!r} and "
            f"{both[1]!r}. Of a CPDAG choose one of its DAGs first."
        )
    topological_order("graph", read_graph("graph", named).values, list(named))
    return named


def _networkx_within(graph: Any) -> Any:
    """Return the networkx graph that a value is or has, or None."""
    if isinstance(graph, nx.Graph):
        return graph  # an undirected one is refused by read_graph
    within = getattr(graph, "graph", None)
    return within if isinstance(within, nx.Graph) else None


def _in_order(source: nx.DiGraph[Any]) -> list[str]:
    return [str(node) for node in sorted(source.nodes)]


def _from_matrix(values: np.ndarray, names: Any) -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[c], names[e]) for c, e in np.argwhere(values))
    return graph


def _copy_attributes(source: nx.DiGraph[Any], named: nx.DiGraph[str]) -> None:
    for node, attributes in source.nodes(data=True):
        named.nodes[str(node)].update(attributes)
    for cause, effect, attributes in source.edges(data=True):
        named.edges[str(cause), str(effect)].update(attributes)


def _set_probabilities(named: nx.DiGraph[str], own: Matrices, probabilities: Any) -> None:
    values = read_probabilities("probabilities", probabilities).in_order_of(own, "probabilities", "graph")
    place = {name: v for v, name in enumerate(named)}
    for cause, effect in named.edges:
        named.edges[cause, effect][PROBABILITY] = float(values[place[cause], place[effect]])
