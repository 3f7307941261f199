"""The size of a circuit, counted as in the paper."""

from __future__ import annotations

import math

import numpy as np

from orderspn.circuit.passes import upward_sum
from orderspn.circuit.structure import Structure
from orderspn.lattice.coverage import Size


def measure(structure: Structure) -> Size:
    """Count the nodes, edges and orders of a circuit."""
    unfolded = _unfolded_nodes(structure)
    log_factorials = np.array([math.lgamma(n + 1) for n in structure.sizes[structure.blocks].tolist()])
    log_orders = upward_sum(structure, np.zeros(structure.n_partitions), log_factorials)
    return Size(
        nodes=structure.n_regions + structure.n_partitions,
        edges=3 * structure.n_partitions,
        unfolded_nodes=unfolded,
        unfolded_edges=unfolded - 1.0,
        blocks=int(structure.blocks.size),
        log_number_of_orders=float(log_orders[0]),
    )


def _unfolded_nodes(structure: Structure) -> float:
    counts = np.ones(structure.n_regions)
    starts, first, second = structure.partition_starts, structure.first, structure.second
    for region in range(structure.n_regions - 1, -1, -1):
        own = slice(starts[region], starts[region + 1])
        counts[region] += (1.0 + counts[first[own]] + counts[second[own]]).sum()
    return float(counts[0])
