"""Standard errors of means over Markov chains, by ArviZ's statistics."""

from __future__ import annotations

import numpy as np

BATCH = 256
"""Traces whose errors are computed at a time."""


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


def conditional_standard_errors(events: np.ndarray, condition: np.ndarray) -> np.ndarray:
    """Of the shares of draws with events (runs, looks, n) among those with the condition (runs, looks), shape (n,).

    A ratio of two means varies as the mean of what its numerator exceeds its share of the denominator by. NaN where all
    draws agree, which says nothing about how rare the others are.
    """
    share = float(condition.mean())
    means = (events & condition[:, :, None]).mean(axis=(0, 1)) / share
    errors = np.full(events.shape[2], np.nan)
    uncertain = np.flatnonzero((means > 0.0) & (means < 1.0))
    for start in range(0, uncertain.size, BATCH):
        some = uncertain[start : start + BATCH]
        errors[some] = standard_errors(condition[:, :, None] * (events[:, :, some] - means[some]) / share)
    return errors
