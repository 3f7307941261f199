"""Distances between two results: edge probabilities, total effects, and distributions over DAGs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.dag import all_dags, check_acyclic
from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RNGLike
from orderspn.metrics.arguments import WeightedGraphs, off_diagonal, read_effects, read_probabilities, read_sampled
from orderspn.models.capabilities import GRAPH_LIST
from orderspn.models.graph_probabilities import log_probabilities_of
from orderspn.models.graph_shares import LISTED_UP_TO
from orderspn.models.protocol import is_posterior
from orderspn.queries.sampling import distinct_graphs


class EdgeError(NamedTuple):
    """Largest and mean absolute difference of edge probabilities, over the d(d - 1) ordered pairs."""

    largest: float
    mean: float


def edge_error(a: Any, b: Any) -> EdgeError:
    """Compute the largest and the mean absolute difference of edge probabilities.

    Parameters
    ----------
    a, b : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect. Variables are matched by name if both have names.

    Returns
    -------
    EdgeError
        With `.largest` and `.mean`.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.metrics.edge_error([[0, 0.5], [0.25, 0]], [[0, 0.75], [0.25, 0]])
    EdgeError(largest=0.25, mean=0.125)
    """
    first, second = read_probabilities("a", a), read_probabilities("b", b)
    difference = np.abs(off_diagonal(first.values - second.in_order_of(first, "b", "a")))
    return EdgeError(float(difference.max()), float(difference.mean()))


def effect_error(effects: Any, truth: Any, *, n_samples: int = 1000, rng: RNGLike = 0) -> float:
    """Compute the mean squared error of total effects, over the d(d - 1) ordered pairs: the paper's MSE-CE.

    Parameters
    ----------
    effects : Posterior, DataFrame or array
        Total effects, row = cause, column = effect, or the result of `estimate_effects` or `effect_samples`. For a
        posterior its `causal_effects`, or estimates if it has no exact ones.
    truth : a simulated network, DataFrame or array
        The true total effects, `(I - B)^-1` for weights B, in the same units. Variables are matched by name if both
        have names.
    n_samples : int, default 1000
        Graphs to draw from a posterior without exact effects (method "exact" with `target="dag"`).
    rng : int, SeedSequence, Generator or None
        For these draws.

    Returns
    -------
    float

    Examples
    --------
    >>> import orderspn as osp
    >>> truth = osp.simulate.linear_gaussian(6, n_rows=1000, rng=0)
    >>> osp.metrics.effect_error(osp.learn(truth.data), truth) < 0.2
    True
    """
    count = check_integer("n_samples", n_samples, 2)
    found = read_effects("effects", effects, count, rng)
    true = read_effects("truth", truth, count, rng).in_order_of(found, "truth", "effects")
    return float(np.mean(off_diagonal(found.values - true) ** 2))


def total_variation(a: Any, b: Any) -> float:
    """Compute the total variation distance of two distributions over DAGs.

    It is the largest difference in the probability of any event. It is also half the sum of the absolute differences of
    all probabilities, from 0 (equal) to 1 (no DAG in common). Lists
    of graphs (samples, and posteriors of the methods "gadget" and "dibs") have the frequencies of their graphs as
    probabilities; any posterior is compared with them exactly. Two posteriors that are not lists are compared over all
    DAGs, of at most 5 variables. For a posterior over orders and graphs, the probability of a graph is summed over its
    orders.

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
    >>> by_orders, by_dags = osp.learn(data), osp.learn(data, method=osp.methods.Exact(target="dag"))
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
    """Read graphs with weights; None for a posterior that is not a list of graphs."""
    if not is_posterior(value):
        sampled = read_sampled(name, value, 1, None)
        check_acyclic(name, sampled.graphs.values, sampled.graphs.variables)
        return sampled
    listed = listed_graphs(value)
    return None if listed is None else WeightedGraphs(Matrices(listed[0], tuple(value.variables)), listed[1])


def _all_with_probabilities(posterior: Any) -> WeightedGraphs:
    names = tuple(posterior.variables)
    if len(names) > LISTED_UP_TO:
        raise InvalidValue(
            f"a and b are posteriors over more DAGs than can be enumerated, of {len(names)} variables; the limit is "
            f"{LISTED_UP_TO}. Pass sampled graphs for one of them, b.sample(10_000, rng=0): the distance is then that "
            "from the sample, with its sampling error. To compare single edges use edge_error."
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
    """Return one minus the mass that both share, all of which is on the graphs of the list."""
    names = tuple(posterior.variables)
    own = Matrices(np.zeros((len(names), len(names)), dtype=bool), names)
    graphs, which = distinct_graphs(listed.graphs.in_order_of(own, name, other))
    shared = np.minimum(np.bincount(which, listed.weights), graph_probabilities(posterior, graphs)).sum()
    return float(min(max(1.0 - shared, 0.0), 1.0))  # rounding


def listed_graphs(posterior: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return graphs (n, d, d) and weights (n,) of a posterior that is a list of graphs; None for any other."""
    listed = GRAPH_LIST.optional(posterior.model)
    return None if listed is None else listed.weighted_graphs()


def graph_probabilities(posterior: Any, graphs: np.ndarray) -> np.ndarray:
    """Compute the probability of each of the DAGs (n, d, d), shape (n,), under a posterior that sums over families."""
    probabilities: np.ndarray = np.exp(
        log_probabilities_of(posterior.model, posterior.evidence, graphs, "the distance")
    )
    return probabilities
