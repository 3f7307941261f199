"""Regressions of one variable on every subset of its candidates, in a single sweep.

Subsets are masks over the candidates, visited in numeric order. The mask `c` without its lowest bit `b` is a smaller
mask whose Schur complement is still in memory. Only candidates *below* b can be added later, so the complement kept for
`c` has just b + 1 rows. Half of all masks have b = 0, a quarter b = 1, and so on: the mean work per subset is constant
(about 6 multiplications), while a Cholesky factor per subset costs K**2 / 4.

`state[b]` is the complement of the last visited mask with lowest bit b; `state[K]` is the given matrix. Row K of each
is the regressed variable. Only lower triangles are kept.

The matrix is `T + scatter` with `T = floor * I`: in exact arithmetic no pivot is smaller than `floor`. Pivots that are
smaller by rounding (identical columns, huge scales) are replaced by `floor`.

A vector `shift` stands for a part `shift shift'` of the matrix that is so large that the rest is lost in rounding. It
is regressed on the subset Q like one more row, with the residual `shift[i]` for row i. With the inflation
`1 + shift[Q]' matrix[Q, Q]^-1 shift[Q]`, the Schur complements of the whole matrix are
`state[i, k] + shift[i] * shift[k] / inflation`: pivots are sums of positive terms, and nothing cancels. None stands for
no such part; numba compiles the kernels for it separately, without the steps for a shift.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel


@kernel
def _regress_shift(shift, inflation, source, bit, previous, pivot):
    """Regress `shift` on one more candidate: fill in the residuals of lower rows and the target, and the inflation."""
    n_candidates = shift.shape[0] - 1
    before, after = shift[previous], shift[bit]
    slope = before[bit] / pivot
    inflation[bit] = inflation[previous] + slope * before[bit]
    for i in range(bit):
        after[i] = before[i] - slope * source[bit, i]
    after[n_candidates] = before[n_candidates] - slope * source[n_candidates, bit]


@kernel
def sweep_determinants(
    matrix, shift, inflation, floor, log_by_size, log_det_weight, exponent_by_size, max_size, log_score
):
    """Fill `log_score[mask]` for the last row of `matrix` regressed on every subset of the others.

    `log_score = log_by_size[l] - log_det_weight * log|matrix[Q, Q]| - exponent_by_size[l] * log(residual)` with
    l = |Q|; the residual is the Schur complement of the last row. With a `shift`, determinant and residual are those of
    the whole matrix; `inflation` is its value for the empty set. Masks with more than `max_size` members get -inf.
    """
    n_candidates = matrix.shape[0] - 1
    target = n_candidates
    state = np.empty((n_candidates + 1, n_candidates + 1, n_candidates + 1))
    log_det = np.empty(n_candidates + 1)
    size = np.empty(n_candidates + 1, np.int64)
    for row in range(n_candidates + 1):
        copy_into(state[n_candidates, row], matrix[row])
    log_det[n_candidates] = 0.0
    size[n_candidates] = 0
    whole = max(matrix[target, target], floor)
    if shift is not None:
        shifts, inflations = np.empty((n_candidates + 1, n_candidates + 1)), np.empty(n_candidates + 1)
        copy_into(shifts[n_candidates], shift)
        inflations[n_candidates] = inflation
        whole += shift[target] * (shift[target] / inflation)
    log_score[0] = log_by_size[0] - exponent_by_size[0] * math.log(whole)
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
        whole_pivot = pivot
        if shift is not None:
            whole_pivot += shifts[previous, bit] * (shifts[previous, bit] / inflations[previous])
        log_det[bit] = log_det[previous] + math.log(whole_pivot)
        slope = source[target, bit] / pivot
        residual = max(source[target, target] - slope * source[target, bit], floor)
        whole = residual
        if shift is not None:
            _regress_shift(shifts, inflations, source, bit, previous, pivot)
            whole += shifts[bit, target] * (shifts[bit, target] / inflations[bit])
        log_score[mask] = (
            log_by_size[length] - log_det_weight * log_det[bit] - exponent_by_size[length] * math.log(whole)
        )
        reduced = state[bit]
        for i in range(bit):
            ratio = source[bit, i] / pivot
            for k in range(i + 1):
                reduced[i, k] = source[i, k] - ratio * source[bit, k]
            reduced[target, i] = source[target, i] - slope * source[bit, i]
        reduced[target, target] = residual


@kernel
def sweep_coefficients(matrix, shift, inflation, floor, max_size, coefficients):
    """Fill `coefficients[mask, k]`: the weight of candidate k when the last row is regressed on the subset.

    `fitted[b][i]` are the coefficients of row i (a candidate below b, or the target) on the subset of state b. Adding a
    candidate changes them by the partial regression on it, with the products of shifts. Coefficients of candidates
    outside the subset are 0, and so is the whole row of a mask with more than `max_size` members.
    """
    n_candidates = matrix.shape[0] - 1
    target = n_candidates
    state = np.empty((n_candidates + 1, n_candidates + 1, n_candidates + 1))
    fitted = np.zeros((n_candidates + 1, n_candidates + 1, n_candidates))
    size = np.empty(n_candidates + 1, np.int64)
    for row in range(n_candidates + 1):
        copy_into(state[n_candidates, row], matrix[row])
    size[n_candidates] = 0
    if shift is not None:
        shifts, inflations = np.empty((n_candidates + 1, n_candidates + 1)), np.empty(n_candidates + 1)
        copy_into(shifts[n_candidates], shift)
        inflations[n_candidates] = inflation
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
        whole_pivot, share = pivot, 0.0
        if shift is not None:
            share = shifts[previous, bit] / inflations[previous]
            whole_pivot += shifts[previous, bit] * share
        for i in range(bit):
            product = source[bit, i]
            if shift is not None:
                product += share * shifts[previous, i]
            ratio = product / whole_pivot
            for q in range(bit + 1, n_candidates):
                after[i, q] = before[i, q] - ratio * before[bit, q]
            after[i, bit] = ratio
        product = source[target, bit]
        if shift is not None:
            product += share * shifts[previous, target]
            _regress_shift(shifts, inflations, source, bit, previous, pivot)
        slope = product / whole_pivot
        for q in range(bit + 1, n_candidates):
            after[target, q] = before[target, q] - slope * before[bit, q]
        after[target, bit] = slope
        for k in range(bit):
            coefficients[mask, k] = 0.0
        for k in range(bit, n_candidates):
            coefficients[mask, k] = after[target, k]
