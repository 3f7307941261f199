"""Blocks: the variables that are ordered, those that come before them, and the indices of their leaf values.

A block `(S_1, S_2)` holds all orders of S_2 after S_1. Its lattice has a node for each subset U of S_2, a mask whose
bit b is the b-th variable, and an edge U -> U + j for each j not in U. The value of the edge is the leaf value of j
with the predecessors S_1 and U. It is at `offsets[j] + sum of strides[j, b] for b in U` in the flat array of leaf
tables. The offset contains S_1; j itself and variables that are no candidates of j have stride 0. If families have
outsiders, the value depends on all of U. Then each block has its own tables, with 2**(n-1) values for each variable, in
which every other variable has a stride.

Many blocks share the same flat arrays, so that one kernel call handles thousands of small blocks. A large block is
divided among threads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.masks import check_ordered
from orderspn.kernels.kernel import kernel
from orderspn.leaves.tables import LeafTables


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks in flat arrays: the entries of block b are between `starts[b]` and `starts[b + 1]`."""

    before: np.ndarray  # (blocks, d) bool: S_1
    members: np.ndarray  # variables of S_2, ascending within a block
    member_starts: np.ndarray  # (blocks + 1,)
    offsets: np.ndarray  # as members
    strides: np.ndarray  # n * n per block
    stride_starts: np.ndarray  # (blocks + 1,)
    value_starts: np.ndarray  # (blocks + 1,): 2**n lattice nodes per block

    @classmethod
    def of(cls, tables: LeafTables, before: np.ndarray, variables: np.ndarray) -> Blocks:
        """Lay out blocks given as boolean rows (blocks, d) of S_1 and of S_2."""
        sizes = variables.sum(axis=1).astype(np.int64)
        _check(tables, before, variables, sizes)
        members = np.nonzero(variables)[1].astype(np.int64)
        member_starts, stride_starts = _starts(sizes), _starts(sizes * sizes)
        strides = np.zeros(stride_starts[-1], dtype=np.int64)
        if tables.shared:
            offsets = np.empty(members.size, dtype=np.int64)
            _lay_out(before, members, member_starts, stride_starts, tables.starts, tables.slots, offsets, strides)
        else:
            offsets = _own_offsets(sizes)
            _lay_out_own(member_starts, stride_starts, strides)
        return cls(before, members, member_starts, offsets, strides, stride_starts, _starts(np.int64(1) << sizes))

    @property
    def count(self) -> int:
        """Number of blocks."""
        return int(self.member_starts.size - 1)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of variables of each block, shape (blocks,)."""
        return np.diff(self.member_starts)

    @cached_property
    def owner(self) -> np.ndarray:
        """The block of each entry of `members`."""
        return np.repeat(np.arange(self.count), self.sizes)

    def reversed(self) -> Blocks:
        """Return the layout whose masks are the variables still to come instead of those already placed.

        It turns the upward pass into the downward pass: the index for "all but X before j" is the index for all
        variables minus the strides of X.
        """
        totals = np.empty_like(self.offsets)
        _sum_strides(self.strides, self.member_starts, self.stride_starts, totals)
        return Blocks(
            self.before,
            self.members,
            self.member_starts,
            self.offsets + totals,
            -self.strides,
            self.stride_starts,
            self.value_starts,
        )

    def geometry(self, block: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the members (n,), offsets (n,) and strides (n, n) of one block."""
        own = slice(self.member_starts[block], self.member_starts[block + 1])
        n = int(self.sizes[block])
        strides = self.strides[self.stride_starts[block] : self.stride_starts[block + 1]]
        return self.members[own], self.offsets[own], strides.reshape(n, n)

    def values(self, flat: np.ndarray, block: int) -> np.ndarray:
        """Return the values at the lattice nodes of one block."""
        return flat[self.value_starts[block] : self.value_starts[block + 1]]

    def totals(self, flat: np.ndarray) -> np.ndarray:
        """Return the value at the last lattice node of each block, that of all its variables, shape (blocks,)."""
        return flat[self.value_starts[1:] - 1]

    def own_leaves(self, log_leaves: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Return the leaf tables of the chosen blocks (boolean) one after the other, if blocks have their own."""
        first = self.offsets[self.member_starts[:-1]]
        last = first + (self.sizes << (self.sizes - 1))
        tables = [log_leaves[first[block] : last[block]] for block in np.flatnonzero(chosen).tolist()]
        return np.concatenate(tables) if tables else np.empty(0)

    def in_line(self) -> Blocks:
        """Return the same blocks with their own leaf tables one after the other, as `own_leaves` has them."""
        return replace(self, offsets=_own_offsets(self.sizes))

    def take(self, chosen: np.ndarray) -> Blocks:
        """Return the chosen blocks (boolean), which read the same leaf values."""
        sizes = self.sizes[chosen]
        entries = np.repeat(chosen, self.sizes)
        return Blocks(
            self.before[chosen],
            self.members[entries],
            _starts(sizes),
            self.offsets[entries],
            self.strides[np.repeat(chosen, self.sizes**2)],
            _starts(sizes * sizes),
            _starts(np.int64(1) << sizes),
        )


def _check(tables: LeafTables, before: np.ndarray, variables: np.ndarray, sizes: np.ndarray) -> None:
    """Raise an error for blocks with too many variables, or that are not sets of the variables of the tables."""
    check_ordered(int(sizes.max(initial=0)))
    d = len(tables.families)
    if before.shape != variables.shape or before.shape[1:] != (d,) or before.dtype != bool or variables.dtype != bool:
        raise InvalidValue(
            f"blocks must be boolean rows over {d} variables, for what comes before and for what is ordered; got "
            f"{before.dtype} of shape {before.shape} and {variables.dtype} of shape {variables.shape}."
        )
    if not sizes.all() or (before & variables).any():
        raise InvalidValue("every block must order a variable, and none that comes before it.")


def _own_offsets(sizes: np.ndarray) -> np.ndarray:
    """Return where the table of each variable of each block begins, if blocks have their own."""
    return _starts(np.repeat(np.int64(1) << (sizes - 1), sizes))[:-1]


def _starts(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


@kernel
def _lay_out(before, members, member_starts, stride_starts, table_starts, slots, offsets, strides):
    for block in range(member_starts.size - 1):
        first, last = member_starts[block], member_starts[block + 1]
        n = last - first
        for j in range(n):
            child = members[first + j]
            offset = table_starts[child]
            for v in range(slots.shape[0]):
                if before[block, v] and slots[child, v] >= 0:
                    offset += 1 << slots[child, v]
            offsets[first + j] = offset
            for b in range(n):
                slot = slots[child, members[first + b]]
                if slot >= 0:
                    strides[stride_starts[block] + j * n + b] = 1 << slot


@kernel
def _lay_out_own(member_starts, stride_starts, strides):
    for block in range(member_starts.size - 1):
        n = member_starts[block + 1] - member_starts[block]
        for j in range(n):
            for b in range(n):
                if b != j:
                    strides[stride_starts[block] + j * n + b] = 1 << (b - (b > j))


@kernel
def _sum_strides(strides, member_starts, stride_starts, totals):
    for block in range(member_starts.size - 1):
        first = member_starts[block]
        n = member_starts[block + 1] - first
        for j in range(n):
            total = 0
            for b in range(n):
                total += strides[stride_starts[block] + j * n + b]
            totals[first + j] = total
