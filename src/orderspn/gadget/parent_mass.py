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

LEAST, MOST = 1e-250, 1e250
"""Sums of shares beyond these bounds are taken set by set as well."""

FARTHEST = 100.0
"""So far the log unit without the last may be above the other: more, and products of shares are beyond all bounds."""

CLOSED, BEFORE, LAST = 0, 1, 2
"""Whether a row's outsiders are all before the child, and one of them among the last."""


@njit(cache=True, nogil=True)
def masks_of(j, levels, level, terrain):
    """Masks of the candidates of j that are before it, and of those among them that are last."""
    variables, candidates, _, tables, _ = terrain
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
    variables, _, _, tables, _ = terrain
    v = variables[j]
    before, last = masks_of(j, levels, level, terrain)
    log_unit = tables.log_unit[tables.line_starts[v] + before]
    log_rest = tables.log_unit[tables.line_starts[v] + (before & ~last)]
    n_rows = tables.n_rows[v]
    whole, rest = open_shares(j, before, last, levels, level, terrain)
    if log_unit == -np.inf:
        return -np.inf
    if not must:
        return log_unit + math.log(whole) if LEAST < whole < MOST else _summed(j, levels, level, must, terrain)
    if n_rows == 1 and last == 0:
        return -np.inf
    if LEAST < whole < MOST and rest < MOST and log_rest - log_unit < FARTHEST:
        left = whole - rest * math.exp(log_rest - log_unit)
        if left > SAFE * whole:
            return log_unit + math.log(left)
    return _summed(j, levels, level, must, terrain)


@njit(cache=True, nogil=True)
def open_shares(j, before, last, levels, level, terrain):
    """Summed shares of the open rows within `before`; and of those without a last outsider, without `last`."""
    variables, _, outsiders, tables, _ = terrain
    v = variables[j]
    n_rows = tables.n_rows[v]
    line = tables.starts[v] + before * n_rows
    line_without = tables.starts[v] + (before & ~last) * n_rows
    whole, rest = tables.share[line], tables.share[line_without]
    for row in range(1, n_rows):
        state = row_state(j, row, levels, level, outsiders)
        if state != CLOSED:
            whole += tables.share[line + row]
            if state == BEFORE:
                rest += tables.share[line_without + row]
    return whole, rest


@njit(cache=True, nogil=True)
def _summed(j, levels, level, must, terrain):
    """The same as `log_tau`, set by set where there must be a last parent."""
    before, last = masks_of(j, levels, level, terrain)
    log_total = -np.inf
    for row in range(terrain.tables.n_rows[terrain.variables[j]]):
        log_part = log_row_mass(j, row, before, last, levels, level, must, True, terrain)
        log_total = np.logaddexp(log_total, log_part)
    return log_total


@njit(cache=True, nogil=True)
def log_row_mass(j, row, before, last, levels, level, must, carefully, terrain):
    """The part of one row in `log_tau`; `carefully` sums set by set instead of subtracting."""
    variables, _, outsiders, tables, _ = terrain
    v = variables[j]
    state = BEFORE if row == 0 else row_state(j, row, levels, level, outsiders)
    if state == CLOSED:
        return -np.inf
    must = must and state != LAST
    if must and last == 0:
        return -np.inf
    if carefully:
        return log_sum_within(v, row, before, last if must else 0, tables)
    n_rows = tables.n_rows[v]
    mass = tables.share[tables.starts[v] + before * n_rows + row]
    log_unit = tables.log_unit[tables.line_starts[v] + before]
    if must:
        rest = before & ~last
        log_ratio = tables.log_unit[tables.line_starts[v] + rest] - log_unit
        mass -= tables.share[tables.starts[v] + rest * n_rows + row] * math.exp(log_ratio)
    return log_unit + math.log(mass) if mass > 0.0 else -np.inf


@njit(cache=True, nogil=True)
def log_sum_within(v, row, before, last, tables):
    """Log of the summed scores of the sets of a row within `before` that meet `last`, unless that is empty."""
    first = tables.starts[v] + (row << tables.n_bits[v])
    top = -np.inf
    subset = before
    while True:
        if last == 0 or subset & last:
            top = max(top, tables.log_score[first + subset])
        if subset == 0:
            break
        subset = (subset - 1) & before
    if top == -np.inf:
        return top
    total = 0.0
    subset = before
    while True:
        if last == 0 or subset & last:
            total += math.exp(tables.log_score[first + subset] - top)
        if subset == 0:
            break
        subset = (subset - 1) & before
    return top + math.log(total)
