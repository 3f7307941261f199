"""Graphs as objects: of networkx and pgmpy, matrices, and pairs of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from orderspn.core.arguments import is_listing
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.matrices import read_graph
from orderspn.queries.edges import Edge, Edges, checked_pairs
from orderspn.user_graphs.partial_graph import PartialGraph

FORMS = (
    "a networkx graph, text or a file in DOT, GML or DAGitty, edges such as 'A -> B, B -- C', a list of (cause, "
    "effect) pairs, an adjacency DataFrame or array, or a model of pgmpy"
)


def read_object(name: str, value: Any, variables: Sequence[str]) -> PartialGraph:
    """Read a graph from an object; a matrix or graph without names is over `variables`, in their order."""
    import networkx as nx
    import pandas as pd

    if isinstance(value, PartialGraph):
        return value
    if isinstance(value, Edges):
        return read_edges(name, value)
    value = value.graph if isinstance(getattr(value, "graph", None), nx.Graph) else value
    if all(hasattr(value, part) for part in ("directed_edges", "undirected_edges", "nodes")):
        return _read_pdag(name, value)
    if isinstance(value, nx.Graph):
        return read_networkx(name, value, variables)
    if callable(getattr(value, "nodes", None)) and callable(getattr(value, "edges", None)):
        return PartialGraph.of(name, _names(value.nodes()), _pairs(value.edges()))
    is_matrix = isinstance(value, pd.DataFrame | np.ndarray) or isinstance(
        getattr(value, "adjacency", None), np.ndarray
    )
    if is_matrix or _are_rows(value):
        return _read_matrix(name, value, variables)
    if is_listing(value):
        return PartialGraph.of(name, (), checked_pairs(name, value))
    raise InvalidType(f"{name} must be {FORMS}; got {type(value).__name__}.")


def read_edges(name: str, edges: Edges) -> PartialGraph:
    """Read present edges, and neighbours as undirected edges; a graph needs no absent ones.

    Examples
    --------
    >>> read_edges("graph", Edges.parse("A -> B, B -- C")).undirected
    (('B', 'C'),)
    """
    if edges.absent or edges.before or edges.ancestry:
        raise InvalidValue(
            f"{name} must name edges that are there, 'A -> B' or 'A -- B'; all others are absent anyway. Got '{edges}'."
        )
    return PartialGraph.of(name, (), edges.present, edges.adjacent)


def read_networkx(name: str, graph: Any, variables: Sequence[str] | None = None) -> PartialGraph:
    """Read a networkx graph; edges in both directions, and those of an undirected graph, have no direction."""
    by_position = variables is not None and sorted(map(str, graph.nodes)) == sorted(map(str, range(len(variables))))
    by_position = by_position and all(isinstance(node, int | np.integer) for node in graph.nodes)
    if by_position and variables is not None and not set(map(str, graph.nodes)) <= set(variables):
        names = {str(place): variable for place, variable in enumerate(variables)}
    else:
        names = {str(node): str(node) for node in graph.nodes}
    pairs = [(names[str(a)], names[str(b)]) for a, b in graph.edges()]
    directed = graph.is_directed()
    return PartialGraph.of(name, names.values(), pairs if directed else (), () if directed else pairs)


def _read_pdag(name: str, value: Any) -> PartialGraph:
    """Read a partially directed graph of pgmpy."""
    nodes = value.nodes() if callable(value.nodes) else value.nodes
    return PartialGraph.of(name, _names(nodes), _pairs(value.directed_edges), _pairs(value.undirected_edges))


def _read_matrix(name: str, value: Any, variables: Sequence[str]) -> PartialGraph:
    read = read_graph(name, value)
    if read.variables is None and read.n_variables != len(variables):
        raise InvalidValue(
            f"{name} must have a row and a column for each of the {len(variables)} variables, as it names none; got "
            f"{read.n_variables}."
        )
    names = tuple(variables) if read.variables is None else read.variables
    return PartialGraph.of(name, names, [(names[cause], names[effect]) for cause, effect in np.argwhere(read.values)])


def _are_rows(value: Any) -> bool:
    """Whether something is a list of rows of numbers."""
    first = value[0] if isinstance(value, list | tuple) and value else None
    return isinstance(first, list | tuple | np.ndarray) and not any(isinstance(cell, str) for cell in first)


def _names(nodes: Iterable[Any]) -> list[str]:
    return [str(node) for node in nodes]


def _pairs(edges: Iterable[Any]) -> list[Edge]:
    return [(str(edge[0]), str(edge[1])) for edge in edges]
