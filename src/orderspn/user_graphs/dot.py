"""Graphs in the DOT language of Graphviz."""

from __future__ import annotations

from orderspn.core.errors import InvalidValue
from orderspn.queries.edges import Edge
from orderspn.user_graphs.marks import END, OPEN, Marks, edges_by_marks
from orderspn.user_graphs.partial_graph import PartialGraph
from orderspn.user_graphs.statements import Attributes, WrittenEdge, read_statements

KINDS = ("digraph", "graph")
NO_MARK = "none"
CIRCLES = ("odot", "dot")


def read_dot(name: str, text: str) -> PartialGraph:
    """Read a graph in DOT; `A -- B` and `A -> B [dir=none]` have no direction.

    Attributes other than those of arrow heads are ignored.

    Examples
    --------
    >>> str(read_dot("graph", 'digraph g { A -> {B C} [color=red]; "heart rate" -> B [dir=none] }'))
    'A -> B, A -> C, B -- "heart rate"'
    """
    _, found = read_statements(name, text, KINDS, "the DOT language")
    edges: list[tuple[Edge, Marks]] = [((edge.left, edge.right), _marks(name, edge)) for edge in found.edges]
    directed, undirected = edges_by_marks(name, edges)
    return PartialGraph.of(name, found.nodes, directed, undirected)


def _marks(name: str, edge: WrittenEdge) -> Marks:
    """Return what is drawn at both ends: `dir`, and the shapes of arrow heads."""
    if edge.arrow not in ("->", "--"):
        raise InvalidValue(f"{name} must join nodes by '->' or '--' in DOT; got {edge.arrow!r}.")
    drawn = edge.attributes.get("dir") or ("forward" if edge.arrow == "->" else NO_MARK)
    at_left = drawn in ("back", "both") and _shape(name, edge.attributes, "arrowtail")
    at_right = drawn in ("forward", "both") and _shape(name, edge.attributes, "arrowhead")
    return (END if at_left else OPEN, END if at_right else OPEN)


def _shape(name: str, attributes: Attributes, end: str) -> bool:
    """Whether an end has an arrow head; circles, whose ends are not known, are an error."""
    shape = attributes.get(end, "normal")
    if shape in CIRCLES:
        raise InvalidValue(
            f"{name} must have directed and undirected edges only; got {end}={shape}, an end that is not known, as in "
            "a PAG. Choose a direction, or none."
        )
    return shape != NO_MARK
