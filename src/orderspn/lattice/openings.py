"""Sums over predecessors by what they open, for blocks with leaf tables of their own.

Let j be a variable of a block and U the variables of the block before it. A parent set of j counts if its candidates
and its outsiders are before j. So the posterior of parent sets needs, for each set of candidates of j and each row of
its family, the sum of `prefix of U x suffix of the rest / total` over the U that have exactly these candidates and open
the row. Times the leaf value a term is the probability that U precedes j, so this is `placement / tau`.

Many rows need the same variables of the block, mostly none or one. So these sums, the *openings*, are few compared with
the sets U. They do not depend on the weights of blocks or on families outside of the block, and are kept: evidence
changes only those of the blocks that it touches. Numbers are `mantissa * 2**exponent`, as in `leaves/transforms.py`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.leaf_values import Entries
from orderspn.lattice.row_classes import classes_by_outsider, spread_singly
from orderspn.leaves.block_leaves import add_number, block_axes, distinct_needs, open_gap, rows_needed
from orderspn.leaves.tables import LeafTables
from orderspn.leaves.transforms import ZERO_EXPONENT, add_supersets, share_exponent, split_into

NEGLIGIBLE = -120.0
"""Log weight below which a block is skipped."""

PIECES = 64
"""Number of tasks into which the variables of all blocks are grouped."""


@dataclass(frozen=True, eq=False)
class Openings:
    """Openings of each variable of each block, in the order of `Blocks.members`.

    Attributes
    ----------
    starts : numpy.ndarray
        Shape (entries + 1,): where those of an entry of `Blocks.members` begin.
    mantissa, exponent : numpy.ndarray
        For each set of candidates in the block, the sums for each distinct set of outsiders that rows need.
    """

    starts: np.ndarray
    mantissa: np.ndarray
    exponent: np.ndarray

    @classmethod
    def of(
        cls, blocks: Blocks, tables: LeafTables, log_prefix: np.ndarray, log_suffix: np.ndarray, workers: Workers
    ) -> Openings:
        """Sum over the predecessors of every variable in each block."""
        geometry = blocks.before, blocks.members, blocks.member_starts, blocks.owner
        families = tables.slots, tables.outsider_rows, tables.row_starts
        counts = np.empty(blocks.members.size, dtype=np.int64)
        ranges = _pieces(blocks)
        workers.run([partial(_count, first, last, *geometry, *families, counts) for first, last in ranges])
        starts = np.concatenate([[0], np.cumsum(counts)])
        mantissa, exponent = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.int32)
        sums = blocks.value_starts, log_prefix, log_suffix, starts, mantissa, exponent
        workers.run([partial(_fill, first, last, *geometry, *families, *sums) for first, last in ranges])
        return cls(starts, mantissa, exponent)

    def with_blocks(self, blocks: Blocks, chosen: np.ndarray, others: Openings) -> Openings:
        """Return the same with other openings of the chosen blocks (boolean), if they are laid out alike."""
        own = np.repeat(np.repeat(chosen, blocks.sizes), np.diff(self.starts))
        mantissa, exponent = self.mantissa.copy(), self.exponent.copy()
        mantissa[own], exponent[own] = others.mantissa, others.exponent
        return Openings(self.starts, mantissa, exponent)

    def ratios(
        self,
        variable: int,
        blocks: Blocks,
        tables: LeafTables,
        log_weights: np.ndarray,
        mantissa: np.ndarray,
        exponent: np.ndarray,
    ) -> None:
        """Add up `placement / tau` of a variable over blocks, by row and mask (rows * 2**K,), from zeros.

        Blocks are weighted by `log_weights` (blocks,).
        """
        family, entries = tables.families[variable], Entries.of(blocks, variable)
        shape = family.n_rows, family.n_masks
        # Collected by mask and then by row: a block adds to all rows of a few masks.
        sums, powers = np.zeros(shape[::-1]), np.full(shape[::-1], ZERO_EXPONENT, dtype=np.int32)
        _collect(
            entries.holders,
            entries.positions,
            blocks.before,
            blocks.members,
            blocks.member_starts,
            tables.slots[variable],
            family.outsider_rows,
            family.needs_mask,
            log_weights,
            self.starts,
            self.mantissa,
            self.exponent,
            sums,
            powers,
        )
        mantissa.reshape(shape)[:], exponent.reshape(shape)[:] = sums.T, powers.T


def _pieces(blocks: Blocks) -> list[tuple[int, int]]:
    """Divide the entries of `Blocks.members` into ranges of about equal work."""
    work = np.cumsum(np.repeat(np.int64(1) << blocks.sizes, blocks.sizes))
    if not work.size:
        return []
    ends = np.flatnonzero(np.diff((work - 1) * PIECES // work[-1])) + 1
    edges = [0, *ends.tolist(), work.size]
    return list(itertools.pairwise(edges))


@kernel
def _count(first, last, before, members, member_starts, owner, slots, outsiders, row_starts, counts):
    """Count the openings of a range of entries."""
    for entry in range(first, last):
        block, child = owner[entry], members[entry]
        own = members[member_starts[block] : member_starts[block + 1]]
        position = entry - member_starts[block]
        n_candidates = 0
        for other in own:
            if slots[child, other] >= 0:
                n_candidates += 1
        rows = outsiders[row_starts[child] : row_starts[child + 1]]
        needs = rows_needed(own, position, before[block], slots[child], rows)
        wanted, _ = distinct_needs(needs, 1 << (own.size - 1 - n_candidates))
        counts[entry] = wanted.size << n_candidates


@kernel
def _fill(
    first,
    last,
    before,
    members,
    member_starts,
    owner,
    slots,
    outsiders,
    row_starts,
    value_starts,
    log_prefix,
    log_suffix,
    starts,
    mantissa,
    exponent,
):
    """Fill the openings of a range of entries; those of an impossible block are 0."""
    seen = -1
    for entry in range(first, last):
        block, child = owner[entry], members[entry]
        own = members[member_starts[block] : member_starts[block + 1]]
        position = entry - member_starts[block]
        values = slice(value_starts[block], value_starts[block + 1])
        if block != seen:
            seen = block
            full = (1 << own.size) - 1
            prefix, prefix_exponent = np.empty(full + 1), np.empty(full + 1, np.int32)
            suffix, suffix_exponent = np.empty(full + 1), np.empty(full + 1, np.int32)
            split_into(log_prefix[values], prefix, prefix_exponent)
            split_into(log_suffix[values], suffix, suffix_exponent)
            total, power = prefix[full], prefix_exponent[full]
            scale = 1.0 / total if total > 0.0 else 0.0
        if not total > 0.0:
            for place in range(starts[entry], starts[entry + 1]):
                mantissa[place], exponent[place] = 0.0, ZERO_EXPONENT
            continue
        _, by_candidate, by_outsider, _ = block_axes(own, position, before[block], slots[child])
        rows = outsiders[row_starts[child] : row_starts[child + 1]]
        needs = rows_needed(own, position, before[block], slots[child], rows)
        size = by_outsider.size
        wanted, _ = distinct_needs(needs, size)
        numbers = classes_by_outsider(wanted, size)
        open_gap(by_candidate, position)
        open_gap(by_outsider, position)
        ratio, ratio_exponent = np.empty(size), np.empty(size, np.int32)
        place = starts[entry]
        for c in range(by_candidate.size):
            for o in range(size):
                subset = by_candidate[c] + by_outsider[o]
                rest = full - subset - (1 << position)
                ratio[o] = prefix[subset] * suffix[rest] * scale
                ratio_exponent[o] = prefix_exponent[subset] + suffix_exponent[rest] - power
                if not ratio[o] > 0.0:
                    ratio_exponent[o] = ZERO_EXPONENT
            if numbers.size > 0 and share_exponent(ratio, ratio_exponent):
                spread_singly(numbers, ratio, mantissa[place : place + wanted.size])
                exponent[place : place + wanted.size] = ratio_exponent[0]
            else:
                add_supersets(ratio, ratio_exponent)
                for number in range(wanted.size):
                    mantissa[place + number] = ratio[wanted[number]]
                    exponent[place + number] = ratio_exponent[wanted[number]]
            place += wanted.size


@kernel
def _collect(
    holders,
    positions,
    before,
    members,
    member_starts,
    slots,
    outsiders,
    needs_mask,
    log_weights,
    starts,
    opening,
    opening_exponent,
    mantissa,
    exponent,
):
    """Add the openings of one variable, by mask and row; both arrays have the shape (masks, rows).

    Predecessors without what the family needs do not count: their leaf value is 0, though parent sets among them have
    scores.
    """
    for entry in range(holders.size):
        block, position = holders[entry], positions[entry]
        if not log_weights[block] > NEGLIGIBLE:
            continue
        weight = math.exp(log_weights[block])
        own = members[member_starts[block] : member_starts[block + 1]]
        base, by_candidate, by_outsider, masks = block_axes(own, position, before[block], slots)
        needs = rows_needed(own, position, before[block], slots, outsiders)
        wanted, of_row = distinct_needs(needs, by_outsider.size)
        place = starts[member_starts[block] + position]
        for c in range(by_candidate.size):
            mask = base + masks[c]
            if mask & needs_mask == needs_mask:
                for row in range(of_row.size):
                    if of_row[row] >= 0:
                        value, power = weight * opening[place + of_row[row]], opening_exponent[place + of_row[row]]
                        add_number(mantissa[mask], exponent[mask], row, value, power)
            place += wanted.size
