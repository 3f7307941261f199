"""Weights that turn graphs drawn with their orders into graphs each counted once.

Drawn from an order-modular posterior a graph appears in proportion to its score times the weight of the orders that it
follows. Divided by that weight it counts as it does in the structure-modular one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

FEWEST = 25
"""Weights that a tail can be fitted to."""


@dataclass(frozen=True)
class WeightQuality:
    """What importance weights are worth.

    Attributes
    ----------
    effective_sample_size : float
        Of how many equally weighted graphs the sample has the precision.
    pareto_k : float
        Shape of the tail of the weights: above 0.7 means over them are not to be trusted. NaN for fewer than 25;
        minus infinity where the largest weights are all alike.
    """

    effective_sample_size: float
    pareto_k: float


def normalised_weights(log_weights: np.ndarray) -> np.ndarray:
    """Weights that sum to 1."""
    weights: np.ndarray = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def quality_of(log_weights: np.ndarray) -> WeightQuality:
    """Effective sample size, and Pareto k."""
    weights = normalised_weights(log_weights)
    return WeightQuality(float(1.0 / np.sum(weights**2)), _pareto_k(log_weights))


def _pareto_k(log_weights: np.ndarray) -> float:
    """By ArviZ's smoothing, which needs a tail of five draws or more that are not all alike."""
    from arviz_stats.base.array import array_stats

    if np.ptp(log_weights) == 0.0:
        return -math.inf
    if log_weights.size < FEWEST:
        return math.nan
    try:
        with np.errstate(all="ignore"):
            return float(array_stats.psislw(-log_weights, axis=-1)[1])
    except ValueError:  # a tail of equal weights: numbers of orders are whole, and the least of them common
        return -math.inf
