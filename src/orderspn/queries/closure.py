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
    """Visit variables with effects before causes: a cause reaches its effects and all that they reach."""
    n, d, _ = graphs.shape
    waiting = np.empty(d, np.int64)  # effects that are not visited yet
    queue = np.empty(d, np.int64)
    for g in range(n):
        last = 0
        for v in range(d):
            waiting[v] = 0
            for effect in range(d):
                waiting[v] += graphs[g, v, effect]
            if waiting[v] == 0:
                queue[last] = v
                last += 1
        first = 0
        while first < last:
            v = queue[first]
            first += 1
            for cause in range(d):
                if not graphs[g, cause, v]:
                    continue
                reached[g, cause, v] = True
                for further in range(d):
                    reached[g, cause, further] |= reached[g, v, further]
                waiting[cause] -= 1
                if waiting[cause] == 0:
                    queue[last] = cause
                    last += 1
