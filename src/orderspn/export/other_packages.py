"""Graphs for pgmpy and causal-learn, which are no dependencies: they are imported when a function needs them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from orderspn.core.arguments import check_choice
from orderspn.core.errors import MissingExtra
from orderspn.export.named_graph import acyclic_networkx, to_networkx

CLASSES = {
    "gaussian": ("LinearGaussianBayesianNetwork",),
    # The second is its name in pgmpy before 1.0.
    "discrete": ("DiscreteBayesianNetwork", "BayesianNetwork"),
}


def load_package(module: str, install: str, what: str) -> Any:
    """Import a module of another package, or raise `MissingExtra` with the command that installs it.

    Parameters
    ----------
    module : str
    install : str
        The name of the package for pip.
    what : str
        The feature that needs it, for the message.

    Examples
    --------
    >>> load_package("networkx", "networkx", "to_networkx").__name__
    'networkx'
    """
    try:
        return import_module(module)
    except ImportError as problem:
        raise MissingExtra(f"{what} needs {install}: pip install {install} ({problem})") from problem


def to_pgmpy(graph: Any, kind: str = "gaussian") -> Any:
    """Convert one graph to the structure of a Bayesian network of pgmpy, without parameters.

    Parameters
    ----------
    graph : as for `to_networkx`
        It must have no cycle and no undirected edge.
    kind : {"gaussian", "discrete"}
        A `LinearGaussianBayesianNetwork`, or a `DiscreteBayesianNetwork` (`BayesianNetwork` in pgmpy before 1.0).

    Returns
    -------
    pgmpy.models.LinearGaussianBayesianNetwork or pgmpy.models.DiscreteBayesianNetwork

    Raises
    ------
    ImportError
        If pgmpy is not installed; the message has the command that installs it.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> best = osp.learn(data).most_probable_graph()
    >>> network = osp.export.to_pgmpy(best)
    >>> fitted = network.fit(data)
    >>> len(fitted.cpds)
    11
    """
    check_choice("kind", kind, tuple(CLASSES))
    named = acyclic_networkx(graph, "to_pgmpy")
    models = load_package("pgmpy.models", "pgmpy", "to_pgmpy")
    network = next(getattr(models, name) for name in CLASSES[kind] if hasattr(models, name))()
    network.add_nodes_from(list(named))
    network.add_edges_from(list(named.edges))
    return network


def to_causal_learn(graph: Any) -> Any:
    """Convert one graph to a `GeneralGraph` of causal-learn.

    Parameters
    ----------
    graph : as for `to_networkx`
        An edge in both directions, as in the result of `metrics.cpdag`, becomes an undirected edge.

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
    >>> best = osp.learn(osp.load_sachs(log=True).data).most_probable_graph()
    >>> graph = osp.export.to_causal_learn(osp.metrics.cpdag(best.graph))
    >>> graph.get_num_edges() == len(best.graph.edges)
    True
    """
    named = to_networkx(graph)

    def load(name: str) -> Any:
        return getattr(load_package(f"causallearn.graph.{name}", "causal-learn", "to_causal_learn"), name)

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
