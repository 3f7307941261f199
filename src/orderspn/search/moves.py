"""The state of a chain over orders, and its move: a variable is moved to another place.

All variables between the two places move by one. For each variable the state keeps the mask of the candidates before
it, how many outsiders each of its rows still lacks, which rows are open, and the resulting mass. So a move costs one
lookup for each related variable that it passes.

The innermost functions take single arrays, not tuples of them: counting references to a dozen arrays in every call
would cost more than the call itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.search.order_scores import IS_CANDIDATE, IS_OUTSIDER, MAY_BE_PARENT, OrderScores

LEAST, MOST = 1e-25, 1e30
"""Sums of open shares beyond these bounds are taken of logarithms instead."""

LARGE_PART = 0.99
"""A row that is more than this share of a sum is not subtracted from it: only rounding would be left."""


class State(NamedTuple):
    """An order, and the predecessors of each variable as masks and open rows."""

    order: np.ndarray  # (n,)
    masks: np.ndarray  # (n,): candidates before each variable
    lacking: np.ndarray  # (n, rows): number of outsiders that are not before the variable
    opened: np.ndarray  # (n, rows) float32: 1 for rows whose outsiders are all before
    current: np.ndarray  # (n,): log mass of each variable
    totals: np.ndarray  # (n,): sum of its open shares
    tried: np.ndarray  # (n,): log masses after the move that was proposed last
    tried_totals: np.ndarray  # (n,)
    saved_lacking: np.ndarray  # (rows,): of the variable that moves, while it does
    saved_opened: np.ndarray  # (rows,)


@kernel
def empty_state(order_scores):
    """Return a state in which no variable has predecessors."""
    n, n_rows = order_scores.lacking.shape
    lacking = order_scores.lacking.copy()
    opened = np.zeros((n, n_rows), np.float32)
    for j in range(n):
        for row in range(n_rows):
            opened[j, row] = 1.0 if lacking[j, row] == 0 else 0.0
    return State(
        np.arange(n),
        order_scores.first_masks.copy(),
        lacking,
        opened,
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        lacking[0].copy(),
        opened[0].copy(),
    )


@kernel
def make_state(order, order_scores):
    """Return the state of an order."""
    state = empty_state(order_scores)
    copy_into(state.order, order)
    for place in range(order.size):
        j = order[place]
        for earlier in range(place):
            put_before(j, order[earlier], 1, state, order_scores)
        state.totals[j] = _total(j, state.masks[j], state.opened, order_scores.lines, order_scores.share)
        state.current[j] = log_mass(j, state, order_scores)
    return state


@kernel
def put_before(j, other, step, state, order_scores):
    """Let `other` come before j (step 1), or after it again (step -1)."""
    _, strides, _, _, _, _, _, gate_starts, gates, _ = order_scores
    _put(j, other, step, state.masks, state.lacking, state.opened, strides, gate_starts, gates)


@kernel
def log_mass(j, state, order_scores):
    """Return the log mass of variable j given its predecessors."""
    _, _, lines, log_unit, log_masses, share, _, _, _, _ = order_scores
    total = _total(j, state.masks[j], state.opened, lines, share)
    return _log_mass(j, state.masks[j], total, state.opened, lines, log_unit, log_masses)


@kernel
def gain_of(p, q, state, order_scores, gains):
    """Return the change of the log score of a possible order if the variable at place p moves to place q.

    The masses after the move are left in `state.tried`; the rest of the state is as before. Unless `gains` is empty, it
    is filled with the changes for all places up to q.
    """
    order, masks, lacking, opened, current, totals, tried, tried_totals, saved_lacking, saved_opened = state
    _, strides, lines, log_unit, log_masses, share, _, gate_starts, gates, relation = order_scores
    n = order.size
    moving = order[p]
    step = 1 if q > p else -1
    gain = -current[moving]
    saved_mask = masks[moving]
    n_rows = lines[moving, 1]
    for row in range(n_rows):
        saved_lacking[row] = lacking[moving, row]
        saved_opened[row] = opened[moving, row]
    for place in range(p + step, q + step, step):
        other = order[place]
        related = relation[moving, other]
        if related & MAY_BE_PARENT:
            _put(moving, other, step, masks, lacking, opened, strides, gate_starts, gates)
        if related & IS_CANDIDATE:
            mask = masks[other] - step * strides[other, moving]
            total = _total(other, mask, opened, lines, share)
            tried_totals[other] = total
            tried[other] = _log_mass(other, mask, total, opened, lines, log_unit, log_masses)
            gain += tried[other] - current[other]
        elif related & IS_OUTSIDER:
            mask = masks[other]
            changed = 0.0
            start = lines[other, 2] + mask * lines[other, 1]
            pair = other * n + moving
            for gate in range(gate_starts[pair], gate_starts[pair + 1]):
                if lacking[other, gates[gate]] == (0 if step > 0 else 1):
                    changed += share[start + gates[gate]]
            before, total = totals[other], totals[other] - step * changed
            if LEAST < total < MOST and LEAST < before < MOST and changed < LARGE_PART * max(before, total):
                tried[other] = log_unit[lines[other, 0] + mask] + math.log(total)
            else:
                _put(other, moving, -step, masks, lacking, opened, strides, gate_starts, gates)
                total = _total(other, mask, opened, lines, share)
                tried[other] = _log_mass(other, mask, total, opened, lines, log_unit, log_masses)
                _put(other, moving, step, masks, lacking, opened, strides, gate_starts, gates)
            tried_totals[other] = total
            gain += tried[other] - current[other]
        if gains.size > 0 or place == q:
            total = _total(moving, masks[moving], opened, lines, share)
            tried_totals[moving] = total
            tried[moving] = _log_mass(moving, masks[moving], total, opened, lines, log_unit, log_masses)
        if gains.size > 0:
            gains[place] = gain + tried[moving]
    masks[moving] = saved_mask
    for row in range(n_rows):
        lacking[moving, row] = saved_lacking[row]
        opened[moving, row] = saved_opened[row]
    return gain + tried[moving]


@kernel
def make_move(p, q, state, order_scores):
    """Move the variable at place p to place q; `gain_of` must have been called for this move just before."""
    order, masks, lacking, opened, current, totals, tried, tried_totals, _, _ = state
    _, strides, lines, _, _, share, _, gate_starts, gates, relation = order_scores
    moving = order[p]
    step = 1 if q > p else -1
    for place in range(p + step, q + step, step):
        other = order[place]
        related = relation[moving, other]
        if related & MAY_BE_PARENT:
            _put(moving, other, step, masks, lacking, opened, strides, gate_starts, gates)
        if related & (IS_CANDIDATE | IS_OUTSIDER):
            _put(other, moving, -step, masks, lacking, opened, strides, gate_starts, gates)
            current[other] = tried[other]
            totals[other] = tried_totals[other]
        if related & IS_OUTSIDER:  # summed anew: after many subtractions only rounding may be left
            totals[other] = _total(other, masks[other], opened, lines, share)
        order[place - step] = other
    order[q] = moving
    current[moving] = tried[moving]
    totals[moving] = tried_totals[moving]


def log_scores(orders: np.ndarray, order_scores: OrderScores) -> np.ndarray:
    """Return the log score of each order (m, n); -inf for impossible ones."""
    return np.array([make_state(order, order_scores).current.sum() for order in orders])


@kernel
def _put(j, other, step, masks, lacking, opened, strides, gate_starts, gates):
    masks[j] += step * strides[j, other]
    pair = j * masks.size + other
    for gate in range(gate_starts[pair], gate_starts[pair + 1]):
        row = gates[gate]
        lacking[j, row] -= step
        opened[j, row] = 1.0 if lacking[j, row] == 0 else 0.0


@kernel(fastmath=True)
def _total(j, mask, opened, lines, share):
    """Sum the shares of the open rows; `fastmath` lets the compiler add several at once."""
    n_rows = lines[j, 1]
    if n_rows == 1:
        return 1.0
    start = lines[j, 2] + mask * n_rows
    line, gates = share[start : start + n_rows], opened[j]
    total = 0.0
    for row in range(line.size):
        total += np.float64(line[row] * gates[row])
    return total


@kernel
def _log_mass(j, mask, total, opened, lines, log_unit, log_masses):
    """Return the log mass of variable j if its preceding candidates are `mask` and its open shares sum to `total`."""
    n_rows = lines[j, 1]
    if n_rows == 1:
        return log_unit[lines[j, 0] + mask]
    if LEAST < total < MOST:
        return log_unit[lines[j, 0] + mask] + math.log(total)
    start = lines[j, 2] + mask * n_rows
    return _log_sum(log_masses[start : start + n_rows], opened[j])


@kernel
def _log_sum(log_masses, opened):
    top = -np.inf
    for row in range(log_masses.size):
        if opened[row] > 0:
            top = max(top, log_masses[row])
    if top == -np.inf:
        return top
    total = 0.0
    for row in range(log_masses.size):
        if opened[row] > 0:
            total += math.exp(log_masses[row] - top)
    return top + math.log(total)
