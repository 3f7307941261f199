"""Edge probabilities given single orders, exact for each order that chains visit.

Given an order, the parent sets of j without k are those within its other predecessors. So the probability of k -> j is
1 minus the ratio of two masses: one lookup for each pair.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.search.moves import log_mass, make_state, put_before
from orderspn.search.order_scores import OrderScores

PIECE = 16
"""Orders in one task of a thread."""


def edges_given_orders(orders: np.ndarray, order_scores: OrderScores, workers: Workers) -> np.ndarray:
    """Compute the probability of every edge given each order (m, n), (m, n, n), float32, [order, cause, effect]."""
    m, n = orders.shape
    edges = np.zeros((m, n, n), dtype=np.float32)
    workers.run(
        [
            partial(_fill, orders[start : start + PIECE], order_scores, edges[start : start + PIECE])
            for start in range(0, m, PIECE)
        ]
    )
    return edges


@kernel
def _fill(orders, order_scores, edges):
    for which in range(orders.shape[0]):
        order = orders[which]
        state = make_state(order, order_scores)
        for place in range(order.size):
            j = order[place]
            for earlier in range(place):
                k = order[earlier]
                put_before(j, k, -1, state, order_scores)
                without = log_mass(j, state, order_scores)
                put_before(j, k, 1, state, order_scores)
                edges[which, k, j] = max(0.0, 1.0 - np.exp(without - state.current[j]))


def outsider_share(orders: np.ndarray, order_scores: OrderScores) -> float:
    """Compute the probability that a parent set has an outsider, averaged over variables and orders (m, n)."""
    return float(_outsider_share(orders, order_scores))


@kernel
def _outsider_share(orders, order_scores):
    total = 0.0
    for which in range(orders.shape[0]):
        state = make_state(orders[which], order_scores)
        for j in range(orders.shape[1]):
            n_rows = order_scores.lines[j, 1]
            if n_rows > 1:
                without = order_scores.log_mass[order_scores.lines[j, 2] + state.masks[j] * n_rows]
                total += 1.0 - np.exp(without - state.current[j])
    return max(0.0, total / orders.size)
