"""A circuit before evidence: structure, weights, and the masses that normalise its blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orderspn.circuit.structure import Structure


@dataclass(frozen=True, eq=False)
class WeightedCircuit:
    """A circuit before evidence.

    Attributes
    ----------
    structure : Structure
    log_weights : numpy.ndarray
        Shape (partitions,): log weights of the sum nodes.
    log_block_masses : numpy.ndarray
        Shape (blocks,): log masses that normalise the blocks.
    log_covered : float
        Log of the summed scores of all covered (order, graph) pairs.
    """

    structure: Structure
    log_weights: np.ndarray
    log_block_masses: np.ndarray
    log_covered: float
