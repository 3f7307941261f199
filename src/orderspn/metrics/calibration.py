"""Whether probabilities of edges mean what they say: of pairs with probability p, a share p should be edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.metrics.arguments import read_pairs

if TYPE_CHECKING:
    import pandas as pd


def brier_score(probabilities: Any, truth: Any) -> float:
    """Mean squared difference between probabilities and truth, over the d(d - 1) ordered pairs; 0 is best.

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
    >>> import orderspn as osp
    >>> osp.metrics.brier_score([[0, 0.5], [0.1, 0]], [[0, 1], [0, 0]])
    0.13
    """
    p, is_edge = read_pairs(probabilities, truth)
    return float(np.mean((p - is_edge) ** 2))


def calibration_curve(probabilities: Any, truth: Any, n_bins: int = 10) -> pd.DataFrame:
    """Predicted and observed shares of edges among pairs of similar probability.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect.
    truth : networkx.DiGraph, DataFrame, array, or a simulated network
        The true graph. Variables are matched by name if both have names.
    n_bins : int, default 10
        Number of bins of equal width.

    Returns
    -------
    pandas.DataFrame
        A row for each bin that is not empty: `lower` and `upper`, its bounds, the upper one included; `predicted`, the
        mean probability; `observed`, the share of edges; `pairs`, their number. To pool several data sets, average
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
