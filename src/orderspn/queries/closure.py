"""Which variables can be reached from which, in many graphs at once."""

from __future__ import annotations

import numpy as np

from orderspn.kernels.kernel import kernel


def reachability(graphs: np.ndarray) -> np.ndarray:
    """Return whether there is a directed path from one variable to another in each DAG, shape (n, d, d), bool.

    No variable is reached from itself.

    Parameters
    ----------
    graphs : numpy.ndarray
        Shape (n, d, d), bool, [cause, effect], without cycles.

    Examples
    --------
    >>> import numpy as np
    >>> chain = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]], dtype=bool)
    >>> reachability(chain)[0].astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    reached = np.zeros(graphs.shape, dtype=np.bool_)
    _reach(np.ascontiguousarray(graphs, dtype=np.bool_), reached)
    return reached


@kernel
def _reach(graphs, reached):
    """A cause reaches its effects and all that they reach."""
    n, d, _ = graphs.shape
    order = np.empty(d, np.int64)
    for g in range(n):
        put_effects_first(graphs[g], order)
        for v in order:
            for cause in range(d):
                if graphs[g, cause, v]:
                    reached[g, cause, v] = True
                    for further in range(d):
                        reached[g, cause, further] |= reached[g, v, further]


@kernel
def put_effects_first(graph, order):
    """Write the variables of a DAG, [cause, effect] not 0, such that effects come before their causes."""
    d = len(graph)
    waiting = np.zeros(d, np.int64)  # effects that have no place yet
    last = 0
    for v in range(d):
        for effect in range(d):
            waiting[v] += graph[v, effect] != 0
        if waiting[v] == 0:
            order[last] = v
            last += 1
    for first in range(d):
        for cause in range(d):
            if graph[cause, order[first]] != 0:
                waiting[cause] -= 1
                if waiting[cause] == 0:
                    order[last] = cause
                    last += 1
