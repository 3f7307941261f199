"""Graphs in the DOT language, as Graphviz and DoWhy read it."""

from __future__ import annotations

from typing import Any

from orderspn.export.named_graph import PROBABILITY, to_networkx


def to_dot(graph: Any, probabilities: Any = None) -> str:
    r"""One graph as text in the DOT language.

    For pictures by Graphviz, and for `dowhy.CausalModel(graph=...)`. All names are quoted, so they may hold spaces and
    any letters. Names with quotes or backslashes are escaped as Graphviz wants it, but DoWhy does not undo that: give
    it `to_gml`, or the networkx graph.

    Parameters
    ----------
    graph : as for `to_networkx`
        An undirected edge of a CPDAG is written as two edges.
    probabilities : Posterior or DataFrame, optional
        Probabilities of edges, to write beside them (default: the attribute `probability` of edges, where they have
        it, as in `consensus_graph`).

    Returns
    -------
    str

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> print(osp.export.to_dot(nx.DiGraph([("blood pressure", "stroke")])))
    digraph {
      "blood pressure";
      "stroke";
      "blood pressure" -> "stroke";
    }
    """
    named = to_networkx(graph, probabilities)
    lines = [f"  {_quoted(node)};" for node in named]
    for cause, effect, attributes in named.edges(data=True):
        probability = attributes.get(PROBABILITY)
        label = "" if probability is None else f' [label="{probability:.2f}", probability="{probability:.6f}"]'
        lines.append(f"  {_quoted(cause)} -> {_quoted(effect)}{label};")
    return "\n".join(["digraph {", *lines, "}"])


def _quoted(name: str) -> str:
    # A backslash before the closing quote would escape it, so backslashes are doubled too.
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
