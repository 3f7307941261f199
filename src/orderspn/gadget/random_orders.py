"""A random order of a DAG: the next variable is drawn uniformly among the *free* ones, whose parents are all placed."""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel


@kernel
def draw_order(dag, rng, order):
    """Fill in a random order of a DAG."""
    n = order.size
    waiting, free = np.empty(n, np.int64), np.empty(n, np.int64)
    n_free = 0
    for j in range(n):
        waiting[j] = dag.n_parents[j]
        if waiting[j] == 0:
            free[n_free] = j
            n_free += 1
    for position in range(n):
        which = int(rng.random() * n_free)
        chosen = free[which]
        order[position] = chosen
        n_free -= 1
        free[which] = free[n_free]
        for j in range(n):
            for i in range(dag.n_parents[j]):
                if dag.parents[j, i] == chosen:
                    waiting[j] -= 1
                    if waiting[j] == 0:
                        free[n_free] = j
                        n_free += 1


@kernel
def log_order_probability(dag, place, freed):
    """Return the log probability of drawing an order, given as places of variables; `freed` (n,) is overwritten."""
    freed[:] = 0
    for j in range(place.size):
        first = 0
        for i in range(dag.n_parents[j]):
            first = max(first, place[dag.parents[j, i]] + 1)
        freed[first] += 1
    n_free = 0
    log_probability = 0.0
    for position in range(place.size):
        n_free += freed[position]
        log_probability -= math.log(n_free)
        n_free -= 1
    return log_probability
