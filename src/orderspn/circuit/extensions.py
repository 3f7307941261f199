"""How much weight the orders that a graph follows have in a circuit: what it counts a graph for.

Within a block all orders count alike, so the number of ways to continue a graph's order through it is a sum over its
subsets; above, the weights of the circuit apply. Many blocks contradict a graph, which is seen at once, and most of the
others stand beside one that does: only what is left on ways through the whole circuit is counted.
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
    # A block that never was possible is on no way, whatever the graph.
    log_block_masses = np.where(prior.log_block_masses > -np.inf, prior.log_block_masses, np.inf)
    log_masses = np.empty(len(graphs))

    def fill(number: int) -> None:
        possible = _possible_blocks(graphs[number], before, members, starts)
        reached = _reached_regions(
            structure.partition_starts, structure.first, structure.second, structure.blocks, possible
        )
        log_counts = _log_counts(graphs[number], before, members, starts, reached[structure.blocks])
        log_values = upward_sum(structure, prior.log_weights, log_counts - log_block_masses)
        log_masses[number] = log_values[0]

    workers.run(
        [partial(fill, number) for number in range(len(graphs))], workers.steps("orders of graphs", len(graphs))
    )
    return log_masses


def _members(variables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the variables of each block (blocks, d), one after the other, and where each begins."""
    return np.nonzero(variables)[1], np.concatenate([[0], np.cumsum(variables.sum(axis=1))])


@njit(cache=True, nogil=True)
def _possible_blocks(graph, before, members, starts):
    """Whether all parents of the members of each block are in it or before it."""
    possible = np.ones(starts.size - 1, np.bool_)
    inside = np.zeros(graph.shape[0], np.bool_)
    for block in range(starts.size - 1):
        own = members[starts[block] : starts[block + 1]]
        inside[:] = before[block]
        for variable in own:
            inside[variable] = True
        for variable in own:
            for cause in range(graph.shape[0]):
                if graph[cause, variable] and not inside[cause]:
                    possible[block] = False
    return possible


@njit(cache=True, nogil=True)
def _reached_regions(partition_starts, first, second, blocks, possible):
    """Which regions are on a way from the root to possible blocks alone; regions come after all that lead to them."""
    n_regions = partition_starts.size - 1
    able = np.zeros(n_regions, np.bool_)
    able[blocks] = possible
    for region in range(n_regions - 1, -1, -1):
        for p in range(partition_starts[region], partition_starts[region + 1]):
            able[region] |= able[first[p]] & able[second[p]]
    reached = np.zeros(n_regions, np.bool_)
    reached[0] = able[0]
    for region in range(n_regions):
        if reached[region]:
            for p in range(partition_starts[region], partition_starts[region + 1]):
                if able[first[p]] and able[second[p]]:
                    reached[first[p]] = reached[second[p]] = True
    return reached


@njit(cache=True, nogil=True)
def _log_counts(graph, before, members, starts, wanted):
    """Log of the number of orders of each block that a graph follows, of those that are wanted and possible."""
    log_counts = np.full(starts.size - 1, -np.inf)
    bits = np.zeros(graph.shape[0], np.int64)
    for block in np.flatnonzero(wanted):
        own = members[starts[block] : starts[block + 1]]
        n = own.size
        needed = np.zeros(n, np.int64)
        bits[:] = 0
        for j in range(n):
            bits[own[j]] = 1 << j
        for j in range(n):
            for cause in range(graph.shape[0]):
                if graph[cause, own[j]] and not before[block, cause]:
                    needed[j] |= bits[cause]
        counts = np.zeros(1 << n)
        counts[0] = 1.0
        for subset in range(1 << n):
            if counts[subset] > 0.0:
                for j in range(n):
                    if not (subset >> j) & 1 and needed[j] & ~subset == 0:
                        counts[subset | (1 << j)] += counts[subset]
        if counts[-1] > 0.0:  # order constraints and a graph may leave no order
            log_counts[block] = np.log(counts[-1])
    return log_counts
