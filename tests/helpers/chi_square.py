"""Are these draws from this distribution?"""

from collections import Counter

import numpy as np
from scipy import stats

THRESHOLD = 1e-4
SMALLEST_CELL = 8.0


def chi_square_p(draws, probabilities):
    """p value of the draws (hashable outcomes) under exact probabilities; 0 for an impossible outcome.

    Cells expected fewer than eight times are pooled into one.
    """
    counts = Counter(draws)
    if any(probabilities.get(outcome, 0.0) <= 0.0 for outcome in counts):
        return 0.0
    outcomes = list(probabilities)
    observed = np.array([counts[o] for o in outcomes], dtype=float)
    expected = np.array([probabilities[o] for o in outcomes]) * observed.sum()
    small = expected < SMALLEST_CELL
    if small.any():
        observed = np.append(observed[~small], observed[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
        if expected[-1] < SMALLEST_CELL and expected.size > 1:  # still too small: join the largest cell
            top = int(expected[:-1].argmax())
            observed[top] += observed[-1]
            expected[top] += expected[-1]
            observed, expected = observed[:-1], expected[:-1]
    if observed.size == 1:
        return 1.0
    return float(stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)
