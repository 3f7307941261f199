"""Sums over the parent sets of one row, and draws of them, in two halves of the candidates.

A step takes one part of a set among the upper half of the candidates, with the parts among the lower half summed out
beforehand. So sums and draws over the `2**K` sets of a row take about `2**(K/2)` steps. Sets may be required to have a
member among the *last* candidates. If the upper part has none, the lower part must have one: their mass is a difference
of two sums or, if that would be only rounding, a sum over single sets.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel

SAFE = 1e-4
"""A difference is taken only if it is a larger share of the lower parts than this."""


@kernel
def log_sum_within(v, row, before, last, tables):
    """Return the log sum of the scores of the sets of a row within `before`, with a member in `last` unless empty."""
    first = tables.starts[v] + (row << tables.n_bits[v])
    lower = before & _lower_bits(v, tables)
    upper = before ^ lower
    top, total = -np.inf, 0.0
    subset = upper
    while True:
        log_part = _log_mass_above(first, subset, lower, last, tables)
        if log_part > top:
            total = total * math.exp(top - log_part) + 1.0
            top = log_part
        elif log_part > -np.inf:
            total += math.exp(log_part - top)
        if subset == 0:
            break
        subset = (subset - 1) & upper
    return top + math.log(total) if top > -np.inf else -np.inf


@kernel
def draw_within(v, row, before, last, rng, tables):
    """Draw one of these sets in proportion to its score; -1 if none is possible."""
    first = tables.starts[v] + (row << tables.n_bits[v])
    lower = before & _lower_bits(v, tables)
    upper = before ^ lower
    chosen = _draw_upper(first, upper, lower, last, rng, tables)
    if chosen < 0:
        return -1
    meeting = 0 if chosen & last else last & lower
    return chosen | _draw_one_by_one(tables.log_score, first + chosen, lower, meeting, rng)


@kernel
def _draw_upper(first, upper, lower, last, rng, tables):
    weights = np.empty(1 << _count(upper))
    top = -np.inf
    subset = upper
    for place in range(weights.size):
        weights[place] = _log_mass_above(first, subset, lower, last, tables)
        top = max(top, weights[place])
        subset = (subset - 1) & upper
    if top == -np.inf:
        return -1
    total = 0.0
    for place in range(weights.size):
        weights[place] = math.exp(weights[place] - top)
        total += weights[place]
    target = rng.random() * total
    chosen, cumulated, subset = -1, 0.0, upper
    for weight in weights:
        if weight > 0.0:
            # Remembered so that rounding in the sum cannot end on a part of probability 0.
            chosen = subset
            cumulated += weight
            if cumulated > target:
                break
        subset = (subset - 1) & upper
    return chosen


@kernel
def _count(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@kernel
def _lower_bits(v, tables):
    return (1 << (tables.n_bits[v] // 2)) - 1


@kernel
def _log_mass_above(first, upper, lower, last, tables):
    """Return the log mass of the sets of `upper` and any part of `lower`, with a member in `last` unless empty."""
    log_whole = tables.log_partial[first + (upper | lower)]
    if last == 0 or upper & last or log_whole == -np.inf:
        return log_whole
    if lower & last == 0:
        return -np.inf
    share = -math.expm1(tables.log_partial[first + (upper | (lower & ~last))] - log_whole)
    if share > SAFE:
        return log_whole + math.log(share)
    return _sum_one_by_one(tables.log_score, first + upper, lower, last & lower)


@kernel
def _sum_one_by_one(log_score, first, free, meeting):
    """Return the log sum of the scores of the subsets of `free`, with a member in `meeting` unless empty."""
    top = -np.inf
    subset = free
    while True:
        if meeting == 0 or subset & meeting:
            top = max(top, log_score[first + subset])
        if subset == 0:
            break
        subset = (subset - 1) & free
    if top == -np.inf:
        return top
    total = 0.0
    subset = free
    while True:
        if meeting == 0 or subset & meeting:
            total += math.exp(log_score[first + subset] - top)
        if subset == 0:
            break
        subset = (subset - 1) & free
    return top + math.log(total)


@kernel
def _draw_one_by_one(log_score, first, free, meeting, rng):
    """Draw a subset of `free` in proportion to its score, with a member in `meeting` unless that is empty."""
    log_total = _sum_one_by_one(log_score, first, free, meeting)
    uniform = rng.random()
    chosen, cumulated, subset = free, 0.0, free
    while True:
        if (meeting == 0 or subset & meeting) and log_score[first + subset] > -np.inf:
            chosen = subset
            cumulated += math.exp(log_score[first + subset] - log_total)
            if cumulated > uniform:
                break
        if subset == 0:
            break
        subset = (subset - 1) & free
    return chosen
