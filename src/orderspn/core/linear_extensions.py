"""How many orders a graph follows: its linear extensions, counted exactly.

An order of a graph begins with a variable without parents, so the orders of a graph are those of what is left
when one of these is taken away, summed over them; and ends with one without children, in the same way. What is left may
fall apart into components without edges between them: their orders multiply, times the number of ways to merge
them. At each step the side with fewer choices is taken, and what was counted once is kept. Sparse graphs fall apart
soon, so that far fewer sets of variables are met than there are beginnings of orders.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types
from numba.typed import Dict

from orderspn.core.dag import topological_order
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_BITS

MOST_VARIABLES = MOST_BITS
"""Variables that fit a mask; the number of their orders fits a double as well."""

MOST_SETS = 2_000_000
"""Sets of variables that may be kept for one graph: about 100 megabytes and a few seconds."""

FACTORIALS = np.array([math.factorial(n) for n in range(MOST_VARIABLES + 1)], dtype=np.float64)

TOO_MANY, CYCLIC = -1.0, -2.0


def log_linear_extensions(adjacency: np.ndarray, most_sets: int = MOST_SETS) -> np.ndarray:
    """Log of the number of orders that each graph follows.

    Parameters
    ----------
    adjacency : numpy.ndarray
        Shape (d, d) or (n, d, d), bool or 0 and 1, [cause, effect], without cycles; at most 62 variables.
    most_sets : int
        Sets of variables that may be kept while one graph is counted, 50 bytes each.

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
    return graphs.astype(bool)


def _check_counts(counts: np.ndarray, graphs: np.ndarray, most_sets: int) -> None:
    for i in np.flatnonzero(counts < 0.0)[:1].tolist():
        if counts[i] == CYCLIC:
            topological_order(f"adjacency[{i}]" if len(graphs) > 1 else "adjacency", graphs[i])
        raise InvalidValue(
            f"the orders of graph {i} cannot be counted with at most {most_sets:,} sets of variables kept: it has "
            f"{int(graphs[i].sum())} edges among {graphs.shape[-1]} variables and does not fall apart. Allow more "
            "with most_sets, 50 bytes of memory each, or ask about a graph with fewer variables."
        )


@njit(cache=True, nogil=True)
def _count_all(parents, most_sets):
    """Number of orders of each graph, given as parents (n, d); negative for what cannot be counted."""
    n, d = parents.shape
    counts = np.empty(n)
    children = np.empty(d, np.int64)
    for graph in range(n):
        if not _is_acyclic(parents[graph]):
            counts[graph] = CYCLIC
            continue
        children[:] = 0
        for effect in range(d):
            for cause in range(d):
                if (parents[graph, effect] >> cause) & 1:
                    children[cause] |= 1 << effect
        kept = Dict.empty(types.int64, types.float64)
        counts[graph] = _count((1 << d) - 1, parents[graph], children, kept, most_sets)
    return counts


@njit(cache=True, nogil=True)
def _is_acyclic(parents):
    placed = 0
    for _ in range(parents.size):
        for j in range(parents.size):
            if parents[j] & ~placed == 0:
                placed |= 1 << j
    return placed == (1 << parents.size) - 1


@njit(cache=True, nogil=True)
def _count(members, parents, children, kept, most_sets):
    """Number of orders of the graph among some variables: those of its components, merged."""
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


@njit(cache=True, nogil=True)
def _component(members, parents, children):
    """The members that the lowest one is connected with, in any direction."""
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


@njit(cache=True, nogil=True)
def _ends(members, parents, children):
    """The members without parents among them, or those without children, whichever are fewer."""
    first = last = 0
    for j in range(parents.size):
        if (members >> j) & 1:
            if parents[j] & members == 0:
                first |= 1 << j
            if children[j] & members == 0:
                last |= 1 << j
    return first if _size(first) <= _size(last) else last


@njit(cache=True, nogil=True)
def _size(members):
    size = 0
    while members:
        members &= members - 1
        size += 1
    return size
