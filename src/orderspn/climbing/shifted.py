"""Scores of one parent set and of its neighbours, one by one; growing and shrinking where there is a shift.

Means far from 0 are kept apart as a shift (see `scores/bge.py`), which few tables have. So nothing here is in a hurry:
the score without a parent comes from a factor of its own.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.climbing.regression import INFLATION, LOG_DET, LOG_ODDS, add_member, remove_member
from orderspn.kernels.kernel import kernel

NO_GAIN = 1e-9
"""Gains up to this many nats may be rounding."""


@kernel
def log_score_of(regression, terms, child):
    """Return the log score of the child given its parents; -inf if one that is required is missing."""
    g, size, totals = terms.group[child], regression.size[0], regression.totals
    residual = max(regression.variance[child], terms.floors[g, child])
    log_det = totals[LOG_DET]
    if terms.is_far[g]:
        own = regression.left[child]
        residual += own * (own / totals[INFLATION])
        log_det += math.log(totals[INFLATION])
    return (
        terms.log_by_size[g, size]
        + terms.log_constant[child]
        + totals[LOG_ODDS]
        - terms.log_det_weight * log_det
        - terms.exponents[g, size] * math.log(residual)
    )


@kernel
def gain_of_one_more(regression, terms, child, new, log_score):
    """Return the gain of log score by one more parent; -inf if it may not be one."""
    g, size, totals = terms.group[child], regression.size[0], regression.totals
    log_odds = terms.log_odds[child, new]
    if size >= terms.most[child] or regression.inside[new] or log_odds == -np.inf:
        return -np.inf
    floor = terms.floors[g, child]
    pivot = max(regression.variance[new], terms.floors[g, new])
    covariance = regression.covariance[new]
    before = max(regression.variance[child], floor)
    after = max(before - covariance * (covariance / pivot), floor)
    weight, exponent = terms.log_det_weight, terms.exponents[g, size + 1]
    fixed = terms.log_by_size[g, size + 1] + terms.log_constant[child] + totals[LOG_ODDS] + log_odds
    log_det = totals[LOG_DET]
    if terms.is_far[g]:
        left, inflation = regression.left[new], totals[INFLATION]
        own = regression.left[child] - left * (covariance / pivot)
        inflation += left * (left / pivot)
        after += own * (own / inflation)
        log_det += math.log(inflation)
    return fixed - weight * (log_det + math.log(pivot)) - exponent * math.log(after) - log_score


@kernel
def settle_shifted(regression, terms, child, sequence, limit, skip, extra):
    """Grow and shrink the parents as `settle` does, one score at a time."""
    log_score = log_score_of(regression, terms, child)
    while True:
        new = _best_to_add(regression, terms, child, sequence, limit, skip, extra, log_score)
        while new >= 0:
            add_member(regression, terms, child, new)
            log_score = log_score_of(regression, terms, child)
            new = _best_to_add(regression, terms, child, sequence, limit, skip, extra, log_score)
        place = _best_to_remove(regression, terms, child, log_score)
        if place < 0:
            return log_score
        while place >= 0:
            remove_member(regression, terms, child, place)
            log_score = log_score_of(regression, terms, child)
            place = _best_to_remove(regression, terms, child, log_score)


@kernel
def _best_to_add(regression, terms, child, sequence, limit, skip, extra, log_score):
    best, most = -1, NO_GAIN
    for place in range(limit + 1):
        x = sequence[place] if place < limit else extra
        if x >= 0 and x != skip:
            gain = gain_of_one_more(regression, terms, child, x, log_score)
            if gain > most:
                best, most = x, gain
    return best


@kernel
def _best_to_remove(regression, terms, child, log_score):
    best, most = -1, NO_GAIN
    for i in range(regression.size[0]):
        if not terms.required[child, regression.members[i]]:
            gain = _log_score_without(regression, terms, child, i) - log_score
            if gain > most:
                best, most = i, gain
    return best


@kernel
def _log_score_without(regression, terms, child, place):
    """Return the log score without one of the parents, where there is a shift: from a factor of its own."""
    g, members, factor = terms.group[child], regression.members, regression.inverse
    size = regression.size[0] - 1
    matrix, shift, floors = terms.matrices[g], terms.shifts[g], terms.floors[g]
    residual, own, inflation, log_det = matrix[child, child], shift[child], 1.0, 0.0
    log_odds = regression.totals[LOG_ODDS] - terms.log_odds[child, members[place]]
    slopes = np.empty(size)  # of the shift
    for i in range(size):
        a = members[i + 1 if i >= place else i]
        pivot, left = matrix[a, a], shift[a]
        for j in range(i):
            b = members[j + 1 if j >= place else j]
            entry = matrix[a, b]
            for k in range(j):
                entry -= factor[i, k] * factor[j, k]
            entry /= factor[j, j]
            factor[i, j] = entry
            pivot -= entry * entry
            left -= entry * slopes[j]
        pivot = max(pivot, floors[a])
        root = math.sqrt(pivot)
        factor[i, i] = root
        slopes[i] = left / root
        inflation += slopes[i] * slopes[i]
        log_det += math.log(pivot)
    values = np.empty(size)
    for i in range(size):
        a = members[i + 1 if i >= place else i]
        value = matrix[a, child]
        for k in range(i):
            value -= factor[i, k] * values[k]
        values[i] = value / factor[i, i]
        residual -= values[i] * values[i]
        own -= values[i] * slopes[i]
    residual = max(residual, floors[child]) + own * (own / inflation)
    return (
        terms.log_by_size[g, size]
        + terms.log_constant[child]
        + log_odds
        - terms.log_det_weight * (log_det + math.log(inflation))
        - terms.exponents[g, size] * math.log(residual)
    )
