"""Are edges present as often as their probabilities say?

Given a table, an edge is present with its posterior probability p, if graph and table came from the prior. So the sum
over the edges of a table of `(present - p) w(p)` has mean 0, whatever the weights w: 1 for the number of edges,
`1 - 2 p` for the Brier score less its expectation `p (1 - p)`, and the indicator of a bin for edges of such p. Edges of
one table depend on each other, and tables do not: sums are taken by table, and tests are over tables.
"""

import numpy as np
from scipy import stats

BINS = 6


def p_values(present, p):
    """Of the number of edges, the Brier score and the bins of probabilities, from (tables, edges) arrays."""
    excess = present - p
    return {
        "edges": _p_of_mean_zero(excess.sum(axis=1)[:, None]),
        "brier": _p_of_mean_zero((excess * (1 - 2 * p)).sum(axis=1)[:, None]),
        "bins": _p_of_mean_zero(_by_bin(excess, p)),
    }


def _by_bin(excess, p):
    """Sums by table and by bin of p, (tables, bins); every bin has as many edges."""
    ends = np.quantile(p, np.arange(1, BINS) / BINS)
    place = np.searchsorted(ends, p)
    return np.stack([(excess * (place == k)).sum(axis=1) for k in range(BINS)], axis=1)


def _p_of_mean_zero(sums):
    """Hotelling's test that rows (n, k) have mean 0; for one column it is the t test."""
    n, k = sums.shape
    mean, covariance = sums.mean(axis=0), np.atleast_2d(np.cov(sums.T))
    distance = n * mean @ np.linalg.solve(covariance, mean)
    return float(stats.f(k, n - k).sf(distance * (n - k) / (k * (n - 1))))


def overconfident(p, factor=1.6):
    """Probabilities with larger log odds."""
    odds = (p / (1 - p)) ** factor
    return odds / (1 + odds)
