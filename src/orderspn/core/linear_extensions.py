"""The number of topological orders of a DAG: its linear extensions, counted exactly.

Every order begins with a variable without parents. So the count of a graph is the sum, over these variables, of the
counts of the graph without that variable. Orders end with a variable without children, and the same sum runs over
those. Each step takes the side with fewer choices. Components without edges between them are counted separately: their
counts multiply, times the number of ways to merge their orders. Counts of sets of variables are kept. Sparse graphs
soon separate into components, so far fewer sets occur than there are prefixes of orders.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.typed import Dict

from orderspn.core.dag import check_acyclic, topological_order
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_BITS
from orderspn.kernels.kernel import kernel

MOST_VARIABLES = MOST_BITS
"""Largest number of variables: their sets fit a mask, and the number of their orders fits a double."""

MOST_SETS = 2_000_000
"""Largest number of sets kept for one graph: about 100 megabytes and a few seconds."""

FACTORIALS = np.array([math.factorial(n) for n in range(MOST_VARIABLES + 1)], dtype=np.float64)

TOO_MANY = -1.0
"""What `_count` returns instead of a count when it would have to keep more sets than it may."""


def log_linear_extensions(adjacency: np.ndarray, most_sets: int = MOST_SETS) -> np.ndarray:
    """Return the log of the number of topological orders of each graph.

    Parameters
    ----------
    adjacency : numpy.ndarray
        Shape (d, d) or (n, d, d), bool or 0 and 1, [cause, effect], without cycles; at most 62 variables.
    most_sets : int
        Largest number of sets of variables kept while one graph is counted, 50 bytes each.

    Returns
    -------
    numpy.ndarray
        Shape () or (n,).

    Examples
    --------
    The graph A -> B beside C has three orders.

    >>> import numpy as np
    >>> graph = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    >>> float(np.exp(log_linear_extensions(graph)).round(9))
    3.0
    """
    graphs = _checked(adjacency)
    d = graphs.shape[-1]
    parents = graphs.reshape(-1, d, d).transpose(0, 2, 1) @ (np.int64(1) << np.arange(d))  # (n, d) masks
    different, which = np.unique(parents, axis=0, return_inverse=True)
    counts = _count_all(different, most_sets)[which.ravel()]
    _check_counts(counts, graphs.reshape(-1, d, d), most_sets)
    return np.log(counts).reshape(graphs.shape[:-2])


def _checked(adjacency: np.ndarray) -> np.ndarray:
    graphs = np.asarray(adjacency)
    if graphs.ndim not in (2, 3) or graphs.shape[-1] != graphs.shape[-2]:
        raise InvalidValue(f"adjacency must have shape (d, d) or (n, d, d); got {graphs.shape}.")
    if graphs.shape[-1] > MOST_VARIABLES:
        raise InvalidValue(
            f"adjacency must have at most {MOST_VARIABLES} variables for its orders to be counted; got "
            f"{graphs.shape[-1]}. Count connected parts of the graph one by one."
        )
    graphs = graphs.astype(bool)
    if graphs.ndim == 2:
        topological_order("adjacency", graphs)
    else:
        check_acyclic("adjacency", graphs)
    return graphs


def _check_counts(counts: np.ndarray, graphs: np.ndarray, most_sets: int) -> None:
    for i in np.flatnonzero(counts == TOO_MANY)[:1].tolist():
        raise InvalidValue(
            f"the orders of graph {i} cannot be counted with at most {most_sets:,} sets of variables in memory: it has "
            f"{int(graphs[i].sum())} edges among {graphs.shape[-1]} variables. Allow more with most_sets, 50 bytes of "
            "memory each, or use a graph with fewer variables."
        )


@kernel
def _count_all(parents, most_sets):
    """Return the number of orders of each graph, given as parents (n, d); `TOO_MANY` for those not counted."""
    n, d = parents.shape
    counts = np.empty(n)
    children = np.empty(d, np.int64)
    for graph in range(n):
        children[:] = 0
        for effect in range(d):
            for cause in range(d):
                if (parents[graph, effect] >> cause) & 1:
                    children[cause] |= 1 << effect
        kept = Dict.empty(types.int64, types.float64)
        counts[graph] = _count((1 << d) - 1, parents[graph], children, kept, most_sets)
    return counts


@kernel
def _count(members, parents, children, kept, most_sets):
    """Return the number of orders of the subgraph on some variables: those of its components, merged."""
    total = 1.0
    n_merged = 0
    while members:
        component = _component(members, parents, children)
        members ^= component
        if component in kept:
            count = kept[component]
        elif len(kept) >= most_sets:
            return TOO_MANY
        else:
            count = 0.0 if component & (component - 1) else 1.0
            choices = _ends(component, parents, children) if count == 0.0 else 0
            while choices:
                end = choices & -choices
                choices ^= end
                part = _count(component ^ end, parents, children, kept, most_sets)
                if part == TOO_MANY:
                    return TOO_MANY
                count += part
            kept[component] = count
        size = _size(component)
        n_merged += size
        total *= count * (FACTORIALS[n_merged] / (FACTORIALS[size] * FACTORIALS[n_merged - size]))
    return total


@kernel
def _component(members, parents, children):
    """Return the connected component of the lowest member, edges taken in both directions."""
    component = 0
    reached = members & -members
    while reached:
        component |= reached
        neighbours = 0
        for j in range(parents.size):
            if (reached >> j) & 1:
                neighbours |= parents[j] | children[j]
        reached = neighbours & members & ~component
    return component


@kernel
def _ends(members, parents, children):
    """Return the members without parents among them, or those without children, whichever are fewer."""
    first = last = 0
    for j in range(parents.size):
        if (members >> j) & 1:
            if parents[j] & members == 0:
                first |= 1 << j
            if children[j] & members == 0:
                last |= 1 << j
    return first if _size(first) <= _size(last) else last


@kernel
def _size(members):
    size = 0
    while members:
        members &= members - 1
        size += 1
    return size
