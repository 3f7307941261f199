"""How good probabilities of pairs are, given which of them are true."""

from __future__ import annotations

import numpy as np

from orderspn.metrics.edge_probabilities import area_under_roc

CLIP = 1e-3
"""No probability is taken to be nearer to 0 or 1 in log losses."""
BINS = 10

Measures = dict[str, float | list[list[float]] | None]


def probability_measures(p: np.ndarray, is_true: np.ndarray) -> Measures:
    """Return how good the probabilities of pairs (n,) are; rankings are None if all pairs or no pairs are true.

    `bins` has, for ten bins of probability, how many pairs, the sum of their probabilities, and how many are true.
    """
    bins = sums_by_bin(p, is_true)
    ranked = bool(is_true.any() and not is_true.all())
    return {
        "auroc": float(area_under_roc(p, is_true)) if ranked else None,
        "average_precision": average_precision(p, is_true) if ranked else None,
        "brier": float(np.mean((p - is_true) ** 2)),
        "log_loss": log_loss(p, is_true, CLIP),
        "calibration_error": float(calibration_error(bins)),
        "bins": bins.tolist(),
    }


def log_loss(p: np.ndarray, is_true: np.ndarray, floor: float) -> float:
    """Return the mean of -log of the probability of what is true, with probabilities at least `floor` from 0 and 1."""
    clipped = np.clip(p, floor, 1.0 - floor)
    return float(-np.mean(np.log(np.where(is_true, clipped, 1.0 - clipped))))


def sums_by_bin(p: np.ndarray, is_true: np.ndarray) -> np.ndarray:
    """Return the number of pairs, the sum of their probabilities and the number of true ones in each bin, (BINS, 3)."""
    of_pair = np.minimum((p * BINS).astype(int), BINS - 1)
    return np.stack([np.bincount(of_pair, weights, BINS) for weights in (np.ones(len(p)), p, is_true)], axis=1)


def calibration_error(bins: np.ndarray) -> np.ndarray:
    """Return the mean distance of probability and share of true pairs over the pairs, from sums (..., BINS, 3)."""
    count, promised, true = np.moveaxis(bins, -1, 0)
    distance: np.ndarray = np.abs(promised - true).sum(axis=-1) / count.sum(axis=-1)
    return distance


def average_precision(p: np.ndarray, is_true: np.ndarray) -> float:
    """Return the mean precision at the true pairs; equal probabilities are one threshold."""
    thresholds, of_value = np.unique(-p, return_inverse=True)
    found = np.cumsum(np.bincount(of_value, weights=is_true, minlength=len(thresholds)))
    taken = np.cumsum(np.bincount(of_value, minlength=len(thresholds)))
    return float(np.sum(np.diff(found, prepend=0.0) * found / taken) / is_true.sum())
