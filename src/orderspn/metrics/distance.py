"""How far two distributions over graphs are apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.metrics.acyclic import all_dags, check_acyclic
from orderspn.metrics.arguments import WeightedGraphs, is_posterior, read_sampled
from orderspn.metrics.graph_probabilities import graph_probabilities, listed_graphs
from orderspn.queries.sampling import distinct_graphs

LISTED_UP_TO = 5
"""Variables up to which all DAGs are gone through: 29,281 of 5, but 3.8 million of 6."""


def total_variation(a: Any, b: Any) -> float:
    """Total variation distance of two distributions over DAGs: the largest difference that an event can make.

    Half the sum of all absolute differences of probabilities, from 0 (the same) to 1 (no DAG in common). Lists of
    graphs, that is sampled ones and posteriors of the methods "gadget" and "dibs", are taken as they are, with the
    frequencies of their graphs; any posterior is compared with them exactly. Two posteriors that are no lists are
    compared over all DAGs, of at most 5 variables. Of a posterior over pairs of an order and a graph, the probability
    of a graph is summed over its orders.

    Parameters
    ----------
    a, b : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
        Variables are matched by name if both have names.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> forward, backward = nx.DiGraph(["AB"]), nx.DiGraph(["BA"])
    >>> osp.metrics.total_variation([forward, forward, backward, backward], [forward, forward, forward, backward])
    0.25
    >>> data = osp.simulate.linear_gaussian(4, n_rows=100, rng=0).data
    >>> by_orders, by_dags = osp.learn(data), osp.learn(data, target="dag")
    >>> 0.0 < osp.metrics.total_variation(by_orders, by_dags) < 1.0
    True
    """
    first, second = _read_list("a", a), _read_list("b", b)
    if first is not None and second is not None:
        return _between_lists(first, second)
    if first is not None:
        return _from_list(first, b, "a", "b")
    if second is not None:
        return _from_list(second, a, "b", "a")
    return _from_list(_all_with_probabilities(a), b, "a", "b")


def _read_list(name: str, value: Any) -> WeightedGraphs | None:
    """Graphs with weights, or None for a posterior that does not list any."""
    if not is_posterior(value):
        sampled = read_sampled(name, value, 1, None)
        check_acyclic(name, sampled.graphs)
        return sampled
    listed = listed_graphs(value)
    return None if listed is None else WeightedGraphs(Matrices(listed[0], tuple(value.variables)), listed[1])


def _all_with_probabilities(posterior: Any) -> WeightedGraphs:
    names = tuple(posterior.variables)
    if len(names) > LISTED_UP_TO:
        raise InvalidValue(
            f"a and b are posteriors over more DAGs than can be gone through, of {len(names)} variables; the limit is "
            f"{LISTED_UP_TO}. Pass sampled graphs for one of them, b.sample(10_000, rng=0): the distance is then that "
            "from the sample, which has noise of its own. For single edges there is edge_error."
        )
    dags = all_dags(len(names))
    return WeightedGraphs(Matrices(dags, names), graph_probabilities(posterior, dags))


def _between_lists(first: WeightedGraphs, second: WeightedGraphs) -> float:
    n = len(first.weights)
    alike = second.graphs.in_order_of(first.graphs, "b", "a")
    distinct, which = distinct_graphs(np.concatenate([first.graphs.values, alike]))
    here = np.bincount(which[:n], first.weights, len(distinct))
    there = np.bincount(which[n:], second.weights, len(distinct))
    return float(np.abs(here - there).sum() / 2.0)


def _from_list(listed: WeightedGraphs, posterior: Any, name: str, other: str) -> float:
    """One less what both share, all of which is in the list."""
    names = tuple(posterior.variables)
    own = Matrices(np.zeros((len(names), len(names)), dtype=bool), names)
    graphs, which = distinct_graphs(listed.graphs.in_order_of(own, name, other))
    shared = np.minimum(np.bincount(which, listed.weights), graph_probabilities(posterior, graphs)).sum()
    return float(min(max(1.0 - shared, 0.0), 1.0))  # rounding
