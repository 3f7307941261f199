"""Sums and maxima over subsets and supersets by double loops.

With `n_bits`, only the lowest bits may differ and the others, the number of a row, must be equal.
"""

import math

import numpy as np

from reference.enumeration import log_sum_exp


def pairs_within(size, n_bits):
    """For every number u, those numbers g of the same row whose lowest bits are a subset of those of u."""
    low = size - 1 if n_bits is None else (1 << n_bits) - 1
    return [[g for g in range(size) if g & ~u & low == 0 and g & ~low == u & ~low] for u in range(size)]


def subset_sum(log_values, n_bits=None):
    return np.array([log_sum_exp([log_values[g] for g in within]) for within in pairs_within(len(log_values), n_bits)])


def superset_sum(log_values, n_bits=None):
    within = pairs_within(len(log_values), n_bits)
    return np.array(
        [log_sum_exp([log_values[u] for u in range(len(log_values)) if g in within[u]]) for g in range(len(log_values))]
    )


def subset_max(log_values, n_bits=None):
    return np.array([max(log_values[g] for g in within) for within in pairs_within(len(log_values), n_bits)])


def subset_expectation(log_values, features, n_bits=None):
    means = np.zeros(features.shape)
    for u, within in enumerate(pairs_within(len(log_values), n_bits)):
        total = log_sum_exp([log_values[g] for g in within])
        if total == -math.inf:
            continue
        for g in within:
            if log_values[g] > -math.inf:
                means[u] += math.exp(log_values[g] - total) * features[g]
    return means
