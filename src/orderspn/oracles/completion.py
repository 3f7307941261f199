"""Distinct partitions of sampled orders: the most frequent or the best ones, completed by the best ones near them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.oracles.partitions import distinct_rows, split_orders
from orderspn.search.moves import make_state
from orderspn.search.order_scores import OrderScores
from orderspn.search.starting import greedy_order


def rank_by_visits(orders: np.ndarray, log_scores: np.ndarray) -> np.ndarray:
    """Return the best order of each partition, the most frequent partition first; ties go to the best order."""
    best_first = np.argsort(-log_scores, kind="stable")
    places, visits = distinct_rows(split_orders(orders[best_first]))  # the first occurrence is the best order
    return orders[best_first[places[np.lexsort((places, -visits))]]]


def rank_by_score(orders: np.ndarray, log_scores: np.ndarray) -> np.ndarray:
    """Return the best order of each partition, the best of all first."""
    best_first = np.argsort(-log_scores, kind="stable")
    places, _ = distinct_rows(split_orders(orders[best_first]))
    return orders[best_first[np.sort(places)]]


def complete(orders: np.ndarray, order_scores: OrderScores, count: int) -> np.ndarray:
    """Return orders of `count` different partitions: the given ones, then the best after one exchange, and so on."""
    chosen = {_first_part(order): order for order in orders[:count]}
    frontier = list(chosen.values())
    impossible: dict[frozenset[int], np.ndarray] = {}  # taken when nothing else is left
    while len(chosen) < count:
        found: dict[frozenset[int], np.ndarray] = {}
        for order, log_score in _exchanges(frontier, order_scores):
            part = _first_part(order)
            if part in chosen or part in found or part in impossible:
                continue
            mended = order if log_score > -np.inf else _possible_order(order, order_scores)
            if mended is None:
                impossible[part] = order
            else:
                found[part] = mended
            if len(chosen) + len(found) == count:
                break
        if not found:
            found, impossible = impossible, {}
        chosen.update(found)
        frontier = list(found.values())
    return np.stack(list(chosen.values())[:count])


def _possible_order(order: np.ndarray, order_scores: OrderScores) -> np.ndarray | None:
    """Return a possible order with the same first half, or None."""
    return greedy_order(order_scores, split_orders(order[None])[0])


def _first_part(order: np.ndarray) -> frozenset[int]:
    return frozenset(order[: order.size // 2].tolist())


def _exchanges(orders: list[np.ndarray], order_scores: OrderScores) -> Iterator[tuple[np.ndarray, float]]:
    """Yield orders with a variable of the first half and one of the second exchanged, the best first."""
    log_scores = _score_exchanges(np.stack(orders), order_scores)  # (orders, n_first, n - n_first)
    best_first = np.argsort(-log_scores, axis=None, kind="stable")
    n_first = log_scores.shape[1]
    for which, p, q in zip(*np.unravel_index(best_first, log_scores.shape), strict=True):
        order = orders[which].copy()
        order[[p, n_first + q]] = order[[n_first + q, p]]
        yield order, float(log_scores[which, p, q])


@kernel
def _score_exchanges(orders, order_scores):
    """Return the log score of each order with place p of its first half and place q of its second exchanged."""
    count, n = orders.shape
    n_first = n // 2
    log_scores = np.empty((count, n_first, n - n_first))
    exchanged = np.empty(n, np.int64)
    for which in range(count):
        for p in range(n_first):
            for q in range(n_first, n):
                copy_into(exchanged, orders[which])
                exchanged[p], exchanged[q] = exchanged[q], exchanged[p]
                log_scores[which, p, q - n_first] = make_state(exchanged, order_scores).current.sum()
    return log_scores
