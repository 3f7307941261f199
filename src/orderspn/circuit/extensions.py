"""How much weight the orders that a graph follows have in a circuit: what it counts a graph for.

Within a block all orders count alike, so the number of ways to continue a graph's order through it is a sum over its
subsets; above, the weights of the circuit apply. Most blocks contradict a graph, which is seen at once.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit

from orderspn.circuit.passes import upward_sum
from orderspn.circuit.prior import Prior
from orderspn.core.workers import Workers


def log_order_masses(prior: Prior, graphs: np.ndarray, workers: Workers) -> np.ndarray:
    """Log probability of each DAG (n, d, d) less its log score, up to a constant; -inf where it is not covered."""
    structure = prior.structure
    before = structure.before[structure.blocks]
    members, starts = _members(structure.variables[structure.blocks])
    log_masses = np.empty(len(graphs))

    def fill(number: int) -> None:
        log_counts = _log_counts(graphs[number], before, members, starts)
        log_values = upward_sum(structure, prior.log_weights, log_counts - prior.log_block_masses)
        log_masses[number] = log_values[0]

    workers.run(
        [partial(fill, number) for number in range(len(graphs))], workers.steps("orders of graphs", len(graphs))
    )
    return log_masses


def _members(variables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the variables of each block (blocks, d), one after the other, and where each begins."""
    return np.nonzero(variables)[1], np.concatenate([[0], np.cumsum(variables.sum(axis=1))])


@njit(cache=True, nogil=True)
def _log_counts(graph, before, members, starts):
    """Log of the number of orders of each block that a graph follows."""
    log_counts = np.full(starts.size - 1, -np.inf)
    bits = np.zeros(graph.shape[0], np.int64)
    for block in range(starts.size - 1):
        own = members[starts[block] : starts[block + 1]]
        n = own.size
        needed = np.zeros(n, np.int64)
        bits[:] = 0
        for j in range(n):
            bits[own[j]] = 1 << j
        possible = True
        for j in range(n):
            for cause in range(graph.shape[0]):
                if graph[cause, own[j]] and not before[block, cause]:
                    needed[j] |= bits[cause]
                    possible = possible and bits[cause] > 0
        if possible:
            counts = np.zeros(1 << n)
            counts[0] = 1.0
            for subset in range(1 << n):
                if counts[subset] > 0.0:
                    for j in range(n):
                        if not (subset >> j) & 1 and needed[j] & ~subset == 0:
                            counts[subset | (1 << j)] += counts[subset]
            log_counts[block] = np.log(counts[-1])
    return log_counts
