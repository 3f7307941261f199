"""Structural Hamming distance: the number of pairs of variables that two graphs join differently."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.arguments import check_choice, check_integer
from orderspn.core.dag import topological_order
from orderspn.core.equivalence import cpdags_of
from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices, read_matrices
from orderspn.core.randomness import RNGLike
from orderspn.metrics.arguments import WeightedGraphs, read_probabilities, read_sampled
from orderspn.metrics.reference import read_truth
from orderspn.models.protocol import is_posterior

ROUNDING = 1e-6
"""Tolerance for the sum of the probabilities of both directions of an edge, which is at most 1."""


def structural_hamming_distance(a: Any, b: Any) -> int:
    """Count the pairs of variables that two graphs join differently.

    An extra edge, a missing edge and a reversed edge each count once, and so does an edge that is directed in only one
    of two CPDAGs.

    Parameters
    ----------
    a, b : networkx.DiGraph, DataFrame, array, pairs (cause, effect), or a simulated network
        Graphs, one of which may be pairs; an edge in both directions is undirected. Variables are matched by name if
        both have names.

    Returns
    -------
    int

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> a = nx.DiGraph([("A", "B"), ("B", "C")])
    >>> b = nx.DiGraph([("B", "A"), ("B", "C"), ("A", "C")])
    >>> osp.metrics.structural_hamming_distance(a, b)
    2
    """
    first = read_truth("a", a, "b", b)
    second = read_truth("b", b, "a", first)
    return int(_distances(first.values[None], second.in_order_of(first, "b", "a"))[0])


def expected_shd(graphs: Any, truth: Any, between: str = "cpdag", *, n_samples: int = 1000, rng: RNGLike = 0) -> float:
    """Compute the expected structural Hamming distance between graphs of a posterior and the true one.

    Between DAGs it is linear in the edge probabilities, and exact for a posterior. Between CPDAGs it is a mean over
    sampled graphs.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
        For distances between DAGs also edge probabilities, as a DataFrame or array.
    truth : networkx.DiGraph, DataFrame, array, pairs (cause, effect), or a simulated network
        The true DAG. Variables are matched by name if both have names.
    between : {"cpdag", "dag"}
        Whether to compare Markov equivalence classes or the graphs themselves.
    n_samples : int, default 1000
        Graphs to draw from a posterior, for distances between CPDAGs.
    rng : int, SeedSequence, Generator or None
        For these draws.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> sachs = osp.load_sachs(log=True)
    >>> posterior = osp.learn(sachs.data)
    >>> truth = nx.DiGraph(sachs.consensus)
    >>> round(osp.metrics.expected_shd(posterior, truth, between="dag"), 3)
    14.496
    >>> 11 < osp.metrics.expected_shd(posterior, truth) < 13
    True
    """
    check_choice("between", between, ("cpdag", "dag"))
    count = check_integer("n_samples", n_samples, 1)
    dag = read_truth("truth", truth, "graphs", graphs)
    topological_order("truth", dag.values, dag.variables)
    if between == "dag":
        p = read_probabilities("graphs", graphs)
        return _expected_distance(p.values, dag.in_order_of(p, "truth", "graphs"))
    sampled, weights = _read_samples(graphs, count, rng)
    dag = Matrices(dag.in_order_of(sampled, "truth", "graphs"), sampled.variables)
    return float(weights @ _distances(cpdags_of(sampled, "graphs"), cpdags_of(dag, "truth")[0]))


def _read_samples(graphs: Any, count: int, rng: RNGLike) -> WeightedGraphs:
    if not is_posterior(graphs):
        values = read_matrices("graphs", graphs).values
        if values.ndim == 2 and not np.isin(values, (0, 1)).all():
            raise InvalidValue(
                "graphs must be a posterior or sampled graphs for distances between CPDAGs: edge probabilities do not "
                "determine them. Pass one of these, or between='dag'."
            )
    return read_sampled("graphs", graphs, count, rng)


def _distances(graphs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the distance of each of the graphs (n, d, d) to one, shape (n,)."""
    differs = graphs != truth
    # A pair differs if either direction does; each unordered pair is counted twice.
    return (differs | differs.transpose(0, 2, 1)).sum(axis=(1, 2)) // 2


def _expected_distance(probabilities: np.ndarray, truth: np.ndarray) -> float:
    either = probabilities + probabilities.T  # (d, d): probability that a pair is joined
    if either.max() > 1.0 + ROUNDING:
        raise InvalidValue(
            f"graphs must give the two directions of an edge at most probability 1 together; got {either.max():g}."
        )
    unjoined = ~(truth | truth.T)
    return float((1.0 - probabilities[truth]).sum() + either[unjoined].sum() / 2.0)
