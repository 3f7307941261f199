"""Edge probabilities compared with the true graph: ranking and calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidValue
from orderspn.metrics.arguments import read_pairs

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 1e-10
"""Distance from 1 within which probabilities count as 1."""


def auroc(probabilities: Any, truth: Any) -> float:
    """Compute the area under the ROC curve: the probability that a true edge is ranked above a pair without one.

    Ties count one half; the diagonal does not count.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect.
    truth : networkx.DiGraph, DataFrame, array, pairs (cause, effect), or a simulated network
        The true graph. Variables are matched by name if both have names.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> sachs = osp.load_sachs(log=True)
    >>> round(osp.metrics.auroc(osp.learn(sachs.data), nx.DiGraph(sachs.consensus)), 4)
    0.6603
    """
    return area_under_roc(*read_pairs(probabilities, truth))


def area_under_roc(probabilities: np.ndarray, is_edge: np.ndarray) -> float:
    """Compute the area under the ROC curve for any pairs, given as two arrays of the same length."""
    edges, others = _counts_by_probability(probabilities, is_edge)
    below = np.cumsum(others) - others
    return float((edges * (below + 0.5 * others)).sum() / (edges.sum() * others.sum()))


def average_precision(probabilities: Any, truth: Any) -> float:
    """Compute the mean, over the true edges, of the share of true edges among all pairs that rank at least as high.

    This is the area under the precision-recall curve by steps, with tied pairs taken together. The diagonal does not
    count.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect.
    truth : networkx.DiGraph, DataFrame, array, pairs (cause, effect), or a simulated network
        The true graph. Variables are matched by name if both have names.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> sachs = osp.load_sachs(log=True)
    >>> round(osp.metrics.average_precision(osp.learn(sachs.data), nx.DiGraph(sachs.consensus)), 4)
    0.3529
    """
    edges, others = _counts_by_probability(*read_pairs(probabilities, truth))
    found = np.cumsum(edges[::-1])
    precision = found / (found + np.cumsum(others[::-1]))
    return float((edges[::-1] * precision).sum() / edges.sum())


def _counts_by_probability(probabilities: np.ndarray, is_edge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each distinct probability, ascending, the number of edges and of other pairs that have it.

    Probabilities that are 1 up to rounding count as equal: their order would be that of the rounding errors.
    """
    if is_edge.all() or not is_edge.any():
        got = "an edge for every pair" if is_edge.any() else "no edge"
        raise InvalidValue(f"truth must have at least one edge and one pair without an edge; got {got}.")
    told_apart = np.where(probabilities > 1.0 - ROUNDING, 1.0, probabilities)
    distinct, place = np.unique(told_apart, return_inverse=True)
    edges = np.bincount(place[is_edge], minlength=distinct.size)
    return edges, np.bincount(place, minlength=distinct.size) - edges


def brier_score(probabilities: Any, truth: Any) -> float:
    """Compute the mean squared difference between probabilities and truth, over the d(d - 1) ordered pairs; 0 is best.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect.
    truth : networkx.DiGraph, DataFrame, array, pairs (cause, effect), or a simulated network
        The true graph. Variables are matched by name if both have names.

    Returns
    -------
    float

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.metrics.brier_score([[0, 0.5], [0.1, 0]], [[0, 1], [0, 0]])
    0.13
    """
    p, is_edge = read_pairs(probabilities, truth)
    return float(np.mean((p - is_edge) ** 2))


def calibration_curve(probabilities: Any, truth: Any, n_bins: int = 10) -> pd.DataFrame:
    """Compute mean predicted probability and observed share of edges, in bins of similar probability.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect.
    truth : networkx.DiGraph, DataFrame, array, pairs (cause, effect), or a simulated network
        The true graph. Variables are matched by name if both have names.
    n_bins : int, default 10
        Number of bins of equal width.

    Returns
    -------
    pandas.DataFrame
        A row for each nonempty bin. `lower` and `upper` are its bounds, the upper one included; `predicted` is the mean
        probability, `observed` the share of edges, `pairs` the number of pairs. To pool several data sets, average
        with `pairs` as weights.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.metrics.calibration_curve([[0, 0.9], [0.1, 0]], [[0, 1], [0, 0]], n_bins=2)
       lower  upper  predicted  observed  pairs
    0    0.0    0.5        0.1       0.0      1
    1    0.5    1.0        0.9       1.0      1
    """
    import pandas as pd

    n_bins = check_integer("n_bins", n_bins, 1)
    p, is_edge = read_pairs(probabilities, truth)
    bounds = np.linspace(0.0, 1.0, n_bins + 1)
    bins = np.searchsorted(bounds[1:-1], p)
    pairs = np.bincount(bins, minlength=n_bins)
    used = pairs > 0
    return pd.DataFrame(
        {
            "lower": bounds[:-1][used],
            "upper": bounds[1:][used],
            "predicted": np.bincount(bins, weights=p, minlength=n_bins)[used] / pairs[used],
            "observed": np.bincount(bins, weights=is_edge, minlength=n_bins)[used] / pairs[used],
            "pairs": pairs[used],
        }
    )
