"""Edge probabilities of the orders that a search has sampled, computed where its tables are: here, or by workers.

Sums are over the same parts of the orders in both ways, and in the same order, so the bits are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.chains.away import ask_away
from orderspn.core.tasks import Backend
from orderspn.core.workers import Workers
from orderspn.search.order_edges import (
    PIECE,
    add_moments,
    fill_chosen,
    mean_edges,
    most_varying,
    outsider_shares,
    parts_of,
    varying_edges,
)
from orderspn.search.order_transitions import OrderTransitions
from orderspn.search.scored_orders import ScoredOrders


def sampled_mean_edges(orders: np.ndarray, scored: ScoredOrders, workers: Workers) -> np.ndarray:
    """Compute `mean_edges` of sampled orders (m, n)."""
    backend = scored.backend
    return mean_edges(orders, scored.here, workers) if backend is None else _moments(orders, scored, backend)[0]


def sampled_varying_edges(orders: np.ndarray, scored: ScoredOrders, workers: Workers, most: int) -> np.ndarray:
    """Compute `varying_edges` of sampled orders (m, n)."""
    backend = scored.backend
    if backend is None:
        return varying_edges(orders, scored.here, workers, most)
    means, squares = _moments(orders, scored, backend)
    chosen = most_varying(means, squares, most)
    each = [(part, chosen) for part in parts_of(orders)]
    return np.concatenate(_asked(backend, scored, edges_in_worker, each))


def sampled_outsider_shares(orders: np.ndarray, scored: ScoredOrders) -> np.ndarray:
    """Compute `outsider_shares` of sampled orders (m, n): one sum, so one task."""
    backend = scored.backend
    if backend is None:
        return outsider_shares(orders, scored.here)
    (shares,) = _asked(backend, scored, shares_in_worker, [(orders,)])
    return np.asarray(shares)


def _moments(orders: np.ndarray, scored: ScoredOrders, backend: Backend) -> np.ndarray:
    """Return means and mean squares over orders (m, n), shape (2, n, n)."""
    n = orders.shape[1]
    totals = np.zeros((2, n * n))
    for where, sums in _asked(backend, scored, sums_in_worker, [(part,) for part in parts_of(orders)]):
        totals[:, where] += sums
    return totals.reshape(2, n, n) / len(orders)


def _asked(backend: Backend, scored: ScoredOrders, question: Any, each: Sequence[tuple[Any, ...]]) -> list[Any]:
    assert scored.origin is not None
    return ask_away(backend, scored.origin, question, each)


def sums_in_worker(transitions: OrderTransitions, orders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the edges that any of the orders gives a probability, and their sums (2, edges)."""
    n = orders.shape[1]
    sums = np.zeros((2, n, n), dtype=np.float32)
    add_moments(orders, transitions.time_scores, *sums)
    where = np.flatnonzero(sums[0])  # with many variables, a few of all
    return where, sums.reshape(2, -1)[:, where]


def edges_in_worker(transitions: OrderTransitions, orders: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the probabilities of the chosen edges given each order, shape (m, chosen)."""
    edges = np.empty((len(orders), chosen.size), dtype=np.float32)
    for start in range(0, len(orders), PIECE):
        fill_chosen(orders[start : start + PIECE], transitions.time_scores, chosen, edges[start : start + PIECE])
    return edges


def shares_in_worker(transitions: OrderTransitions, orders: np.ndarray) -> np.ndarray:
    """Return the outsider shares of all orders."""
    return outsider_shares(orders, transitions.orders.here)
