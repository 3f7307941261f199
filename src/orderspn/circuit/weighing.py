"""A structure with its weights as a distribution over orders: its blocks are summed, and its partitions weighed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.passes import upward_sum
from orderspn.circuit.structure import Structure
from orderspn.circuit.weighted_circuit import NO_PATHS, WeightedCircuit
from orderspn.circuit.weights import WEIGHTS
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.leaf_values import leaf_values
from orderspn.lattice.passes import log_prefix_sums
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables


def weigh_circuit(
    structure: Structure,
    families: Sequence[Family],
    weights: str | np.ndarray,
    workers: Workers,
    paths: np.ndarray = NO_PATHS,
) -> CircuitOrders:
    """Give a structure its weights, by a rule or as they are; `paths` are those of the draws behind the weights."""
    tables = LeafTables.of(families, workers)
    blocks = Blocks.of(tables, structure.before[structure.blocks], structure.variables[structure.blocks])
    log_leaves = leaf_values(tables, blocks, "log_mass", workers, "parents")
    log_prefix = log_prefix_sums(blocks, log_leaves, workers, "blocks")
    log_masses = blocks.totals(log_prefix)
    log_weights = WEIGHTS[weights](structure, log_masses) if isinstance(weights, str) else weights
    log_covered = upward_sum(structure, np.zeros(structure.n_partitions), log_masses)[0]
    circuit = WeightedCircuit(structure, log_weights, log_masses, float(log_covered), paths)
    return CircuitOrders(circuit, tuple(families), workers, leaves=log_leaves, prefix=log_prefix)


def leaf_entries(block_sizes: Sequence[int]) -> int:
    """Entries of leaf tables that blocks have of their own: one for each variable and set of others before it."""
    return sum(n << (n - 1) for n in block_sizes)
