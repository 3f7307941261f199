"""Random orders of DAGs, variable by variable: the next is any of those whose parents are all placed, alike."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def random_extensions(adjacency, rng):
    """An order of each DAG (m, n, n), [cause, effect]; shape (m, n), first to last."""
    count, n, _ = adjacency.shape
    orders = np.empty((count, n), np.int64)
    waiting, free = np.empty(n, np.int64), np.empty(n, np.int64)
    for which in range(count):
        n_free = 0
        for j in range(n):
            waiting[j] = adjacency[which, :, j].sum()
            if waiting[j] == 0:
                free[n_free] = j
                n_free += 1
        for place in range(n):
            chosen = int(rng.random() * n_free)
            variable = free[chosen]
            orders[which, place] = variable
            n_free -= 1
            free[chosen] = free[n_free]
            for j in range(n):
                if adjacency[which, variable, j]:
                    waiting[j] -= 1
                    if waiting[j] == 0:
                        free[n_free] = j
                        n_free += 1
    return orders
