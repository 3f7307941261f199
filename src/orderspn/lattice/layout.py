"""Where a block finds its leaf values: the geometry that all passes over a lattice share.

A block `(S_1, S_2)` holds all orders of S_2 when S_1 comes before. Its lattice has a node for each subset U of
S_2 (a mask: bit b is `variables[b]`) and an edge U -> U + j, worth the leaf value of j when exactly S_1 and U
come before it. The leaf tables of the variables of S_2 lie one after the other in one flat array, and the
entry of j for U is at `offsets[j] + sum of strides[j, b] for b in U`: S_1 is in the offset, variables that are
no candidates of j have stride 0, and so has j itself.

Sums over U are taken from tables for its lowest eight bits and once for each row of subsets that share the
others, so that an edge of the lattice costs two lookups: the leaf value and the node below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orderspn.leaves.family import Family

ROW_BITS = 8
"""Subsets that differ in their lowest bits only form a row; its tables fit the nearest cache."""

SPLIT_BITS = 6
"""Bits that divide a large lattice into pieces of work for threads."""

SMALLEST_TO_SPLIT = 15
"""Variables from which on threads pay."""


@dataclass(frozen=True, eq=False)
class RowTables:
    """What is the same in every row: for each pattern of the low bits its members and its part of the index."""

    bits: int
    members: np.ndarray  # (2**bits, bits) set bits of the pattern, ascending
    count: np.ndarray  # (2**bits,) number of set bits
    index: np.ndarray  # (n, 2**bits) sum of the strides of the set bits


@dataclass(frozen=True, eq=False)
class BlockLayout:
    """Positions of the leaf values of a block in a flat array of tables."""

    variables: np.ndarray  # (n,) S_2, ascending
    before: np.ndarray  # S_1, ascending
    table_starts: np.ndarray  # (n + 1,) where the table of each variable begins in the flat array
    offsets: np.ndarray  # (n,)
    strides: np.ndarray  # (n, n)

    @classmethod
    def of(cls, families: Sequence[Family], before: np.ndarray, variables: np.ndarray) -> BlockLayout:
        """Lay out the block `(before, variables)` over the tables of all families, indexed by variable."""
        n = variables.size
        sizes = [families[v].log_score.size for v in variables]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        strides = np.zeros((n, n), dtype=np.int64)
        offsets = starts[:-1].copy()
        for j, variable in enumerate(variables):
            family = families[variable]
            offsets[j] += family.mask_of(before)
            for bit, candidate in enumerate(family.candidates):
                strides[j, variables == candidate] = 1 << bit
        return cls(variables, before, starts, offsets, strides)

    @property
    def n(self) -> int:
        """Number of variables that are ordered."""
        return int(self.variables.size)

    @property
    def full(self) -> int:
        """The mask of all variables of the block."""
        return (1 << self.n) - 1

    def reversed(self) -> BlockLayout:
        """The layout whose masks are the variables still to come, not those already placed.

        With it the upward pass becomes the downward pass: the entry for "all but X before j" is that for
        everything, less the strides of X.
        """
        return BlockLayout(
            self.variables,
            self.before,
            self.table_starts,
            self.offsets + self.strides.sum(axis=1),
            -self.strides,
        )

    @cached_property
    def row_tables(self) -> RowTables:
        """Tables for the lowest bits of a mask."""
        bits = min(self.n, ROW_BITS)
        members = np.zeros((1 << bits, bits), dtype=np.int64)
        count = np.zeros(1 << bits, dtype=np.int64)
        index = np.zeros((self.n, 1 << bits), dtype=np.int64)
        for pattern in range(1 << bits):
            present = [b for b in range(bits) if pattern >> b & 1]
            members[pattern, : len(present)] = present
            count[pattern] = len(present)
            index[:, pattern] = self.strides[:, present].sum(axis=1)
        return RowTables(bits, members, count, index)

    @cached_property
    def stages(self) -> list[list[tuple[int, int]]]:
        """Ranges of rows in an order that a pass may fill them in: those of one stage are independent.

        The highest bits number the ranges; a range needs only ranges whose highest bits are a subset of its
        own, hence fewer: stage s holds those with s bits set.
        """
        n_rows = 1 << (self.n - self.row_tables.bits)
        if self.n < SMALLEST_TO_SPLIT:
            return [[(0, n_rows)]]
        length = n_rows >> SPLIT_BITS
        stages: list[list[tuple[int, int]]] = [[] for _ in range(SPLIT_BITS + 1)]
        for top in range(1 << SPLIT_BITS):
            stages[top.bit_count()].append((top * length, (top + 1) * length))
        return stages
