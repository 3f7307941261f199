"""The structure of an OrderSPN as plain arrays.

A *region* `(S_1, S_2)` is a sum node or, at the bottom, a block: a lattice over the orders of S_2. The children of a
sum node are product nodes: *partitions* of S_2 into a first and a second part. Each has two regions below it,
`(S_1, first)` and `(S_1 + first, second)`. Regions with the same sets are one node. Region 0 is the root, and regions
are numbered in topological order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Structure:
    """Regions and partitions; the partitions of region r are `partition_starts[r] : partition_starts[r + 1]`.

    Attributes
    ----------
    before, variables : numpy.ndarray
        Shape (regions, d), bool: S_1 and S_2 of each region.
    partition_starts : numpy.ndarray
        Shape (regions + 1,); a block has no partitions.
    first, second : numpy.ndarray
        Shape (partitions,): the regions of the two parts.
    multiplicity : numpy.ndarray
        Shape (partitions,): number of times that an oracle drew each partition.
    """

    before: np.ndarray
    variables: np.ndarray
    partition_starts: np.ndarray
    first: np.ndarray
    second: np.ndarray
    multiplicity: np.ndarray

    @property
    def n_regions(self) -> int:
        """Number of sum nodes and blocks."""
        return int(self.before.shape[0])

    @property
    def n_partitions(self) -> int:
        """Number of product nodes."""
        return int(self.first.size)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of variables of each region, shape (regions,)."""
        return self.variables.sum(axis=1).astype(np.int64)

    @cached_property
    def owner(self) -> np.ndarray:
        """The region of each partition, shape (partitions,)."""
        return np.repeat(np.arange(self.n_regions), np.diff(self.partition_starts))

    @cached_property
    def blocks(self) -> np.ndarray:
        """The regions that are blocks, ascending."""
        return np.flatnonzero(np.diff(self.partition_starts) == 0)

    @cached_property
    def block_number(self) -> np.ndarray:
        """The index of each region among the blocks, or -1 for a sum node, shape (regions,)."""
        numbers = np.full(self.n_regions, -1, dtype=np.int64)
        numbers[self.blocks] = np.arange(self.blocks.size)
        return numbers
