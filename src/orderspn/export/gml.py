"""Graphs in the Graph Modelling Language (GML), as networkx, igraph, Cytoscape, Gephi and DoWhy read it."""

from __future__ import annotations

import re
from typing import Any

from orderspn.export.named_graph import PROBABILITY, to_networkx

SPECIAL = re.compile(r'[^ -~]|[&"{]|\.(?=txt|dot|gml)')
"""What GML cannot hold in a string; and what DoWhy, which searches the whole text, takes for DOT or a file."""


def to_gml(graph: Any, probabilities: Any = None) -> str:
    """One graph as text in GML.

    For `dowhy.CausalModel(graph=...)`, `networkx.parse_gml` and the many programs that read it from files. Names may
    hold anything: quotes, letters outside ASCII and the like are written as character references, which readers undo.

    Parameters
    ----------
    graph : as for `to_networkx`
        An undirected edge of a CPDAG is written as two edges.
    probabilities : Posterior or DataFrame, optional
        Probabilities of edges (default: the attribute `probability` of edges, where they have it), written as numbers
        and as labels.

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
