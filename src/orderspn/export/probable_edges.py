"""Probable edges of a posterior: all of them in a table, or those above a threshold as one graph."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from orderspn.core.dag import acyclic_part
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.export.named_graph import PROBABILITY
from orderspn.metrics.arguments import read_probabilities
from orderspn.posterior import Posterior
from orderspn.queries.edges import EdgesLike
from orderspn.queries.marginals import square_frame

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 9
"""Probabilities that agree to this many digits count as equal: those of equivalent graphs differ by rounding."""


def threshold_graph(
    posterior: Any, threshold: float = 0.5, given: EdgesLike = None, *, acyclic: bool = False
) -> nx.DiGraph[str]:
    """Return the graph of all edges that are more probable than a threshold; with 0.5, the median probability graph.

    It may have cycles although no graph of the posterior has one, because edges are chosen one by one. An acyclic graph
    lacks at least one edge of any cycle of k edges, so their probabilities sum to at most k - 1. All of them can exceed
    the threshold only if it is below 1 - 1/k. Hence with a threshold of 0.5 or more there is never an edge in both
    directions, with 2/3 or more no cycle of three, and with 1 - 1/d or more, for d variables, no cycle at all. The DAG
    with the smallest expected distance to the graphs of the posterior is `posterior.consensus()`.

    Parameters
    ----------
    posterior : Posterior, sampled graphs, or DataFrame of edge probabilities
    threshold : float, default 0.5
        From 0 to 1.
    given : str or Edges, optional
        Evidence to condition on.
    acyclic : bool, default False
        Add edges from the most to the least probable, and leave out each that would close a cycle. It is then the least
        probable edge of that cycle.

    Returns
    -------
    networkx.DiGraph
        All variables as nodes, and the attribute `probability` on edges.

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> graph = osp.export.threshold_graph(posterior)
    >>> all(p > 0.5 for _, _, p in graph.edges(data="probability"))
    True

    Three graphs, each of which lacks one edge of a cycle of three, together have that cycle:

    >>> import numpy as np
    >>> cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    >>> graphs = np.stack([cycle * (np.arange(3) != i)[:, None] for i in range(3)])
    >>> len(osp.export.threshold_graph(graphs).edges), len(osp.export.threshold_graph(graphs, acyclic=True).edges)
    (3, 2)
    """
    least = _check_share("threshold", threshold)
    frame = _probabilities(posterior, given)
    values = frame.to_numpy()
    chosen = values > least
    if least >= 0.5:
        chosen &= ~chosen.T  # both directions of a pair can exceed 0.5 only by rounding
    names = list(frame.index)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    edges = [pair for pair in _most_probable_first(values, names) if chosen[pair]]
    for cause, effect in acyclic_part(edges) if acyclic else edges:
        graph.add_edge(names[cause], names[effect], **{PROBABILITY: float(values[cause, effect])})
    return graph


def edges_frame(posterior: Any, given: EdgesLike = None, min_probability: float = 0.0) -> pd.DataFrame:
    """Return all edges in a long table, the most probable first.

    Parameters
    ----------
    posterior : Posterior, sampled graphs, or DataFrame of edge probabilities
    given : str or Edges, optional
        Evidence to condition on.
    min_probability : float, default 0
        Leave out edges that are less probable.

    Returns
    -------
    pandas.DataFrame
        Columns `cause`, `effect` and `probability`. For a posterior that was sampled by Markov chains also
        `standard_error`, which is missing if all graphs agree.

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> table = osp.export.edges_frame(posterior, min_probability=0.5)
    >>> list(table.columns), bool(table["probability"].is_monotonic_decreasing)
    (['cause', 'effect', 'probability'], True)
    """
    import pandas as pd

    least = _check_share("min_probability", min_probability)
    frame = _probabilities(posterior, given)
    values, names = frame.to_numpy(), np.array(frame.index, dtype=object)
    pairs = np.array([pair for pair in _most_probable_first(values, list(names)) if values[pair] >= least])
    causes, effects = pairs.reshape(-1, 2).astype(np.int64).T
    columns = {"cause": names[causes], "effect": names[effects], PROBABILITY: values[causes, effects]}
    errors = _standard_errors(posterior, given)
    if errors is not None:
        columns["standard_error"] = errors[causes, effects]
    return pd.DataFrame(columns)


def _probabilities(posterior: Any, given: EdgesLike) -> pd.DataFrame:
    """Return edge probabilities with names, 0 on the diagonal."""
    if isinstance(posterior, Posterior):
        return posterior.edge_probabilities(given)
    if given is not None:
        raise InvalidType(
            f"given= needs a posterior to condition; got {type(posterior).__name__}. Pass the posterior itself."
        )
    read = read_probabilities("posterior", posterior)
    return square_frame(read.values, read.variables or [f"X{v + 1}" for v in range(read.n_variables)])


def _standard_errors(posterior: Any, given: EdgesLike) -> np.ndarray | None:
    """Return Monte Carlo standard errors (d, d); None if nothing was sampled, or if they are unknown."""
    if not isinstance(posterior, Posterior):
        return None
    errors = posterior.edge_standard_errors(given).to_numpy()
    return errors if (errors > 0.0).any() else None


def _most_probable_first(values: np.ndarray, names: list[str]) -> list[tuple[int, int]]:
    """All pairs of different variables, the most probable edges first; equally probable ones are sorted by names."""
    pairs = [(c, e) for c in range(len(names)) for e in range(len(names)) if c != e]
    return sorted(pairs, key=lambda pair: (-round(float(values[pair]), DIGITS), names[pair[0]], names[pair[1]]))


def _check_share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidType(f"{name} must be a number from 0 to 1; got {value!r} of type {type(value).__name__}.")
    if not 0.0 <= float(value) <= 1.0:
        raise InvalidValue(f"{name} must be a number from 0 to 1; got {value}.")
    return float(value)
