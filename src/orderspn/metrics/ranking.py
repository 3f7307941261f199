"""Whether true edges are ranked above the others, over the d(d - 1) ordered pairs of variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.metrics.arguments import read_pairs


def auroc(probabilities: Any, truth: Any) -> float:
    """Area under the ROC curve: the probability that a true edge is ranked above a pair without one.

    Ties count one half; the diagonal does not count.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect.
    truth : networkx.DiGraph, DataFrame, array, or a simulated network
        The true graph. Variables are matched by name if both have names.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> sachs = osp.load_sachs()
    >>> round(osp.metrics.auroc(osp.learn(sachs.data, standardize=True), nx.DiGraph(sachs.consensus)), 4)
    0.604
    """
    return area_under_roc(*read_pairs(probabilities, truth))


def area_under_roc(probabilities: np.ndarray, is_edge: np.ndarray) -> float:
    """The same for any pairs, given as arrays of one length."""
    edges, others = _counts_by_probability(probabilities, is_edge)
    below = np.cumsum(others) - others
    return float((edges * (below + 0.5 * others)).sum() / (edges.sum() * others.sum()))


def average_precision(probabilities: Any, truth: Any) -> float:
    """Mean, over the true edges, of the share of true edges among all pairs ranked as high or higher.

    The step-wise area under the precision-recall curve, tied pairs taken together; the diagonal does not count.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect.
    truth : networkx.DiGraph, DataFrame, array, or a simulated network
        The true graph. Variables are matched by name if both have names.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> sachs = osp.load_sachs()
    >>> round(osp.metrics.average_precision(osp.learn(sachs.data, standardize=True), nx.DiGraph(sachs.consensus)), 4)
    0.3172
    """
    edges, others = _counts_by_probability(*read_pairs(probabilities, truth))
    found = np.cumsum(edges[::-1])
    precision = found / (found + np.cumsum(others[::-1]))
    return float((edges[::-1] * precision).sum() / edges.sum())


def _counts_by_probability(probabilities: np.ndarray, is_edge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many edges and how many other pairs have each of the different probabilities, ascending."""
    if is_edge.all() or not is_edge.any():
        got = "an edge for every pair" if is_edge.any() else "no edge"
        raise InvalidValue(f"truth must have at least one edge and one pair without an edge; got {got}.")
    distinct, place = np.unique(probabilities, return_inverse=True)
    edges = np.bincount(place[is_edge], minlength=distinct.size)
    return edges, np.bincount(place, minlength=distinct.size) - edges
