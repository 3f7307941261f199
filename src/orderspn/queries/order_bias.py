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

DIFFERENT = 20
"""Different weights among the largest without which they have no tail: numbers of orders are whole and bounded."""


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
    """By ArviZ's smoothing, where there is a tail to fit."""
    from arviz_stats.base.array import array_stats

    tail = np.sort(log_weights)[-max(FEWEST // 5, int(3 * math.sqrt(log_weights.size))) :]
    if log_weights.size < FEWEST or np.unique(tail).size < DIFFERENT:
        return math.nan
    with np.errstate(all="ignore"):
        return float(array_stats.psislw(-log_weights, axis=-1)[1])
