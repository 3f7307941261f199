"""Graphs for causal-learn: directed edges, and undirected ones where a CPDAG has them."""

from __future__ import annotations

from typing import Any

from orderspn.export.clients import load_client
from orderspn.export.named_graph import to_networkx


def to_causal_learn(graph: Any) -> Any:
    """One graph as a `GeneralGraph` of causal-learn.

    Parameters
    ----------
    graph : as for `to_networkx`
        An edge in both directions, as in what `metrics.cpdag` gives, becomes an undirected edge.

    Returns
    -------
    causallearn.graph.GeneralGraph.GeneralGraph

    Raises
    ------
    ImportError
        If causal-learn is not installed; the message has the command that installs it.

    Examples
    --------
    >>> import orderspn as osp
    >>> best = osp.learn(osp.load_sachs().data, standardize=True).most_probable_graph()
    >>> graph = osp.export.to_causal_learn(osp.metrics.cpdag(best.graph))
    >>> graph.get_num_edges() == len(best.graph.edges)
    True
    """
    named = to_networkx(graph)

    def load(name: str) -> Any:
        return getattr(load_client(f"causallearn.graph.{name}", "causal-learn", "to_causal_learn"), name)

    node_of = {name: load("GraphNode")(name) for name in named}
    result = load("GeneralGraph")(list(node_of.values()))
    make_edge, ends = load("Edge"), load("Endpoint")
    for cause, effect in named.edges:
        undirected = named.has_edge(effect, cause)
        if undirected and list(node_of).index(effect) < list(node_of).index(cause):
            continue  # added already, from its other end
        head = ends.TAIL if undirected else ends.ARROW
        result.add_edge(make_edge(node_of[cause], node_of[effect], ends.TAIL, head))
    return result
