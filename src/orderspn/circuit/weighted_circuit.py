"""A circuit before evidence: structure, weights, and the masses that normalise its blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb

import numpy as np

from orderspn.circuit.structure import Structure
from orderspn.circuit.weights import elbo_weights

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

    @cached_property
    def covers_all(self) -> bool:
        """Whether every sum node has all its partitions, weighted by mass: answers have no Monte Carlo error."""
        structure = self.structure
        splits = np.flatnonzero(np.diff(structure.partition_starts))
        starts = structure.partition_starts
        for region in splits.tolist():
            n, first = int(structure.sizes[region]), int(structure.sizes[structure.first[starts[region]]])
            if starts[region + 1] - starts[region] < comb(n, first):
                return False
        return np.allclose(np.exp(self.log_weights), np.exp(elbo_weights(structure, self.log_block_masses)), atol=1e-9)
