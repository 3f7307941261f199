"""Good orders to start from: constructed from the first place to the last, then improved variable by variable."""

from __future__ import annotations

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.kernels.kernel import kernel
from orderspn.search.moves import (
    empty_state,
    gain_of,
    log_mass,
    log_scores,
    make_move,
    make_state,
    put_before,
)
from orderspn.search.order_scores import OrderScores

SWEEPS = 10
"""Largest number of times that each variable is put into its best place."""

NO_GAIN = 1e-6
"""Gains up to this many nats may be rounding to single precision."""


def possible_order(order: np.ndarray, order_scores: OrderScores) -> np.ndarray:
    """Return the order if it is possible, else a good possible one."""
    if log_scores(order[None], order_scores)[0] > -np.inf:
        return order
    found = good_order(order_scores)
    if found is None:
        raise no_possible_order(order_scores.n)
    return found


def no_possible_order(n: int) -> InvalidValue:
    """Build the error for variables that cannot be ordered."""
    return InvalidValue(
        f"no order of {n} of the variables is possible: in any place, one of them has no parent set with a positive "
        "weight. Check that the prior, the background knowledge and the evidence leave every variable a possible "
        "parent set among its candidates."
    )


def good_order(order_scores: OrderScores) -> np.ndarray | None:
    """Return a possible order of high score; None if there is none.

    A variable that is possible after some variables is also possible after more of them. So if the construction finds
    no variable to place next, there is no possible order at all.
    """
    order = greedy_order(order_scores, np.ones(order_scores.n, dtype=bool))
    return None if order is None else improved(order, order_scores)


def greedy_order(order_scores: OrderScores, first: np.ndarray) -> np.ndarray | None:
    """Return a possible order with all variables marked `first` (n,) before the others; None if there is none."""
    order: np.ndarray = _greedy(order_scores, first)
    return None if order[-1] < 0 else order


def improved(order: np.ndarray, order_scores: OrderScores, sweeps: int = SWEEPS) -> np.ndarray:
    """Put one variable after the other into its best place, until none moves."""
    found: np.ndarray = _improve(order, order_scores, sweeps)
    return found


def random_possible_orders(order_scores: OrderScores, count: int, rng: np.random.Generator) -> np.ndarray | None:
    """Draw orders (count, n), each next variable uniformly among the possible ones; None if no order is possible."""
    orders: np.ndarray = _at_random(order_scores, rng.random((count, order_scores.n)))
    return None if orders[0, -1] < 0 else orders


@kernel
def _at_random(order_scores, uniforms):
    count, n = uniforms.shape
    orders = np.full((count, n), -1, np.int64)
    possible = np.empty(n, np.int64)
    for which in range(count):
        state = empty_state(order_scores)
        placed = np.zeros(n, np.bool_)
        for place in range(n):
            n_possible = 0
            for j in range(n):
                if not placed[j] and log_mass(j, state, order_scores) > -np.inf:
                    possible[n_possible] = j
                    n_possible += 1
            if n_possible == 0:
                return orders
            chosen = possible[int(uniforms[which, place] * n_possible)]
            orders[which, place] = chosen
            placed[chosen] = True
            for j in range(n):
                if not placed[j]:
                    put_before(j, chosen, 1, state, order_scores)
    return orders


@kernel
def _greedy(order_scores, first):
    """Place next the variable that loses least by having no later one before it; -1 from where none is possible."""
    n = first.size
    n_first = first.sum()
    order = np.full(n, -1, np.int64)
    placed = np.zeros(n, np.bool_)
    crowd, state = empty_state(order_scores), empty_state(order_scores)
    for j in range(n):
        for other in range(n):
            if other != j:
                put_before(j, other, 1, crowd, order_scores)
        crowd.current[j] = log_mass(j, crowd, order_scores)
    for place in range(n):
        chosen = -1
        least = np.inf
        for j in range(n):
            if placed[j] or first[j] != (place < n_first):
                continue
            log_value = log_mass(j, state, order_scores)
            if log_value > -np.inf and (chosen < 0 or crowd.current[j] - log_value < least):
                chosen, least = j, crowd.current[j] - log_value
        if chosen < 0:
            return order
        order[place] = chosen
        placed[chosen] = True
        for j in range(n):
            if not placed[j]:
                put_before(j, chosen, 1, state, order_scores)
    return order


@kernel
def _improve(order, order_scores, sweeps):
    n = order.size
    state = make_state(order, order_scores)
    gains = np.empty(n)
    for _ in range(sweeps):
        moved = False
        for variable in range(n):
            p = 0
            while state.order[p] != variable:
                p += 1
            gains[p] = 0.0
            if p > 0:
                gain_of(p, 0, state, order_scores, gains)
            if p < n - 1:
                gain_of(p, n - 1, state, order_scores, gains)
            best = np.argmax(gains)
            if gains[best] > NO_GAIN:
                gain_of(p, best, state, order_scores, np.empty(0))
                make_move(p, best, state, order_scores)
                moved = True
        if not moved:
            break
    return state.order
