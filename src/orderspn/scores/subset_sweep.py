"""Regressions of one variable on every subset of its candidates, in a single sweep.

Subsets are masks over the candidates, visited in numeric order. The mask `c` without its lowest bit `b` is a
smaller mask whose Schur complement is still at hand, and only the candidates *below* b can be added later: so
the complement kept for `c` has just b + 1 rows. Half of all masks have b = 0, a quarter b = 1, ...: the mean
work per subset is constant (about 6 multiplications), where a Cholesky factor per subset costs K**2 / 4.

`state[b]` holds the complement for the mask visited last among those with lowest bit b; `state[K]` is the
start. Within it row K is the regressed variable. Only lower triangles are kept.

The matrix is `T + scatter` with `T = floor * I`: no pivot can be smaller than `floor` in exact arithmetic, and
rounding (identical columns, huge scales) is held to that bound.

A vector `shift` may stand for a part `shift shift'` of the matrix that would swallow the rest of it if it were added.
It is one more row that is regressed on the subset Q, with `shift[i]` left of row i: then the determinant of all is
`|matrix[Q, Q]| * inflation`, with `inflation = 1 + shift[Q]' matrix[Q, Q]^-1 shift[Q]`, and the residual of a row
`residual + shift[i]**2 / inflation`. All terms are positive, so that nothing cancels. An empty vector is none.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _regress_shift(shift, inflation, source, bit, previous, pivot):
    """One more candidate is known to the rows below it and to the target: what is left of `shift`, and inflation."""
    n_candidates = shift.shape[0] - 1
    before, after = shift[previous], shift[bit]
    slope = before[bit] / pivot
    inflation[bit] = inflation[previous] + slope * before[bit]
    for i in range(bit):
        after[i] = before[i] - slope * source[bit, i]
    after[n_candidates] = before[n_candidates] - slope * source[n_candidates, bit]


@njit(cache=True, nogil=True)
def sweep_determinants(matrix, shift, inflation, floor, log_by_size, exponent_by_size, max_size, log_score):
    """Fill `log_score[mask]` for the last row of `matrix` regressed on every subset of the others.

    `log_score = log_by_size[l] - log|matrix[Q, Q]| / 2 - exponent_by_size[l] * log(residual)` with l = |Q|; the
    residual is the Schur complement of the last row. Determinant and residual are those with `shift`, if there is one,
    which starts with an `inflation`. Masks with more than `max_size` members get -inf.
    """
    n_candidates = matrix.shape[0] - 1
    target = n_candidates
    state = np.empty((n_candidates + 1, n_candidates + 1, n_candidates + 1))
    log_det = np.empty(n_candidates + 1)
    size = np.empty(n_candidates + 1, np.int64)
    state[n_candidates] = matrix
    log_det[n_candidates] = 0.0
    size[n_candidates] = 0
    shifted = shift.size > 0
    n_shifts = n_candidates + 1 if shifted else 0
    shifts, inflations = np.empty((n_shifts, n_shifts)), np.empty(n_shifts)
    log_inflation, whole = 0.0, max(matrix[target, target], floor)
    if shifted:
        shifts[n_candidates], inflations[n_candidates] = shift, inflation
        log_inflation, whole = math.log(inflation), whole + shift[target] * (shift[target] / inflation)
    log_score[0] = log_by_size[0] - 0.5 * log_inflation - exponent_by_size[0] * math.log(whole)
    for mask in range(1, 1 << n_candidates):
        bit = 0
        while not (mask >> bit) & 1:
            bit += 1
        previous = bit + 1
        while previous < n_candidates and not (mask >> previous) & 1:
            previous += 1
        length = size[previous] + 1
        size[bit] = length
        if length > max_size:
            log_score[mask] = -np.inf
            continue
        source = state[previous]
        pivot = max(source[bit, bit], floor)
        log_det[bit] = log_det[previous] + math.log(pivot)
        slope = source[target, bit] / pivot
        residual = max(source[target, target] - slope * source[target, bit], floor)
        log_all, whole = log_det[bit], residual
        if shifted:
            _regress_shift(shifts, inflations, source, bit, previous, pivot)
            log_all += math.log(inflations[bit])
            whole += shifts[bit, target] * (shifts[bit, target] / inflations[bit])
        log_score[mask] = log_by_size[length] - 0.5 * log_all - exponent_by_size[length] * math.log(whole)
        reduced = state[bit]
        for i in range(bit):
            ratio = source[bit, i] / pivot
            for k in range(i + 1):
                reduced[i, k] = source[i, k] - ratio * source[bit, k]
            reduced[target, i] = source[target, i] - slope * source[bit, i]
        reduced[target, target] = residual


@njit(cache=True, nogil=True)
def sweep_coefficients(matrix, shift, inflation, floor, max_size, coefficients):
    """Fill `coefficients[mask, k]`: the weight of candidate k when the last row is regressed on the subset.

    `fitted[b][i]` are the coefficients of row i (a candidate below b, or the target) on the subset of state b; adding a
    candidate changes them by the partial regression on it, in which products of shifts have their share. Coefficients
    of candidates outside the subset are 0, and so is the whole row of a mask with more than `max_size` members.
    """
    n_candidates = matrix.shape[0] - 1
    target = n_candidates
    state = np.empty((n_candidates + 1, n_candidates + 1, n_candidates + 1))
    fitted = np.zeros((n_candidates + 1, n_candidates + 1, n_candidates))
    size = np.empty(n_candidates + 1, np.int64)
    state[n_candidates] = matrix
    size[n_candidates] = 0
    shifted = shift.size > 0
    n_shifts = n_candidates + 1 if shifted else 0
    shifts, inflations = np.empty((n_shifts, n_shifts)), np.empty(n_shifts)
    if shifted:
        shifts[n_candidates], inflations[n_candidates] = shift, inflation
    coefficients[0] = 0.0
    for mask in range(1, 1 << n_candidates):
        bit = 0
        while not (mask >> bit) & 1:
            bit += 1
        previous = bit + 1
        while previous < n_candidates and not (mask >> previous) & 1:
            previous += 1
        size[bit] = size[previous] + 1
        if size[bit] > max_size:
            coefficients[mask] = 0.0
            continue
        source, before = state[previous], fitted[previous]
        reduced, after = state[bit], fitted[bit]
        pivot = max(source[bit, bit], floor)
        slope = source[target, bit] / pivot
        for i in range(bit):
            ratio = source[bit, i] / pivot
            for k in range(i + 1):
                reduced[i, k] = source[i, k] - ratio * source[bit, k]
            reduced[target, i] = source[target, i] - slope * source[bit, i]
        reduced[target, target] = max(source[target, target] - slope * source[target, bit], floor)
        share, whole = 0.0, pivot
        if shifted:
            share = shifts[previous, bit] / inflations[previous]
            whole += shifts[previous, bit] * share
            _regress_shift(shifts, inflations, source, bit, previous, pivot)
        for i in range(bit):
            ratio = (source[bit, i] + share * shifts[previous, i] if shifted else source[bit, i]) / whole
            for q in range(bit + 1, n_candidates):
                after[i, q] = before[i, q] - ratio * before[bit, q]
            after[i, bit] = ratio
        slope = (source[target, bit] + share * shifts[previous, target] if shifted else source[target, bit]) / whole
        for q in range(bit + 1, n_candidates):
            after[target, q] = before[target, q] - slope * before[bit, q]
        after[target, bit] = slope
        for k in range(bit):
            coefficients[mask, k] = 0.0
        for k in range(bit, n_candidates):
            coefficients[mask, k] = after[target, k]
