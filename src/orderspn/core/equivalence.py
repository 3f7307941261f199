"""Markov equivalence: the CPDAGs of DAGs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.core.dag import topological_order
from orderspn.core.matrices import Matrices
from orderspn.kernels.kernel import kernel

UNKNOWN, COMPELLED, REVERSIBLE = 0, 1, 2


def cpdags_of(dags: Matrices, name: str) -> np.ndarray:
    """Return the CPDAGs of graphs that have been read, shape (n, d, d); one graph counts as a stack of one."""
    # A copy of one type and layout: the kernel is compiled once.
    stack = np.array(dags.values.reshape(-1, dags.n_variables, dags.n_variables), dtype=np.bool_, order="C")
    essential = np.empty_like(stack)
    cyclic = _fill_cpdags(stack, essential)
    if cyclic >= 0:
        which = f"{name}[{cyclic}]" if dags.values.ndim == 3 else name
        topological_order(which, stack[cyclic], dags.variables)  # raises, and shows the cycle
    return essential


def essential_graphs(dags: np.ndarray, context: Sequence[int] = ()) -> np.ndarray:
    """Return the CPDAGs of DAGs (n, d, d), bool, if some variables are known to be only ever causes.

    Edges from these context variables have a known direction, and how they depend on each other is not modelled: two of
    them are no collider.

    Examples
    --------
    >>> import numpy as np
    >>> chain = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]], dtype=bool)
    >>> essential_graphs(chain, context=[0])[0].astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    wide = _with_known_causes(dags, context)
    essential = cpdags_of(Matrices(wide, None), "graphs")
    return _without_known_causes(essential, dags.shape[-1], context)


def _with_known_causes(dags: np.ndarray, context: Sequence[int]) -> np.ndarray:
    """Join context variables to each other, and make each a collider of two further variables, (n, d + 2 k, d + 2 k).

    So the edges to a context variable are compelled, and with them the edges from it; no edge of either is covered.
    """
    if not len(context):
        return dags
    n, d, k = len(dags), dags.shape[-1], len(context)
    wide = np.zeros((n, d + 2 * k, d + 2 * k), dtype=bool)
    wide[:, :d, :d] = dags
    for place, variable in enumerate(context):
        wide[:, variable, list(context[place + 1 :])] = True
        wide[:, [d + 2 * place, d + 2 * place + 1], variable] = True
    return wide


def _without_known_causes(graphs: np.ndarray, d: int, context: Sequence[int]) -> np.ndarray:
    if not len(context):
        return graphs
    narrow = graphs[:, :d, :d].copy()
    narrow[:, :, list(context)] = False
    return narrow


@kernel
def _fill_cpdags(graphs: np.ndarray, essential: np.ndarray) -> int:
    """Fill in the CPDAG of each graph; return the first graph with a cycle, or -1."""
    n, d = graphs.shape[0], graphs.shape[1]
    order, waiting, n_parents = np.empty((3, d), np.int64)
    parents = np.empty((d, d), np.int64)
    label = np.empty((d, d), np.int8)
    for g in range(n):
        edge = graphs[g]
        if not _fill_order(edge, order, waiting):
            return g
        _list_parents(edge, order, parents, n_parents)
        _label_edges(edge, order, parents, n_parents, label)
        for cause in range(d):
            for effect in range(d):
                essential[g, cause, effect] = edge[cause, effect] or label[effect, cause] == REVERSIBLE
    return -1


@kernel
def _fill_order(edge: np.ndarray, order: np.ndarray, waiting: np.ndarray) -> bool:
    """Place causes before effects; False if there is a cycle."""
    d = edge.shape[0]
    waiting[:] = 0  # causes of each variable that are not placed yet
    for cause in range(d):
        for effect in range(d):
            waiting[effect] += edge[cause, effect]
    placed = 0
    for v in range(d):
        if waiting[v] == 0:
            order[placed] = v
            placed += 1
    at = 0
    while at < placed:
        for effect in range(d):
            if edge[order[at], effect]:
                waiting[effect] -= 1
                if waiting[effect] == 0:
                    order[placed] = effect
                    placed += 1
        at += 1
    return placed == d


@kernel
def _list_parents(edge: np.ndarray, order: np.ndarray, parents: np.ndarray, n_parents: np.ndarray) -> None:
    """List the parents of each variable, from the last in the order to the first."""
    d = edge.shape[0]
    n_parents[:] = 0
    for at in range(d - 1, -1, -1):
        for effect in range(d):
            if edge[order[at], effect]:
                parents[effect, n_parents[effect]] = order[at]
                n_parents[effect] += 1


@kernel
def _label_edges(
    edge: np.ndarray, order: np.ndarray, parents: np.ndarray, n_parents: np.ndarray, label: np.ndarray
) -> None:
    """Find reversible edges by the algorithm of Chickering (UAI 1995): the last parent decides for all."""
    label[:] = UNKNOWN
    for y in order:
        if n_parents[y] == 0:
            continue
        x = parents[y, 0]
        verdict = REVERSIBLE
        for b in range(n_parents[x]):
            w = parents[x, b]
            if label[w, x] == COMPELLED:
                if not edge[w, y]:
                    verdict = COMPELLED  # y -> x would make a new collider, w -> x <- y
                    break
                label[w, y] = COMPELLED
        for b in range(1, n_parents[y]):
            if not edge[parents[y, b], x]:
                verdict = COMPELLED  # a collider at y: x is the later of the two, so they are not joined
                break
        for b in range(n_parents[y]):
            if label[parents[y, b], y] == UNKNOWN:
                label[parents[y, b], y] = verdict
