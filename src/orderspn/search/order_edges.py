"""Edge probabilities given single orders, exact for each order that chains visit.

Given an order, the parent sets of j without its candidate k are those within its other predecessors. So the probability
of k -> j is 1 minus the ratio of two masses. If k is an outsider, it is the share of its rows in the mass of j.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.search.order_scores import OrderScores
from orderspn.search.times import TimeScores, fill_masks, fill_times, is_open, log_open_mass, time_scores_of

PIECE = 16
"""Orders in one task of a thread."""

PARTS = 8
"""Parts of the orders that moments are summed over, each by one thread: not the number of threads, so that sums are the
same for any number."""

UNCERTAIN = 0.01
"""Edges whose mean probability is at least this far from 0 and 1 may be among those that vary most."""


def edges_given_orders(orders: np.ndarray, order_scores: OrderScores, workers: Workers) -> np.ndarray:
    """Compute the probability of every edge given each order (m, n), (m, n, n), float32, [order, cause, effect]."""
    m, n = orders.shape
    edges = np.zeros((m, n, n), dtype=np.float32)
    scores = time_scores_of(order_scores)
    workers.run(
        [partial(_fill, orders[start : start + PIECE], scores, edges[start : start + PIECE]) for start in _steps(m)]
    )
    return edges


def mean_edges(orders: np.ndarray, order_scores: OrderScores, workers: Workers) -> np.ndarray:
    """Compute the probability of every edge, averaged over orders (m, n), shape (n, n), [cause, effect]."""
    return _moments(orders, order_scores, workers)[0]


def varying_edges(orders: np.ndarray, order_scores: OrderScores, workers: Workers, most: int) -> np.ndarray:
    """Compute the probabilities given each order (m, n) of the uncertain edges that vary most, shape (m, edges).

    Those of all edges at once would take too much memory, so orders are visited twice.
    """
    chosen = most_varying(*_moments(orders, order_scores, workers), most)
    edges, scores = np.empty((len(orders), chosen.size), dtype=np.float32), time_scores_of(order_scores)

    def fill(start: int) -> None:
        fill_chosen(orders[start : start + PIECE], scores, chosen, edges[start : start + PIECE])

    workers.run([partial(fill, start) for start in _steps(len(orders))])
    return edges


def most_varying(means: np.ndarray, squares: np.ndarray, most: int) -> np.ndarray:
    """Return the numbers, `cause * n + effect`, of the uncertain edges that vary most, given moments (n, n) of all."""
    variances = np.where(np.minimum(means, 1.0 - means) > UNCERTAIN, squares - means**2, 0.0).ravel()
    return np.sort(np.argsort(-variances, kind="stable")[: min(most, int(np.count_nonzero(variances > 0.0)))])


def fill_chosen(orders: np.ndarray, scores: TimeScores, chosen: np.ndarray, edges: np.ndarray) -> None:
    """Fill in the probabilities of the chosen edges given each of a few orders (m, n), shape (m, chosen)."""
    m, n = orders.shape
    every = np.zeros((m, n, n), dtype=np.float32)
    _fill(orders, scores, every)
    edges[:] = every.reshape(m, -1)[:, chosen]


def _steps(m: int) -> range:
    return range(0, m, PIECE)


def _moments(orders: np.ndarray, order_scores: OrderScores, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
    """Return means and mean squares of edge probabilities over orders (m, n), both of shape (n, n)."""
    parts = parts_of(orders)
    sums = np.zeros((2, len(parts), *[orders.shape[1]] * 2), dtype=np.float32)
    scores = time_scores_of(order_scores)
    workers.run([partial(add_moments, own, scores, *sums[:, which]) for which, own in enumerate(parts)])
    means, squares = sums.sum(axis=1, dtype=np.float64) / len(orders)
    return means, squares


def parts_of(orders: np.ndarray) -> list[np.ndarray]:
    """Return the parts of orders (m, n) over which moments are summed."""
    return np.array_split(orders, min(PARTS, len(orders)))


@kernel
def _fill(orders, scores, edges):
    times, masks = np.empty(orders.shape[1] + 2), np.empty(orders.shape[1], np.int64)
    for which in range(orders.shape[0]):
        fill_times(orders[which], times)
        fill_masks(times, scores, masks)
        for j in range(masks.size):
            _fill_effect(j, times, masks[j], scores, edges[which])


@kernel
def add_moments(orders, scores, sums, squares):
    """Add the probability of every edge given each order to `sums`, and its square to `squares`, both (n, n)."""
    n = orders.shape[1]
    times, masks = np.empty(n + 2), np.empty(n, np.int64)
    edges = np.zeros((n, n), np.float32)
    for which in range(orders.shape[0]):
        fill_times(orders[which], times)
        fill_masks(times, scores, masks)
        for j in range(n):
            for k in range(n):
                edges[k, j] = 0.0
            _fill_effect(j, times, masks[j], scores, edges)
        for k in range(n):
            for j in range(n):
                sums[k, j] += edges[k, j]
                squares[k, j] += edges[k, j] * edges[k, j]


@kernel
def _fill_effect(j, times, mask, scores, edges):
    """Fill in the probabilities of the edges into one variable, given the times of all; others stay 0."""
    n = times.size - 2
    log_whole = log_open_mass(j, mask, times, scores)
    for pair in range(scores.related_starts[j], scores.related_starts[j + 1]):
        bit = scores.own_bits[pair]
        if mask & bit:
            without = log_open_mass(j, mask & ~bit, times, scores)
            edges[scores.related[pair], j] = max(0.0, 1.0 - np.exp(without - log_whole))
    n_rows = scores.lines[j, 1]
    if n_rows > 1:
        cells = scores.lines[j, 2] + mask * n_rows
        for row in range(1, n_rows):
            openers = scores.openers[scores.opener_starts[j] + row - 1]
            if is_open(openers, times, j):
                share = np.exp(scores.log_mass[cells + row] - log_whole)
                for k in openers:
                    if k < n:
                        edges[k, j] = min(1.0, edges[k, j] + share)


def outsider_shares(orders: np.ndarray, order_scores: OrderScores) -> np.ndarray:
    """Compute the probability that a parent set of each variable has an outsider, averaged over orders (m, n), (n,)."""
    shares = np.zeros(orders.shape[1])
    _add_outsider_shares(orders, time_scores_of(order_scores), shares)
    return np.clip(shares / len(orders), 0.0, 1.0)


@kernel
def _add_outsider_shares(orders, scores, shares):
    n = orders.shape[1]
    times, masks = np.empty(n + 2), np.empty(n, np.int64)
    for which in range(orders.shape[0]):
        fill_times(orders[which], times)
        fill_masks(times, scores, masks)
        for j in range(n):
            n_rows = scores.lines[j, 1]
            if n_rows > 1:
                without = scores.log_mass[scores.lines[j, 2] + masks[j] * n_rows]
                shares[j] += 1.0 - np.exp(without - log_open_mass(j, masks[j], times, scores))
