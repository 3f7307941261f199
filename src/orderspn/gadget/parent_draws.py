"""Drawing a parent set before a child that has at least one of the last ones, in proportion to its score.

First the row, then the part of the set among the upper candidates, with the lower ones summed out, then the lower part:
a few hundred steps instead of `2**K`. Where the mass of sets with a last parent is so small a share of all that
differences are rounding, sets are weighed one by one.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from orderspn.gadget.parent_mass import (
    BEFORE,
    FARTHEST,
    LAST,
    LEAST,
    MOST,
    SAFE,
    log_row_mass,
    log_tau,
    masks_of,
    open_shares,
    row_state,
)

ALLOWED, REQUIRED, CHILD, EXCLUDED = 0, 1, 2, 3
"""Levels for a draw from any variables: who may be a parent, one of whom must, the child, and who must not."""


@njit(cache=True, nogil=True)
def draw_parents(j, levels, level, must, rng, terrain):
    """A parent set of j, as a number `row * 2**K + mask`; -1 if there is none."""
    variables, _, _, tables, _ = terrain
    v = variables[j]
    log_total = log_tau(j, levels, level, must, terrain)
    if log_total == -np.inf:
        return -1
    before, last = masks_of(j, levels, level, terrain)
    careful = _rounds(j, before, last, levels, level, must, log_total, terrain)
    drawn = _draw(j, before, last, levels, level, must, careful, log_total, rng, terrain)
    if tables.log_score[tables.starts[v] + drawn] == -np.inf:
        # A difference that should be 0 was not, by rounding, and the draw ended on it.
        drawn = _draw(j, before, last, levels, level, must, True, log_total, rng, terrain)
    return drawn


@njit(cache=True, nogil=True)
def _draw(j, before, last, levels, level, must, careful, log_total, rng, terrain):
    variables, _, outsiders, tables, _ = terrain
    v = variables[j]
    n_rows = tables.n_rows[v]
    row = 0
    if n_rows > 1:
        uniform = rng.random()
        cumulated = 0.0
        for candidate in range(n_rows):
            log_part = log_row_mass(j, candidate, before, last, levels, level, must, careful, terrain)
            if log_part > -np.inf:
                # Remembered so that rounding in the sum cannot end on a row of probability 0.
                row = candidate
                cumulated += math.exp(log_part - log_total)
                if cumulated > uniform:
                    break
    state = BEFORE if row == 0 else row_state(j, row, levels, level, outsiders)
    must_meet = must and state != LAST
    first = tables.starts[v] + (row << tables.n_bits[v])
    if careful:
        own = tables.log_score[first : first + (1 << tables.n_bits[v])]
        drawn = _draw_one_by_one(own, before, last if must_meet else 0, rng)
    else:
        drawn = _draw_in_halves(v, first, before, last, must_meet, rng, tables)
    return (row << tables.n_bits[v]) + drawn


@njit(cache=True, nogil=True)
def _rounds(j, before, last, levels, level, must, log_total, terrain):
    """Whether the sets with a last parent are too small a part of all, or shares too large or small, to subtract."""
    variables, _, _, tables, _ = terrain
    v = variables[j]
    whole, rest = open_shares(j, before, last, levels, level, terrain)
    if not LEAST < whole < MOST:
        return True
    log_unit = tables.log_unit[tables.line_starts[v] + before]
    log_rest = tables.log_unit[tables.line_starts[v] + (before & ~last)]
    if must and (rest >= MOST or log_rest - log_unit >= FARTHEST):
        return True
    return log_total - log_unit < math.log(10 * SAFE * whole)


@njit(cache=True, nogil=True)
def _draw_in_halves(v, first, before, last, must, rng, tables):
    half = tables.n_bits[v] // 2
    lower_bits = (1 << half) - 1
    lower, upper = before & lower_bits, before & ~lower_bits
    top = -np.inf
    subset = upper
    while True:
        top = max(top, tables.log_partial[first + (subset | lower)])
        if subset == 0:
            break
        subset = (subset - 1) & upper
    total = 0.0
    subset = upper
    while True:
        total += _upper_weight(subset, lower, last, must, first, top, tables.log_partial)
        if subset == 0:
            break
        subset = (subset - 1) & upper
    if total <= 0.0:  # differences of this row that rounding swallowed
        return _draw_one_by_one(tables.log_score[first : first + (1 << tables.n_bits[v])], before, last, rng)
    target = rng.random() * total
    chosen, cumulated, subset = upper, 0.0, upper
    while True:
        weight = _upper_weight(subset, lower, last, must, first, top, tables.log_partial)
        if weight > 0.0:
            chosen = subset
            cumulated += weight
            if cumulated > target:
                break
        if subset == 0:
            break
        subset = (subset - 1) & upper
    must_meet = last & lower if must and chosen & last == 0 else 0
    below = tables.log_score[first + chosen : first + chosen + lower_bits + 1]
    return chosen | _draw_one_by_one(below, lower, must_meet, rng)


@njit(cache=True, nogil=True)
def _upper_weight(subset, lower, last, must, first, top, log_partial):
    """Mass of the sets whose upper part is `subset`, in units of `top`."""
    weight = math.exp(log_partial[first + (subset | lower)] - top)
    if must and subset & last == 0:
        weight -= math.exp(log_partial[first + (subset | (lower & ~last))] - top)
    return weight


@njit(cache=True, nogil=True)
def _draw_one_by_one(log_score, free, meeting, rng):
    """A subset of `free` in proportion to its score, one that meets `meeting` unless that is empty."""
    top = -np.inf
    subset = free
    while True:
        if meeting == 0 or subset & meeting:
            top = max(top, log_score[subset])
        if subset == 0:
            break
        subset = (subset - 1) & free
    if top == -np.inf:  # none is possible, which its score tells
        return free
    total = 0.0
    subset = free
    while True:
        if meeting == 0 or subset & meeting:
            total += math.exp(log_score[subset] - top)
        if subset == 0:
            break
        subset = (subset - 1) & free
    target = rng.random() * total
    chosen, cumulated, subset = free, 0.0, free
    while True:
        if (meeting == 0 or subset & meeting) and log_score[subset] > -np.inf:
            chosen = subset
            cumulated += math.exp(log_score[subset] - top)
            if cumulated > target:
                break
        if subset == 0:
            break
        subset = (subset - 1) & free
    return chosen
