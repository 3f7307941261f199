"""What draws say about effects: mean, interval, probabilities and variances, each with its standard error.

By the law of total variance, `Var(effect) = Var(E[effect | graph]) + E[Var(effect | graph)]`: the first is structural,
between graphs; the second is parametric, within them. The expectation given a graph is exact, so `effect - E[effect |
graph]` of one draw has mean 0, and its mean square is the parametric variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.queries.sampling import credible_ends, weighted_quantile


class EffectNumbers(NamedTuple):
    """Numbers about one effect, or about many of them as arrays; or their standard errors.

    Attributes
    ----------
    mean, low, high : numpy.ndarray
        Mean, and ends of the central credible interval.
    positive, negative, no_path : numpy.ndarray
        Probabilities that the effect is above 0, below 0, and that there is no directed path, so that it is 0.
    structural, parametric, variance : numpy.ndarray
        Variance between graphs, within graphs, and their sum.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    no_path: np.ndarray
    structural: np.ndarray
    parametric: np.ndarray
    variance: np.ndarray


def effect_numbers(
    means: np.ndarray, values: np.ndarray, connected: np.ndarray, weights: np.ndarray | None, level: float
) -> tuple[EffectNumbers, EffectNumbers]:
    """Return the numbers of effects and their standard errors, from draws (n, ...) with weights (n,) or None."""
    n = len(means)
    shares = np.full(n, 1.0 / n) if weights is None else weights
    mean = _average(means, shares)
    # The mean comes from the same draws, so their distances from it are a little too small.
    between = (means - mean) ** 2 / max(1.0 - float(np.sum(shares**2)), np.finfo(float).tiny)
    within = (values - means) ** 2
    structural, parametric = _average(between, shares), _average(within, shares)
    low, high = credible_ends(values, level, weights)
    positive, negative, no_path = (share_of(event, shares) for event in (values > 0.0, values < 0.0, ~connected))
    tail = (1.0 - level) / 2.0
    numbers = EffectNumbers(
        mean, low, high, positive, negative, no_path, structural, parametric, structural + parametric
    )
    errors = EffectNumbers(
        weighted_error(means, mean, shares),
        _quantile_error(values, tail, weights, shares),
        _quantile_error(values, 1.0 - tail, weights, shares),
        share_error(positive, shares),
        share_error(negative, shares),
        share_error(no_path, shares),
        weighted_error(between, structural, shares),
        weighted_error(within, parametric, shares),
        weighted_error(between + within, structural + parametric, shares),
    )
    return numbers, errors


def _average(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    return np.asarray(np.tensordot(shares, values, axes=1))


def share_of(events: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the weighted share of events (n, ...), bool; exactly 1 where all are true, whatever is rounded."""
    return np.where(events.all(axis=0), 1.0, _average(events, shares))


def weighted_error(values: np.ndarray, mean: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean of independent weighted draws (n, ...)."""
    return np.sqrt(_average((values - mean) ** 2, shares**2))


def share_error(probability: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the standard error of a share of draws.

    It is that of the share with one more draw of either outcome: draws that all agree do not prove that others would.
    """
    n = 1.0 / np.sum(shares**2)  # draws with equal weights that are worth as much
    shrunk = (np.clip(probability, 0.0, 1.0) * n + 1.0) / (n + 2.0)
    return np.sqrt(shrunk * (1.0 - shrunk) / (n + 2.0))


def _quantile_error(values: np.ndarray, share: float, weights: np.ndarray | None, shares: np.ndarray) -> np.ndarray:
    """Return the standard error of a quantile: half the distance of the quantiles one error of the share away."""
    off = np.sqrt(share * (1.0 - share) * np.sum(shares**2))
    below, above = (
        weighted_quantile(values, float(np.clip(end, 0.0, 1.0)), weights) for end in (share - off, share + off)
    )
    return np.asarray((above - below) / 2.0)
