"""The weight of the topological orders of a graph in a circuit.

Within a block all orders have the same weight, so the topological orders of a graph are counted by a sum over subsets.
Above the blocks, the weights of the circuit apply. Many blocks contradict a graph, which is checked first, and most of
the others occur only together with such blocks. Orders are counted only in the blocks that remain.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.circuit.passes import upward_sum
from orderspn.circuit.weighted_circuit import WeightedCircuit
from orderspn.core.workers import Workers
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel


def log_order_masses(circuit: WeightedCircuit, graphs: np.ndarray, workers: Workers) -> np.ndarray:
    """Return the log probability of each DAG (n, d, d) minus its log score, up to a constant; -inf if not covered."""
    structure = circuit.structure
    before = structure.before[structure.blocks]
    members, starts = _members(structure.variables[structure.blocks])
    # A block with mass 0 has weight 0 for every graph.
    log_block_masses = np.where(circuit.log_block_masses > -np.inf, circuit.log_block_masses, np.inf)
    log_masses = np.empty(len(graphs))

    def fill(number: int) -> None:
        possible = _possible_blocks(graphs[number], before, members, starts)
        reached = _reached_regions(
            structure.partition_starts, structure.first, structure.second, structure.blocks, possible
        )
        log_counts = _log_counts(graphs[number], before, members, starts, reached[structure.blocks])
        log_values = upward_sum(structure, circuit.log_weights, log_counts - log_block_masses)
        log_masses[number] = log_values[0]

    workers.run(
        [partial(fill, number) for number in range(len(graphs))], workers.steps("orders of graphs", len(graphs))
    )
    return log_masses


def _members(variables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the variables of each block (blocks, d), concatenated, and the start of each block."""
    return np.nonzero(variables)[1], np.concatenate([[0], np.cumsum(variables.sum(axis=1))])


@kernel
def _possible_blocks(graph, before, members, starts):
    """Return whether all parents of the members of each block are in it or before it."""
    possible = np.ones(starts.size - 1, np.bool_)
    inside = np.zeros(graph.shape[0], np.bool_)
    for block in range(starts.size - 1):
        own = members[starts[block] : starts[block + 1]]
        copy_into(inside, before[block])
        for variable in own:
            inside[variable] = True
        for variable in own:
            for cause in range(graph.shape[0]):
                if graph[cause, variable] and not inside[cause]:
                    possible[block] = False
    return possible


@kernel
def _reached_regions(partition_starts, first, second, blocks, possible):
    """Return which regions occur together with possible blocks only, in a way down from the root."""
    n_regions = partition_starts.size - 1
    has_orders = np.zeros(n_regions, np.bool_)
    has_orders[blocks] = possible
    for region in range(n_regions - 1, -1, -1):
        for p in range(partition_starts[region], partition_starts[region + 1]):
            has_orders[region] |= has_orders[first[p]] & has_orders[second[p]]
    reached = np.zeros(n_regions, np.bool_)
    reached[0] = has_orders[0]
    for region in range(n_regions):
        if reached[region]:
            for p in range(partition_starts[region], partition_starts[region + 1]):
                if has_orders[first[p]] and has_orders[second[p]]:
                    reached[first[p]] = reached[second[p]] = True
    return reached


@kernel
def _log_counts(graph, before, members, starts, wanted):
    """Return the log of the number of topological orders of a graph in each wanted block; -inf in others."""
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
        if counts[-1] > 0.0:  # with order constraints there may be no order
            log_counts[block] = np.log(counts[-1])
    return log_counts
