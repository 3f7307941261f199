"""Metrics by loops over pairs of variables."""

import itertools

import numpy as np


def ordered_pairs(probabilities, truth):
    """[(probability, is an edge)] of all pairs of different variables."""
    return [(probabilities[i, j], bool(truth[i, j])) for i, j in itertools.permutations(range(len(truth)), 2)]


def auroc(probabilities, truth):
    pairs = ordered_pairs(probabilities, truth)
    wins = [(p > q) + (p == q) / 2 for p, edge in pairs if edge for q, other in pairs if not other]
    return sum(wins) / len(wins)


def average_precision(probabilities, truth):
    pairs = ordered_pairs(probabilities, truth)
    precisions = []
    for p, is_edge in pairs:
        if is_edge:
            as_high = [edge for q, edge in pairs if q >= p]
            precisions.append(sum(as_high) / len(as_high))
    return sum(precisions) / len(precisions)


def hamming(a, b):
    return sum((a[i, j], a[j, i]) != (b[i, j], b[j, i]) for i, j in itertools.combinations(range(len(a)), 2))


def total_effects(weights):
    """Sum over all directed paths: I + B + B^2 + ..."""
    return sum(np.linalg.matrix_power(weights, k) for k in range(len(weights)))
