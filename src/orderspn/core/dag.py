"""Directed graphs without cycles: an order that a graph follows, or the cycle that forbids one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.core.errors import InvalidValue


def topological_order(name: str, adjacency: np.ndarray, variables: Sequence[str] | None = None) -> np.ndarray:
    """Variables with causes before effects, shape (d,); a cycle is an error that shows it.

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
        cycle = _cycle_among(adjacency, waiting > 0)
        shown = " -> ".join(str(v) if variables is None else variables[v] for v in cycle)
        raise InvalidValue(f"{name} must be a directed graph without cycles; got the cycle {shown}.")
    return np.array(order, dtype=np.int64)


def _cycle_among(adjacency: np.ndarray, left: np.ndarray) -> list[int]:
    """A cycle through variables of which each has a cause among themselves, first and last the same."""
    path = [int(np.flatnonzero(left)[0])]
    while path[-1] not in path[:-1]:
        path.append(int(np.flatnonzero(adjacency[:, path[-1]] & left)[0]))
    return path[path.index(path[-1]) :][::-1]  # walked from effects to causes


def are_acyclic(graphs: np.ndarray) -> np.ndarray:
    """Whether each of the graphs (n, d, d), bool, has no cycle, shape (n,)."""
    left = np.ones(graphs.shape[:2], dtype=bool)  # (n, d): variables with a cause among those that are left
    while True:
        kept = left & (graphs & left[:, :, None]).any(axis=1)
        if (kept == left).all():
            return np.asarray(~left.any(axis=1))
        left = kept
