"""Graphs of DAGitty: `dag { A -> B  C <- D }`."""

from __future__ import annotations

from urllib.parse import unquote

from orderspn.core.errors import InvalidValue
from orderspn.user_graphs.marks import END, OPEN, edges_by_marks
from orderspn.user_graphs.partial_graph import PartialGraph
from orderspn.user_graphs.statements import read_statements

KINDS = ("dag", "pdag")
REFUSED = {
    "mag": "a maximal ancestral graph, whose edges are not direct causes",
    "pag": "a partial ancestral graph, whose edges are not direct causes",
}
ARROWS = {"->": (OPEN, END), "<-": (END, OPEN), "--": (OPEN, OPEN), "<->": (END, END)}


def read_dagitty(name: str, text: str) -> PartialGraph:
    """Read a graph of DAGitty; positions, roles of variables and other attributes are ignored.

    Examples
    --------
    >>> text = 'dag { bb="0,0,1,1"  A [exposure,pos="0,1"]  A -> B <- C  C -- D }'
    >>> str(read_dagitty("graph", text))
    'A -> B, C -> B, C -- D'
    """
    kind, found = read_statements(name, text, (*KINDS, *REFUSED), "the language of DAGitty")
    if kind in REFUSED:
        raise InvalidValue(f"{name} must be a dag or a pdag of DAGitty; got {REFUSED[kind]}.")
    edges = []
    for edge in found.edges:
        if edge.arrow not in ARROWS:
            raise InvalidValue(
                f"{name} must have directed and undirected edges only; got {edge.left!r} {edge.arrow} {edge.right!r}, "
                "with an end that is not known. Choose a direction, or none."
            )
        # Old versions write spaces as %20.
        edges.append(((unquote(edge.left), unquote(edge.right)), ARROWS[edge.arrow]))
    directed, undirected = edges_by_marks(name, edges)
    return PartialGraph.of(name, [unquote(node) for node in found.nodes], directed, undirected)
