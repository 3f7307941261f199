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
        Shape of the tail of the weights: above 0.7 means over them are not to be trusted. NaN for fewer than 25.
    """

    effective_sample_size: float
    pareto_k: float


def normalised_weights(log_weights: np.ndarray) -> np.ndarray:
    """Weights that sum to 1."""
    weights: np.ndarray = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def quality_of(log_weights: np.ndarray) -> WeightQuality:
    """Effective sample size, and Pareto k by ArviZ's smoothing."""
    from arviz_stats.base.array import array_stats

    weights = normalised_weights(log_weights)
    size = float(1.0 / np.sum(weights**2))
    if np.ptp(log_weights) == 0.0:
        return WeightQuality(size, -math.inf)  # all alike: no tail
    if log_weights.size < FEWEST:
        return WeightQuality(size, math.nan)
    with np.errstate(all="ignore"):
        _, pareto_k = array_stats.psislw(-log_weights, axis=-1)
    return WeightQuality(size, float(pareto_k))
