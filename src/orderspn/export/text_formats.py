"""Graphs as text: the DOT language of Graphviz, and the Graph Modelling Language (GML)."""

from __future__ import annotations

import re
from typing import Any

from orderspn.export.named_graph import PROBABILITY, to_networkx

SPECIAL = re.compile(r'[^ -~]|[&"{]|\.(?=txt|dot|gml)')
"""Characters that GML strings cannot contain, and text that DoWhy would mistake for DOT or for a file name."""


def to_dot(graph: Any, probabilities: Any = None) -> str:
    r"""Write one graph in the DOT language.

    For pictures by Graphviz, and for `dowhy.CausalModel(graph=...)`. Names are quoted, so they may contain spaces and
    any letters. Quotes and backslashes in names are escaped as Graphviz expects. DoWhy does not undo that: give it the
    text of `to_gml`, or the networkx graph.

    Parameters
    ----------
    graph : as for `to_networkx`
        An undirected edge of a CPDAG is written as two edges.
    probabilities : Posterior or DataFrame, optional
        Probabilities of edges, to write beside them (default: the attribute `probability` of the edges, if they have
        it, as in `threshold_graph`).

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
    # A backslash before the closing quote would escape it, so backslashes are doubled as well.
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_gml(graph: Any, probabilities: Any = None) -> str:
    """Write one graph in GML.

    For `dowhy.CausalModel(graph=...)`, `networkx.parse_gml` and the many programs that read GML files. Names may
    contain anything: quotes, letters outside ASCII and the like are written as character references, which readers
    undo.

    Parameters
    ----------
    graph : as for `to_networkx`
        An undirected edge of a CPDAG is written as two edges.
    probabilities : Posterior or DataFrame, optional
        Probabilities of edges, written as numbers and as labels (default: the attribute `probability` of the edges, if
        they have it).

    Returns
    -------
    str

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> text = osp.export.to_gml(nx.DiGraph([('the "α" level', "stroke")]))
    >>> print(text)
    graph [
      directed 1
      node [ id 0 label "the &#34;&#945;&#34; level" ]
      node [ id 1 label "stroke" ]
      edge [ source 0 target 1 ]
    ]
    >>> list(nx.parse_gml(text).edges)
    [('the "α" level', 'stroke')]
    """
    named = to_networkx(graph, probabilities)
    place = {name: v for v, name in enumerate(named)}
    lines = [f'  node [ id {v} label "{_escaped(name)}" ]' for name, v in place.items()]
    for cause, effect, attributes in named.edges(data=True):
        probability = attributes.get(PROBABILITY)
        label = "" if probability is None else f'label "{probability:.2f}" probability {probability:.6f} '
        lines.append(f"  edge [ source {place[cause]} target {place[effect]} {label}]")
    return "\n".join(["graph [", "  directed 1", *lines, "]"])


def _escaped(name: str) -> str:
    return SPECIAL.sub(lambda found: f"&#{ord(found[0])};", name)
