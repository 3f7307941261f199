"""Structures of Bayesian networks for pgmpy, which fits parameters to them and infers."""

from __future__ import annotations

from typing import Any

from orderspn.core.arguments import check_choice
from orderspn.export.clients import load_client
from orderspn.export.named_graph import acyclic_networkx

CLASSES = {
    "gaussian": ("LinearGaussianBayesianNetwork",),
    # The second is what pgmpy called it before 1.0.
    "discrete": ("DiscreteBayesianNetwork", "BayesianNetwork"),
}


def to_pgmpy(graph: Any, kind: str = "gaussian") -> Any:
    """One graph as the structure of a Bayesian network of pgmpy, without parameters.

    Parameters
    ----------
    graph : as for `to_networkx`
        Without cycles and undirected edges.
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
    >>> data = osp.load_sachs().data
    >>> best = osp.learn(data, standardize=True).most_probable_graph()
    >>> network = osp.export.to_pgmpy(best)
    >>> fitted = network.fit(data)
    >>> len(fitted.cpds)
    11
    """
    check_choice("kind", kind, tuple(CLASSES))
    named = acyclic_networkx(graph, "to_pgmpy")
    models = load_client("pgmpy.models", "pgmpy", "to_pgmpy")
    network = next(getattr(models, name) for name in CLASSES[kind] if hasattr(models, name))()
    network.add_nodes_from(list(named))
    network.add_edges_from(list(named.edges))
    return network
