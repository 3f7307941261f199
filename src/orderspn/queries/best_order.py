"""The order of items with the largest sum of gains: one gain for each pair, if the first comes before the second.

This is the linear ordering problem. Only the difference between the gains of both directions of a pair matters. If
these differences form no cycle, any order along them is best. Otherwise each strongly connected set of items is ordered
by itself: exactly, by dynamic programming over its subsets, or by a search if it is large.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

EXACT_UP_TO = 16
"""Largest number of items in a strongly connected set that is ordered exactly: there are 2**16 subsets."""

ROUNDING = 1e-9
"""Gains that differ by less count as equal."""

STARTS = 8
"""Number of searches from different orders."""


class BestOrder(NamedTuple):
    """An order, and whether it is known that none is better."""

    order: list[int]
    optimal: bool


def best_order(gains: np.ndarray) -> BestOrder:
    """Return the order with the largest sum of `gains[i, j]` over pairs with i before j; of equal ones an early one.

    Parameters
    ----------
    gains : numpy.ndarray
        Shape (n, n).

    Examples
    --------
    A cycle is broken where it costs least:

    >>> best_order(np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 3.0], [2.0, 0.0, 0.0]]))
    BestOrder(order=[0, 1, 2], optimal=True)
    """
    import networkx as nx

    net = gains - gains.T
    ahead = net > ROUNDING
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(gains)))
    graph.add_edges_from((int(i), int(j)) for i, j in np.argwhere(ahead))
    parts = nx.condensation(graph)
    members = [sorted(parts.nodes[part]["members"]) for part in parts.nodes]
    order: list[int] = []
    for part in nx.lexicographical_topological_sort(parts, key=lambda part: members[part][0]):
        own = members[part]
        order += [own[v] for v in _order_of_part(net[np.ix_(own, own)])]
    return BestOrder(order, all(len(own) <= EXACT_UP_TO for own in members))


def _order_of_part(net: np.ndarray) -> list[int]:
    if len(net) == 1:
        return [0]
    return _by_subsets(net) if len(net) <= EXACT_UP_TO else _by_search(net)


def _by_subsets(net: np.ndarray) -> list[int]:
    """Return the best order: best[S] is the largest sum within a set S that comes first."""
    n = len(net)
    sets = np.arange(1 << n)
    # Sum of the gains from all members of a set to each item, built up by the highest member.
    into = np.zeros((1 << n, n))
    for v in range(n):
        into[1 << v : 2 << v] = into[: 1 << v] + np.maximum(net, 0.0)[v]
    sizes = np.zeros(1 << n, dtype=np.int64)
    for v in range(n):
        sizes[1 << v : 2 << v] = sizes[: 1 << v] + 1
    best = np.zeros(1 << n)
    last = np.full(1 << n, -1)
    for size in range(1, n + 1):
        own = sets[sizes == size]
        value = np.full(len(own), -np.inf)
        # From the last item to the first: of equal orders the one that ends with the last item.
        for v in range(n - 1, -1, -1):
            has = np.flatnonzero(own >> v & 1)
            before = own[has] ^ (1 << v)
            total = best[before] + into[before, v]
            better = total > value[has] + ROUNDING
            value[has[better]] = total[better]
            last[own[has[better]]] = v
        best[own] = value
    order: list[int] = []
    left = (1 << n) - 1
    while left:
        order.append(int(last[left]))
        left ^= 1 << order[-1]
    return order[::-1]


def _by_search(net: np.ndarray) -> list[int]:
    """Return the best of several orders, each improved by moving single items for as long as that helps."""
    generator = np.random.default_rng(0)
    by_surplus = np.argsort(-net.sum(axis=1), kind="stable")
    starts = [by_surplus, *(generator.permutation(len(net)) for _ in range(STARTS - 1))]
    found = [_improved(list(map(int, start)), net) for start in starts]
    return max(found, key=lambda order: _total(order, net))


def _improved(order: list[int], net: np.ndarray) -> list[int]:
    moved = True
    while moved:
        moved = False
        for item in range(len(net)):
            at = order.index(item)
            others = np.array(order[:at] + order[at + 1 :])
            # The sum if the item is at place k, up to a constant: it gains from those after it.
            totals = np.concatenate([[0.0], np.cumsum(net[others, item] - net[item, others])])
            place = int(np.argmax(totals))
            if totals[place] > totals[at] + ROUNDING:
                order = [*others[:place].tolist(), item, *others[place:].tolist()]
                moved = True
    return order


def _total(order: list[int], net: np.ndarray) -> float:
    return float(np.triu(net[np.ix_(order, order)], 1).sum())
