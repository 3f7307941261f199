"""Markov equivalence: the completed partially directed acyclic graph (CPDAG) of a DAG."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.dag import topological_order
from orderspn.core.matrices import Matrices, read_graphs
from orderspn.kernels.kernel import kernel

UNKNOWN, COMPELLED, REVERSIBLE = 0, 1, 2


def cpdag(graphs: Any) -> Any:
    """Compute the CPDAG of one DAG or of many.

    Edges with the same direction in all equivalent DAGs keep it; others have both directions.

    Takes about 20 microseconds for a graph of 64 variables and 128 edges.

    Parameters
    ----------
    graphs : DataFrame, networkx.DiGraph, array, list of these, or sampled graphs
        An array has shape (d, d) or (n, d, d), [cause, effect].

    Returns
    -------
    numpy.ndarray, pandas.DataFrame or networkx.DiGraph
        A DataFrame for a DataFrame, a DiGraph for a DiGraph, otherwise a bool array of shape (d, d) or (n, d, d).
        `[i, j]` and `[j, i]` are both True where the direction differs among equivalent DAGs.

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> osp.metrics.cpdag(chain).astype(int)
    array([[0, 1, 0],
           [1, 0, 1],
           [0, 1, 0]])
    >>> collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    >>> bool((osp.metrics.cpdag(collider) == collider).all())
    True
    """
    import networkx as nx
    import pandas as pd

    dags = read_graphs("graphs", graphs)
    values = cpdags_of(dags, "graphs")
    values = values if dags.values.ndim == 3 else values[0]
    if isinstance(graphs, pd.DataFrame):
        return pd.DataFrame(
            values, index=graphs.index, columns=graphs.columns if dags.variables is None else graphs.index
        )
    if isinstance(graphs, nx.DiGraph):
        return _as_networkx(values, graphs)
    return values


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


def _as_networkx(values: np.ndarray, like: Any) -> Any:
    import networkx as nx

    nodes = list(like.nodes)
    by_position = read_graphs("graphs", like).variables is None
    names = sorted(nodes) if by_position else nodes
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((names[c], names[e]) for c, e in zip(*np.nonzero(values), strict=True))
    return graph


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
