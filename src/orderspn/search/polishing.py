"""The last step of the search for the best graph: relocating variables until no relocation raises the score.

Here the score of an order is that of its best graph: each variable has the best parent set among its predecessors.
Polishing puts one variable after the other into its best place, until none moves. Many orders have the same best graph,
and from each of them other orders are one relocation away. So the order then wanders among orders whose score is not
lower, and is polished again.
"""

from __future__ import annotations

import numpy as np

from orderspn.kernels.borrowing import borrowed
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.leaves.context import root_block
from orderspn.leaves.tables import LeafTables
from orderspn.search.moves import empty_state, put_before
from orderspn.search.order_scores import IS_CANDIDATE, IS_OUTSIDER, MAY_BE_PARENT, OrderScores, all_order_scores

NO_GAIN = 1e-9
"""Gains up to this many nats may be rounding."""

WANDERING = 20
"""Relocations that are tried while wandering, times the number of variables."""


def best_order_scores(tables: LeafTables) -> OrderScores:
    """Return the scores of all orders with maxima over parent sets in place of sums."""
    summed = all_order_scores(tables)
    log_unit, log_best = np.empty_like(summed.log_unit), np.empty_like(summed.log_mass)
    for place, v in enumerate(root_block(tables.families)[1].tolist()):
        family = tables.families[v]
        first_line, n_rows, first_cell = summed.lines[place]
        by_line = family.log_best.reshape(family.n_rows, family.n_masks).T
        log_unit[first_line : first_line + family.n_masks] = by_line[:, 0]
        if n_rows > 1:
            log_best[first_cell : first_cell + by_line.size] = by_line.ravel()
    return summed._replace(log_unit=log_unit, log_mass=log_best)


def polished(
    order: np.ndarray, order_scores: OrderScores, turns: int, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Return an order that no relocation improves, and its log score; `order_scores` are those of maxima.

    The given order must be possible. It is polished once, and `turns` times more after wandering.
    """
    found, log_score = _polish(order, order_scores, turns, WANDERING * order.size, rng)
    return found, float(log_score)


@kernel
def _polish(order, order_scores, turns, tries, rng):
    order_scores = borrowed(order_scores)
    n = order.size
    state = empty_state(order_scores)
    copy_into(state.order, order)
    for place in range(n):
        for earlier in range(place):
            put_before(order[place], order[earlier], 1, state, order_scores)
        state.current[order[place]] = _log_best(order[place], state, order_scores)
    gains = np.empty(n)
    _climb(state, order_scores, gains)
    for _ in range(turns):
        for _ in range(tries):
            p, q = int(rng.random() * n), int(rng.random() * n)
            if p != q and _gains(p, q, state, order_scores, gains) >= -NO_GAIN:
                _move(p, q, state, order_scores)
        _climb(state, order_scores, gains)
    return state.order, state.current.sum()


@kernel
def _climb(state, order_scores, gains):
    """Put one variable after the other into its best place, until none moves."""
    n = state.order.size
    moved = True
    while moved:
        moved = False
        for variable in range(n):
            p = 0
            while state.order[p] != variable:
                p += 1
            gains[p] = 0.0
            _gains(p, 0, state, order_scores, gains)
            _gains(p, n - 1, state, order_scores, gains)
            best = np.argmax(gains)
            if gains[best] > NO_GAIN:
                _move(p, best, state, order_scores)
                moved = True


@kernel
def _gains(p, q, state, order_scores, gains):
    """Fill in the gain of log score when the variable at place p moves to each place up to q; return that for q."""
    if p == q:
        return 0.0
    order, current, relation = state.order, state.current, order_scores.relation
    moving = order[p]
    step = 1 if q > p else -1
    own, of_others = current[moving], 0.0
    for place in range(p + step, q + step, step):
        other = order[place]
        related = relation[moving, other]
        if related & MAY_BE_PARENT:
            put_before(moving, other, step, state, order_scores)
            own = _log_best(moving, state, order_scores)
        if related & (IS_CANDIDATE | IS_OUTSIDER):
            put_before(other, moving, -step, state, order_scores)
            of_others += _log_best(other, state, order_scores) - current[other]
            put_before(other, moving, step, state, order_scores)
        gains[place] = own - current[moving] + of_others
    for place in range(p + step, q + step, step):
        put_before(moving, order[place], -step, state, order_scores)
    return gains[q]


@kernel
def _move(p, q, state, order_scores):
    """Move the variable at place p to place q."""
    order, current = state.order, state.current
    moving = order[p]
    step = 1 if q > p else -1
    for place in range(p + step, q + step, step):
        other = order[place]
        put_before(moving, other, step, state, order_scores)
        put_before(other, moving, -step, state, order_scores)
        current[other] = _log_best(other, state, order_scores)
        order[place - step] = other
    order[q] = moving
    current[moving] = _log_best(moving, state, order_scores)


@kernel
def _log_best(j, state, order_scores):
    """Return the log score of the best parent set of j in the open rows."""
    line = state.masks[j]
    n_rows = order_scores.lines[j, 1]
    if n_rows == 1:
        return order_scores.log_unit[order_scores.lines[j, 0] + line]
    start = order_scores.lines[j, 2] + line * n_rows
    best = -np.inf
    for row in range(n_rows):
        if state.opened[j, row] > 0:
            best = max(best, order_scores.log_mass[start + row])
    return best
