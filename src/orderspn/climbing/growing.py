"""Parents by growing and shrinking: the best variable is added, the worst is removed, until nothing raises the score.

The start is the last parent set of the child, so that mostly one or two steps are taken. A regression on the parents is
kept meanwhile (see `regression.py`): the score with each one more parent then costs a division, and a logarithm where a
bound does not settle it; the scores without each one of the parents follow from the inverse of the factor.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.climbing.regression import LOG_DET, LOG_ODDS, add_row, remove_row
from orderspn.climbing.shifted import NO_GAIN, gain_of_one_more, settle_shifted
from orderspn.kernels.kernel import kernel

LARGE_SHARE = 0.9
"""Beyond this share of the residual the bound of its logarithm is of no use."""


@kernel
def settle(regression, terms, child, sequence, limit, skip, extra):
    """Grow and shrink the parents until neither raises the log score, and return it.

    Parents come from the first `limit` of the sequence without `skip`, and `extra`; both may be -1.
    """
    g = terms.group[child]
    if terms.is_far[g]:
        return settle_shifted(regression, terms, child, sequence, limit, skip, extra)
    matrix, floors, log_least, log_odds = terms.matrices[g], terms.floors[g], terms.log_least[g], terms.log_odds[child]
    log_by_size, exponents, weight = terms.log_by_size[g], terms.exponents[g], terms.log_det_weight
    log_constant, required, most = terms.log_constant[child], terms.required[child], terms.most[child]
    rows, members, inside = regression.rows, regression.members, regression.inside
    variance, covariance, inverse = regression.variance, regression.covariance, regression.inverse
    size, floor = regression.size[0], floors[child]
    log_det, odds = regression.totals[LOG_DET], regression.totals[LOG_ODDS]
    # The log score is `fixed - exponents[size] * log(residual)`.
    fixed = log_by_size[size] + log_constant + odds - weight * log_det
    log_residual = math.log(max(variance[child], floor))
    log_score = fixed - exponents[size] * log_residual
    while True:
        while size < most:
            start = log_by_size[size + 1] - log_by_size[size] - (exponents[size + 1] - exponents[size]) * log_residual
            new = _best_to_add(
                sequence, limit, skip, extra, inside, log_odds, floors, log_least, variance, covariance,
                max(variance[child], floor), floor, start, weight, exponents[size + 1], log_score
            )  # fmt: skip
            if new < 0:
                break
            log_det += math.log(add_row(rows, variance, covariance, matrix, floors[new], child, new, size))
            odds += log_odds[new]
            members[size] = new
            inside[new] = True
            size += 1
            fixed = log_by_size[size] + log_constant + odds - weight * log_det
            log_residual = math.log(max(variance[child], floor))
            log_score = fixed - exponents[size] * log_residual
        changed = False
        while size > 0:
            start = log_by_size[size - 1] - log_by_size[size] - (exponents[size - 1] - exponents[size]) * log_residual
            place = _best_to_remove(
                rows, members, inverse, log_odds, required, child, size, max(variance[child], floor), start, weight,
                exponents[size - 1]
            )  # fmt: skip
            if place < 0:
                break
            gone = members[place]
            log_det = remove_row(rows, variance, covariance, members, child, place, size)
            odds -= log_odds[gone]
            inside[gone] = False
            size -= 1
            changed = True
            fixed = log_by_size[size] + log_constant + odds - weight * log_det
            log_residual = math.log(max(variance[child], floor))
            log_score = fixed - exponents[size] * log_residual
        if not changed:
            break
    regression.size[0] = size
    regression.totals[LOG_DET] = log_det
    regression.totals[LOG_ODDS] = odds
    return log_score


@kernel
def _best_to_add(
    sequence, limit, skip, extra, inside, log_odds, floors, log_least, variance, covariance, before, floor, start,
    weight, exponent, log_score
):  # fmt: skip
    """Return the variable whose addition raises the score most, or -1.

    The gain is `start` for the number of parents, plus what the variable explains, less its determinant.
    """
    best, most = -1, NO_GAIN
    if log_score == -np.inf:  # a number of parents that the prior excludes
        start = np.inf
    for place in range(limit + 1):
        x = sequence[place] if place < limit else extra
        if x < 0:
            continue
        pivot = max(variance[x], floors[x])
        share = covariance[x] * (covariance[x] / pivot) / before
        # -log(1 - s) <= s / (1 - s), so that most variables need no logarithm
        bound = start + log_odds[x] - weight * log_least[x]
        if share < LARGE_SHARE and bound + exponent * (share / (1.0 - share)) <= most:
            continue
        if x == skip or inside[x]:
            continue
        after = max(before * (1.0 - share), floor)
        gain = start + log_odds[x] - weight * math.log(pivot) - exponent * math.log(after / before)
        if gain > most:
            best, most = x, gain
    return best


@kernel
def _best_to_remove(
    rows, members, inverse, log_odds, required, child, size, before, start, weight, exponent
):  # fmt: skip
    """Return the place among the members whose removal raises the score most, or -1."""
    best, most = -1, NO_GAIN
    _invert(rows, members, size, inverse)
    for i in range(size):
        precision, slope = 0.0, 0.0  # of the member given the others, and its weight
        for k in range(i, size):
            precision += inverse[k, i] * inverse[k, i]
            slope += inverse[k, i] * rows[k, child]
        more = slope * (slope / precision) / before  # by how much the residual grows, as a share
        gain = start - log_odds[members[i]] - weight * math.log(precision)
        # log(1 + m) >= m / (1 + m): what most members lose needs no second logarithm
        if gain - exponent * (more / (1.0 + more)) <= most:
            continue
        gain -= exponent * math.log1p(more)
        if gain > most and not required[members[i]]:
            best, most = i, gain
    return best


@kernel
def _invert(rows, members, size, inverse):
    """Fill in the inverse of the factor L, with `L[i, j] = rows[j, members[i]]`."""
    for i in range(size):
        target = inverse[i]
        for j in range(i):
            target[j] = 0.0
        for k in range(i):
            entry = rows[k, members[i]]
            source = inverse[k]
            for j in range(k + 1):
                target[j] -= entry * source[j]
        scale = 1.0 / rows[i, members[i]]
        for j in range(i):
            target[j] *= scale
        target[i] = scale


@kernel
def mark_gains(regression, terms, child, log_score, worth):
    """Mark the variables whose addition as a parent would raise the score, wherever they are, in `worth` (d,)."""
    g, size = terms.group[child], regression.size[0]
    d = worth.size
    if size >= terms.most[child]:
        for x in range(d):
            worth[x] = False
        return
    if terms.is_far[g] or log_score == -np.inf:
        for x in range(d):
            worth[x] = x != child and gain_of_one_more(regression, terms, child, x, log_score) > NO_GAIN
        return
    floor = terms.floors[g, child]
    before = max(regression.variance[child], floor)
    more, exponent = terms.log_by_size[g, size + 1] - terms.log_by_size[g, size], terms.exponents[g, size + 1]
    start = more - (exponent - terms.exponents[g, size]) * math.log(before)
    _mark(
        regression.inside, terms.log_odds[child], terms.floors[g], terms.log_least[g], regression.variance,
        regression.covariance, before, floor, start, terms.log_det_weight, exponent, worth
    )  # fmt: skip
    worth[child] = False


@kernel
def _mark(inside, log_odds, floors, log_least, variance, covariance, before, floor, start, weight, exponent, worth):
    for x in range(worth.size):
        pivot = max(variance[x], floors[x])
        share = covariance[x] * (covariance[x] / pivot) / before
        bound = start + log_odds[x] - weight * log_least[x]
        worth[x] = False
        if share < LARGE_SHARE and bound + exponent * (share / (1.0 - share)) <= NO_GAIN:
            continue
        if not inside[x]:
            after = max(before * (1.0 - share), floor)
            gain = start + log_odds[x] - weight * math.log(pivot) - exponent * math.log(after / before)
            worth[x] = gain > NO_GAIN
