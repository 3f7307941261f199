"""Standard errors of means over Markov chains, by ArviZ's statistics."""

from __future__ import annotations

import math

import numpy as np


def standard_errors(traces: np.ndarray) -> np.ndarray:
    """Of the means of traces (runs, looks, ...), shape (...): spread over the root of the effective sample size."""
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


def conditional_standard_error(event: np.ndarray, condition: np.ndarray) -> float:
    """Of the share of draws with the event among those with the condition, both (runs, looks), bool.

    A ratio of two means varies as the mean of what its numerator exceeds its share of the denominator by.
    """
    share = float(condition.mean())
    mean = float((event & condition).mean()) / share
    return float(standard_errors(condition * (event - mean) / share)) if 0.0 < mean < 1.0 else math.nan
