"""Directed acyclic graphs: topological orders, cycles, the acyclic part of a graph, and what cannot be ordered."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from orderspn.core.errors import InvalidValue

Node = TypeVar("Node", bound=Hashable)


def topological_order(name: str, adjacency: np.ndarray, variables: Sequence[str] | None = None) -> np.ndarray:
    """Return the variables with causes before effects, shape (d,); raise an error that shows a cycle if there is one.

    Parameters
    ----------
    name : str
        The argument that the graph came from, for the error.
    adjacency : numpy.ndarray
        Shape (d, d), bool, [cause, effect].
    variables : sequence of str, optional
        Names for the error.

    Examples
    --------
    >>> import numpy as np
    >>> topological_order("graph", np.array([[False, False], [True, False]]))
    array([1, 0])
    """
    waiting = adjacency.sum(axis=0)  # causes of each variable that are not in the order yet
    order = list(np.flatnonzero(waiting == 0))
    for cause in order:
        effects = np.flatnonzero(adjacency[cause])
        waiting[effects] -= 1
        order.extend(effects[waiting[effects] == 0])
    if len(order) < len(adjacency):
        cycle = _cycle_within(adjacency, waiting > 0)
        shown = " -> ".join(str(v) if variables is None else variables[v] for v in cycle)
        raise InvalidValue(f"{name} must be a directed graph without cycles; got the cycle {shown}.")
    return np.array(order, dtype=np.int64)


def reached_from(adjacency: np.ndarray, start: int) -> np.ndarray:
    """Return which variables can be reached from one along edges (d, d), itself included, shape (d,).

    Examples
    --------
    >>> import numpy as np
    >>> reached_from(np.array([[False, True, False], [False, False, False], [True, False, False]]), 0)
    array([ True,  True, False])
    """
    reached = np.zeros(len(adjacency), dtype=bool)
    reached[start] = True
    while True:
        further = reached | adjacency[reached].any(axis=0)
        if (further == reached).all():
            return reached
        reached = further


def find_cycle(edges: Iterable[tuple[Node, Node]]) -> list[tuple[Node, Node]]:
    """Return edges that form a cycle, in its direction; an empty list if there is none.

    Examples
    --------
    >>> find_cycle([("A", "B"), ("B", "A"), ("B", "C")])
    [('A', 'B'), ('B', 'A')]
    """
    edges = list(edges)
    index = {node: i for i, node in enumerate(dict.fromkeys(node for edge in edges for node in edge))}
    adjacency = np.zeros((len(index), len(index)), dtype=bool)
    for cause, effect in edges:
        adjacency[index[cause], index[effect]] = True
    left = _below_cycles(adjacency[None])[0]
    if not left.any():
        return []
    nodes = list(index)
    return [(nodes[cause], nodes[effect]) for cause, effect in itertools.pairwise(_cycle_within(adjacency, left))]


def are_acyclic(graphs: np.ndarray) -> np.ndarray:
    """Whether each of the graphs (n, d, d), bool, has no cycle, shape (n,)."""
    return np.asarray(~_below_cycles(graphs).any(axis=1))


def _below_cycles(graphs: np.ndarray) -> np.ndarray:
    """Which variables of each graph are on a cycle or have an ancestor on one, shape (n, d)."""
    left = np.ones(graphs.shape[:2], dtype=bool)  # variables with a cause among those that are left
    while True:
        kept = left & (graphs & left[:, :, None]).any(axis=1)
        if (kept == left).all():
            return left
        left = kept


def _cycle_within(adjacency: np.ndarray, left: np.ndarray) -> list[int]:
    """Return a cycle among the variables `left` (d,), each of which has a cause among them; it ends where it begins."""
    path = [int(np.flatnonzero(left)[0])]
    while path[-1] not in path[:-1]:
        path.append(int(np.flatnonzero(adjacency[:, path[-1]] & left)[0]))
    return path[path.index(path[-1]) :][::-1]  # walked from effects to causes


def check_acyclic(name: str, graphs: np.ndarray, variables: Sequence[str] | None = None) -> None:
    """Raise an error if one of the graphs (n, d, d), bool, has a cycle; it names the graph and shows the cycle.

    Examples
    --------
    >>> import numpy as np
    >>> check_acyclic("graphs", np.array([[[False, True], [False, False]]]))
    """
    cyclic = np.flatnonzero(~are_acyclic(graphs))
    if cyclic.size:
        topological_order(f"{name}[{cyclic[0]}]", graphs[cyclic[0]], variables)


def all_dags(d: int) -> np.ndarray:
    """Return all DAGs of d variables, shape (n, d, d), bool."""
    pairs = list(itertools.combinations(range(d), 2))
    joined = np.array(list(itertools.product(range(3), repeat=len(pairs))))  # each pair: no edge, forward or backward
    graphs = np.zeros((len(joined), d, d), dtype=bool)
    for pair, (a, b) in enumerate(pairs):
        graphs[:, a, b] = joined[:, pair] == 1
        graphs[:, b, a] = joined[:, pair] == 2
    return graphs[are_acyclic(graphs)]


def acyclic_part(edges: Iterable[tuple[Node, Node]]) -> list[tuple[Node, Node]]:
    """Add edges one by one, skip each that would close a cycle, and return those that were added.

    Examples
    --------
    >>> acyclic_part([("A", "B"), ("B", "C"), ("C", "A"), ("A", "C")])
    [('A', 'B'), ('B', 'C'), ('A', 'C')]
    """
    ancestors: dict[Node, set[Node]] = defaultdict(set)
    descendants: dict[Node, set[Node]] = defaultdict(set)
    kept = []
    for cause, effect in edges:
        if cause == effect or effect in ancestors[cause]:
            continue
        kept.append((cause, effect))
        above, below = ancestors[cause] | {cause}, descendants[effect] | {effect}
        for node in above:
            descendants[node] |= below
        for node in below:
            ancestors[node] |= above
    return kept


def never_placed(n: int, may_follow: Callable[[int, np.ndarray], bool]) -> np.ndarray:
    """Return the items, of n, that cannot be placed in any order, ascending; empty if an order of all exists.

    `may_follow(item, before)` tells whether an item may come after those marked in `before` (n,), bool. It must be
    monotone: an item that may follow a set may follow every larger set. So each item is placed as soon as possible.

    Examples
    --------
    >>> never_placed(3, lambda item, before: item == 0 or before[2]).tolist()  # 1 and 2 need 2 before them
    [1, 2]
    """
    before = np.zeros(n, dtype=bool)
    placed = True
    while placed:
        placed = False
        for item in np.flatnonzero(~before).tolist():
            if may_follow(item, before):
                before[item] = placed = True
    return np.flatnonzero(~before)
