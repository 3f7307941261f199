"""Masses of parent sets within the variables before a child, at least one of them among the last: `tau_j(U, T)`.

`tau_j(U, T) = tau_j(U) - tau_j(U without T)` is two lookups, but where the two are nearly equal their difference is
rounding. There the sets are summed one by one.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from orderspn.gadget.terrain import ALWAYS

SAFE = 1e-6
"""The smallest share of `tau_j(U)` that a difference may be: logarithms in the thousands have 12 digits behind it."""

CLOSED, BEFORE, LAST = 0, 1, 2
"""Whether a row's outsiders are all before the child, and one of them among the last."""


@njit(cache=True, nogil=True)
def masks_of(j, levels, level, terrain):
    """Masks of the candidates of j that are before it, and of those among them that are last."""
    variables, candidates, _, tables = terrain
    before, last = 0, 0
    for bit in range(tables.n_bits[variables[j]]):
        other = candidates[j, bit]
        if other == ALWAYS:
            before |= 1 << bit
        elif other >= 0 and levels[other] < level:
            before |= 1 << bit
            if levels[other] == level - 1:
                last |= 1 << bit
    return before, last


@njit(cache=True, nogil=True)
def row_state(j, row, levels, level, outsiders):
    """Whether a row of j is closed, open, or open with an outsider among the last."""
    state = BEFORE
    for place in range(outsiders.shape[2]):
        other = outsiders[j, row, place]
        if other == ALWAYS:
            continue
        if other < 0 or levels[other] >= level:
            return CLOSED
        if levels[other] == level - 1:
            state = LAST
    return state


@njit(cache=True, nogil=True)
def log_tau(j, levels, level, must, terrain):
    """Log mass of the parent sets of j before `level`; if it `must`, those with at least one of the last."""
    variables, _, outsiders, tables = terrain
    v = variables[j]
    before, last = masks_of(j, levels, level, terrain)
    n_rows = tables.n_rows[v]
    all_of = tables.starts[v] + before * n_rows
    without = tables.starts[v] + (before & ~last) * n_rows
    if n_rows == 1:
        return _log_tau_of_one_row(v, before, last, must, tables)
    top = -np.inf
    for row in range(n_rows):
        if row == 0 or row_state(j, row, levels, level, outsiders) != CLOSED:
            top = max(top, tables.log_mass[all_of + row])
    if top == -np.inf:
        return top
    whole, rest = 0.0, 0.0
    for row in range(n_rows):
        state = BEFORE if row == 0 else row_state(j, row, levels, level, outsiders)
        if state != CLOSED:
            whole += math.exp(tables.log_mass[all_of + row] - top)
            if must and state == BEFORE:
                rest += math.exp(tables.log_mass[without + row] - top)
    if whole - rest > SAFE * whole:
        return top + math.log(whole - rest)
    return _summed(j, before, last, levels, level, terrain)


@njit(cache=True, nogil=True)
def _log_tau_of_one_row(v, before, last, must, tables):
    whole = tables.log_mass[tables.starts[v] + before]
    if not must or whole == -np.inf:
        return whole
    if last == 0:
        return -np.inf
    share = -math.expm1(tables.log_mass[tables.starts[v] + (before & ~last)] - whole)
    if share > SAFE:
        return whole + math.log(share)
    return log_sum_meeting(v, 0, before, last, tables)


@njit(cache=True, nogil=True)
def _summed(j, before, last, levels, level, terrain):
    """The same as `log_tau` with a last parent, set by set."""
    variables, _, outsiders, tables = terrain
    v = variables[j]
    log_total = -np.inf
    for row in range(tables.n_rows[v]):
        log_part = log_row_mass(j, row, before, last, levels, level, True, True, terrain)
        log_total = np.logaddexp(log_total, log_part)
    return log_total


@njit(cache=True, nogil=True)
def log_row_mass(j, row, before, last, levels, level, must, carefully, terrain):
    """The part of one row in `log_tau`; `carefully` sums set by set instead of subtracting."""
    variables, _, outsiders, tables = terrain
    v = variables[j]
    state = BEFORE if row == 0 else row_state(j, row, levels, level, outsiders)
    if state == CLOSED:
        return -np.inf
    n_rows = tables.n_rows[v]
    whole = tables.log_mass[tables.starts[v] + before * n_rows + row]
    if not must or state == LAST or whole == -np.inf:
        return whole
    if last == 0:
        return -np.inf
    if carefully:
        return log_sum_meeting(v, row, before, last, tables)
    share = -math.expm1(tables.log_mass[tables.starts[v] + (before & ~last) * n_rows + row] - whole)
    return whole + math.log(share) if share > 0.0 else -np.inf


@njit(cache=True, nogil=True)
def log_sum_meeting(v, row, before, last, tables):
    """Log of the summed scores of the sets of a row within `before` that meet `last`, set by set."""
    first = tables.starts[v] + (row << tables.n_bits[v])
    top = -np.inf
    subset = before
    while subset > 0:
        if subset & last:
            top = max(top, tables.log_score[first + subset])
        subset = (subset - 1) & before
    if top == -np.inf:
        return top
    total = 0.0
    subset = before
    while subset > 0:
        if subset & last:
            total += math.exp(tables.log_score[first + subset] - top)
        subset = (subset - 1) & before
    return top + math.log(total)
