"""How precise means over draws are: those of Markov chains, and those with importance weights. By ArviZ's statistics.

Importance weights turn graphs drawn with their orders into graphs each counted once. Drawn from an order-modular
posterior, a graph appears in proportion to its score times the weight of the orders that it follows. Divided by that
weight, it counts as it does in the structure-modular posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

BATCH = 256
"""Traces whose errors are computed at a time."""

FEWEST = 25
"""Weights that a tail can be fitted to."""

DIFFERENT = 20
"""How many of the largest weights must be distinct for a tail to exist: numbers of orders are bounded integers."""


def standard_errors(traces: np.ndarray) -> np.ndarray:
    """Standard errors of the means of traces (runs, draws, ...), shape (...).

    Each is the standard deviation over the root of the effective sample size.
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
    """Standard errors of the shares of events among the draws that satisfy a condition, shape (n,).

    Events (runs, draws, n) and condition (runs, draws) are boolean. The share is a ratio of two means, and varies as
    the mean of `condition * (event - share)` over the probability of the condition. NaN where all draws agree, which
    says nothing about how rare the others are.
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
    """How far means with importance weights can be trusted.

    Attributes
    ----------
    effective_sample_size : float
        Number of equally weighted graphs that would give the same precision.
    pareto_k : float
        Shape of the tail of the weights: above 0.7 means over them are not to be trusted. NaN for fewer than 25
        weights, and where too few of the largest are distinct to have a tail.
    """

    effective_sample_size: float
    pareto_k: float


def normalised_weights(log_weights: np.ndarray) -> np.ndarray:
    """Weights that sum to 1."""
    weights: np.ndarray = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def quality_of(log_weights: np.ndarray) -> WeightQuality:
    """Effective sample size and Pareto k of importance weights."""
    weights = normalised_weights(log_weights)
    return WeightQuality(float(1.0 / np.sum(weights**2)), _pareto_k(log_weights))


def _pareto_k(log_weights: np.ndarray) -> float:
    """Pareto k by ArviZ's smoothing; NaN where there is no tail to fit."""
    from arviz_stats.base.array import array_stats

    tail = np.sort(log_weights)[-max(FEWEST // 5, int(3 * math.sqrt(log_weights.size))) :]
    if log_weights.size < FEWEST or np.unique(tail).size < DIFFERENT:
        return math.nan
    with np.errstate(all="ignore"):
        return float(array_stats.psislw(-log_weights, axis=-1)[1])
