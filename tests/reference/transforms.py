"""Sums and maxima over subsets and supersets by double loops."""

import math

import numpy as np

from reference.enumeration import log_sum_exp


def subset_sum(log_values, n_bits=None):
    """With `n_bits`, only the lowest bits may be missing and the others must be equal."""
    low = len(log_values) - 1 if n_bits is None else (1 << n_bits) - 1
    return np.array(
        [
            log_sum_exp([log_values[g] for g in range(len(log_values)) if g & ~u == 0 and g & ~low == u & ~low])
            for u in range(len(log_values))
        ]
    )


def superset_sum(log_values):
    return np.array(
        [log_sum_exp([log_values[u] for u in range(len(log_values)) if g & ~u == 0]) for g in range(len(log_values))]
    )


def subset_max(log_values):
    return np.array([max(log_values[g] for g in range(len(log_values)) if g & ~u == 0) for u in range(len(log_values))])


def subset_expectation(log_values, features):
    means = np.zeros(features.shape)
    for u in range(len(log_values)):
        within = [g for g in range(len(log_values)) if g & ~u == 0]
        total = log_sum_exp([log_values[g] for g in within])
        if total == -math.inf:
            continue
        for g in within:
            if log_values[g] > -math.inf:
                means[u] += math.exp(log_values[g] - total) * features[g]
    return means
