"""Graphs in the Graph Modelling Language, by networkx."""

from __future__ import annotations

from orderspn.core.errors import InvalidValue
from orderspn.user_graphs.objects import read_networkx
from orderspn.user_graphs.partial_graph import PartialGraph


def read_gml(name: str, text: str) -> PartialGraph:
    """Read a graph in GML; one that is not `directed 1` has undirected edges.

    Examples
    --------
    >>> text = 'graph [ directed 1 node [ id 0 label "A" ] node [ id 1 label "B" ] edge [ source 0 target 1 ] ]'
    >>> str(read_gml("graph", text))
    'A -> B'
    """
    import networkx as nx

    try:
        graph = nx.parse_gml(text)
    except (nx.NetworkXError, ValueError, RecursionError, KeyError) as problem:
        raise InvalidValue(f"{name} is not a graph in GML: {problem}.") from None
    return read_networkx(name, graph)
