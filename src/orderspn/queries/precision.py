"""Precision of means over draws of Markov chains and over weighted draws, with the statistics of ArviZ.

Importance weights change the target from "order" to "dag". In draws from an order-modular posterior, the frequency of
a graph is proportional to its score times the weight of its orders. Divided by that weight, it is the frequency in the
structure-modular posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

BATCH = 256
"""Number of traces whose errors are computed at a time."""

FEWEST_WEIGHTS = 25
"""Smallest number of weights to which a tail is fitted."""

FEWEST_DISTINCT = 20
"""Number of distinct values needed among the largest weights to fit a tail: numbers of orders are bounded integers."""


def standard_errors(traces: np.ndarray) -> np.ndarray:
    """Return the standard errors of the means of traces (runs, draws, ...), shape (...).

    Each is the standard deviation divided by the square root of the effective sample size.
    """
    from arviz_stats.base.array import array_stats

    flat = np.asarray(traces, dtype=np.float64).reshape(*traces.shape[:2], -1)
    spread = flat.std(axis=(0, 1))
    varies = np.flatnonzero(spread > 0.0)
    errors = np.zeros(flat.shape[2])
    if varies.size:
        n_draws = flat.shape[0] * flat.shape[1]
        with np.errstate(all="ignore"):  # constant halves divide 0 by 0
            ess = np.asarray(array_stats.ess(flat[:, :, varies], chain_axis=0, draw_axis=1, method="mean"))
        ess = np.where(np.isfinite(ess), np.clip(ess, 1.0, n_draws), 1.0)
        errors[varies] = spread[varies] / np.sqrt(ess)
    return errors.reshape(traces.shape[2:])


def conditional_standard_errors(events: np.ndarray, condition: np.ndarray) -> np.ndarray:
    """Return the standard errors of the shares of events among the draws that satisfy a condition, shape (n,).

    Events (runs, draws, n) and condition (runs, draws) are boolean. The share is a ratio of two means. Its variance is
    that of the mean of `condition * (event - share)` divided by the probability of the condition. The error is NaN if
    all draws agree, which does not tell how rare the other outcome is.
    """
    share = float(condition.mean())
    means = (events & condition[:, :, None]).mean(axis=(0, 1)) / share
    errors = np.full(events.shape[2], np.nan)
    uncertain = np.flatnonzero((means > 0.0) & (means < 1.0))
    for start in range(0, uncertain.size, BATCH):
        some = uncertain[start : start + BATCH]
        errors[some] = standard_errors(condition[:, :, None] * (events[:, :, some] - means[some]) / share)
    return errors


@dataclass(frozen=True)
class WeightQuality:
    """Diagnostics of importance weights.

    Attributes
    ----------
    effective_sample_size : float
        Number of equally weighted graphs that would give the same precision.
    pareto_k : float
        Shape of the tail of the weights; above 0.7 weighted means are not reliable. NaN for fewer than 25 weights, or
        if too few of the largest are distinct to fit a tail.
    """

    effective_sample_size: float
    pareto_k: float


def normalised_weights(log_weights: np.ndarray) -> np.ndarray:
    """Return weights that sum to 1."""
    weights: np.ndarray = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def quality_of(log_weights: np.ndarray) -> WeightQuality:
    """Return the effective sample size and Pareto k of importance weights."""
    weights = normalised_weights(log_weights)
    return WeightQuality(float(1.0 / np.sum(weights**2)), _pareto_k(log_weights))


def _pareto_k(log_weights: np.ndarray) -> float:
    """Return Pareto k by ArviZ's smoothing; NaN if there is no tail to fit."""
    from arviz_stats.base.array import array_stats

    tail = np.sort(log_weights)[-max(FEWEST_WEIGHTS // 5, int(3 * math.sqrt(log_weights.size))) :]
    if log_weights.size < FEWEST_WEIGHTS or np.unique(tail).size < FEWEST_DISTINCT:
        return math.nan
    with np.errstate(all="ignore"):
        return float(array_stats.psislw(-log_weights, axis=-1)[1])
