"""A circuit before evidence: structure, weights, and the masses that normalise its blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from orderspn.circuit.structure import Structure

NO_PATHS = np.empty((0, 0, 0), dtype=np.int64)
"""The paths of a circuit whose weights are not shares of sampled orders."""


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
    paths : numpy.ndarray
        Shape (runs, draws, cuts): the partitions that each sampled order passes through, if the weights are the shares
        of these draws; otherwise empty.
    """

    structure: Structure
    log_weights: np.ndarray
    log_block_masses: np.ndarray
    log_covered: float
    paths: np.ndarray = field(default_factory=lambda: NO_PATHS)

    @property
    def covers_all(self) -> bool:
        """Whether the circuit is a single block: it has all orders, and its answers no Monte Carlo error."""
        return self.structure.n_partitions == 0
