"""Regressions of all variables on the parents of one, kept while parents are added and removed.

With the Cholesky factor L of R_QQ, the rows `L^-1 R_Q.` (l, d) give the residuals of all variables in regressions on Q:
variances `R_xx - sum rows[:, x]**2` and covariances with the child. L itself is a part of the rows: `L[i, j] =
rows[j, members[i]]`. One more parent is one more row, in O(l d). Without one of the parents, the rows after it are
rotated so that L becomes triangular again, and the last row drops out. Nothing is factorised anew.

A shift z (see `scores/bge.py`) is regressed on Q like one more variable. The innermost functions take single arrays,
not tuples of them: counting references to a dozen arrays in every call would cost more than the call itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.kernels.kernel import kernel

LOG_DET, INFLATION, LOG_ODDS = 0, 1, 2
"""Places in `totals`: log determinant of the parents without the shift, its inflation by the shift, prior log odds."""


class Regression(NamedTuple):
    """The regression of every variable on a set of parents of one child."""

    rows: np.ndarray  # (most, d)
    variance: np.ndarray  # (d,): residual sums of squares; meaningless for members
    covariance: np.ndarray  # (d,): of residuals with that of the child
    left: np.ndarray  # (d,): residual of the shift
    members: np.ndarray  # (most,): the parents, in the order of the rows
    inside: np.ndarray  # (d,), bool: whether each variable is a member
    size: np.ndarray  # (1,): the number of members
    totals: np.ndarray  # (3,)
    worth: np.ndarray  # (d,), bool: room for marks of variables that would raise the score
    inverse: np.ndarray  # (most, most): room for the inverse of L


def new_regression(d: int, most: int) -> Regression:
    """Return room for a regression on up to `most` of d variables."""
    most = max(most, 1)
    return Regression(
        np.empty((most, d)),
        np.empty(d),
        np.empty(d),
        np.zeros(d),
        np.empty(most, dtype=np.int64),
        np.zeros(d, dtype=np.bool_),
        np.zeros(1, dtype=np.int64),
        np.zeros(3),
        np.zeros(d, dtype=np.bool_),
        np.zeros((most, most)),
    )


@kernel
def load(regression, terms, child, parents, n_parents, skip):
    """Regress on the first `n_parents` of some parents of a child, without `skip`, which may be -1."""
    g = terms.group[child]
    matrix, floors, log_odds = terms.matrices[g], terms.floors[g], terms.log_odds[child]
    rows, members, inside = regression.rows, regression.members, regression.inside
    variance, covariance = regression.variance, regression.covariance
    _begin(matrix, child, variance, covariance, inside)
    log_det, total_odds, size = 0.0, 0.0, 0
    for i in range(n_parents):
        new = parents[i]
        if new != skip:
            log_det += math.log(add_row(rows, variance, covariance, matrix, floors[new], child, new, size))
            total_odds += log_odds[new]
            members[size] = new
            inside[new] = True
            size += 1
    regression.size[0] = size
    regression.totals[LOG_DET] = log_det
    regression.totals[INFLATION] = 1.0
    regression.totals[LOG_ODDS] = total_odds
    if terms.is_far[g]:
        regress_shift(regression, terms.shifts[g])


@kernel
def _begin(matrix, child, variance, covariance, inside):
    for x in range(variance.size):
        variance[x] = matrix[x, x]
        covariance[x] = matrix[child, x]
        inside[x] = False


@kernel
def add_row(rows, variance, covariance, matrix, floor, child, new, size):
    """Regress on one more variable: fill in its row, and take it out of variances and covariances; return its own."""
    d = variance.size
    pivot = max(variance[new], floor)
    root = math.sqrt(pivot)
    for x in range(d):
        rows[size, x] = matrix[new, x]
    j = 0
    while j + 1 < size:  # two rows at a time, so that the new one is read and written half as often
        a, b = rows[j, new], rows[j + 1, new]
        for x in range(d):
            rows[size, x] -= a * rows[j, x] + b * rows[j + 1, x]
        j += 2
    if j < size:
        a = rows[j, new]
        for x in range(d):
            rows[size, x] -= a * rows[j, x]
    scale = 1.0 / root
    of_child = rows[size, child] * scale
    for x in range(d):
        entry = rows[size, x] * scale
        rows[size, x] = entry
        variance[x] -= entry * entry
        covariance[x] -= of_child * entry
    rows[size, new] = root  # also where the variance is lost in rounding and the floor stands for it
    return pivot


@kernel
def remove_row(rows, variance, covariance, members, child, place, size):
    """Regress on one member less; return the log determinant of the others."""
    for j in range(place, size - 1):
        members[j] = members[j + 1]
        _rotate(rows, j, members[j], variance.size)
    of_child = rows[size - 1, child]
    for x in range(variance.size):
        entry = rows[size - 1, x]
        variance[x] += entry * entry
        covariance[x] += of_child * entry
    log_det = 0.0
    for j in range(size - 1):
        log_det += math.log(rows[j, members[j]])
    return 2.0 * log_det


@kernel
def _rotate(rows, j, member, d):
    """Rotate a row and the next so that the next has 0 for a member, as a factor that is triangular has."""
    a, b = rows[j, member], rows[j + 1, member]
    length = math.hypot(a, b)
    c, s = a / length, b / length
    for x in range(d):
        upper, lower = rows[j, x], rows[j + 1, x]
        rows[j, x] = c * upper + s * lower
        rows[j + 1, x] = c * lower - s * upper


@kernel
def add_member(regression, terms, child, new):
    """Add one more parent."""
    g, size, totals = terms.group[child], regression.size[0], regression.totals
    variance, covariance = regression.variance, regression.covariance
    floor = terms.floors[g, new]
    pivot = add_row(regression.rows, variance, covariance, terms.matrices[g], floor, child, new, size)
    totals[LOG_DET] += math.log(pivot)
    totals[LOG_ODDS] += terms.log_odds[child, new]
    regression.members[size] = new
    regression.inside[new] = True
    regression.size[0] = size + 1
    if terms.is_far[g]:
        totals[INFLATION] += _regress_shift_on(regression.rows, regression.left, new, size)


@kernel
def remove_member(regression, terms, child, place):
    """Remove the parent at a place among the members."""
    g, size, totals = terms.group[child], regression.size[0], regression.totals
    members = regression.members
    gone = members[place]
    totals[LOG_DET] = remove_row(
        regression.rows, regression.variance, regression.covariance, members, child, place, size
    )
    totals[LOG_ODDS] -= terms.log_odds[child, gone]
    regression.inside[gone] = False
    regression.size[0] = size - 1
    if terms.is_far[g]:
        regress_shift(regression, terms.shifts[g])


@kernel
def regress_shift(regression, shift):
    """Regress the shift on all members: taking one out would subtract numbers that are nearly equal."""
    left = regression.left
    for x in range(left.size):
        left[x] = shift[x]
    inflation = 1.0
    for j in range(regression.size[0]):
        inflation += _regress_shift_on(regression.rows, left, regression.members[j], j)
    regression.totals[INFLATION] = inflation


@kernel
def _regress_shift_on(rows, left, member, j):
    """Take the part that a member explains out of the residual of the shift; return what it adds to the inflation."""
    slope = left[member] / rows[j, member]
    for x in range(left.size):
        left[x] -= slope * rows[j, x]
    return slope * slope
