"""Leaf values of blocks whose families have outsiders, computed from families.

Without outsiders a leaf value depends on the candidates before a variable only, and all blocks read the same table.
With outsiders it depends on all predecessors. So a block `(S_1, S_2)` of n variables has its own table for each of
them: 2**(n-1) values, one for each subset U of the other variables of S_2.

Given the candidates in U, the mass of every row is known. A row counts for those U that contain all of its outsiders
outside of S_1. So the values are sums over subsets of the non-candidates in S_2. Numbers are `mantissa * 2**exponent`,
as in `transforms`. The reverse step, in which the same sums run over supersets, is in `lattice/openings.py`.
"""

from __future__ import annotations

import numpy as np

from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.leaves.transforms import (
    NO_SHIFT_BEYOND,
    POWERS,
    ZERO_EXPONENT,
    add_along_bits,
    join_into,
    split_into,
    take_subset_maxima,
)


@kernel
def fill_leaves(holders, positions, starts, before, members, member_starts, slots, outsiders, table, best, leaves):
    """Fill the tables of one variable in each of its blocks.

    The variable is number `positions[e]` of block `holders[e]`; its table begins at `starts[e]` of `leaves`. `slots`
    (d,) are the bits of its candidates, -1 for others. `table` (rows, masks) holds log masses, or log maxima if `best`.
    """
    for entry in range(holders.size):
        block = holders[entry]
        own = members[member_starts[block] : member_starts[block + 1]]
        base, by_candidate, by_outsider, masks = block_axes(own, positions[entry], before[block], slots)
        needs = rows_needed(own, positions[entry], before[block], slots, outsiders)
        size = by_outsider.size
        values = np.empty(size)
        mantissa = np.empty(size)
        exponent = np.empty(size, np.int32)
        row_value, row_mantissa, row_exponent = np.empty(1), np.empty(1), np.empty(1, np.int32)
        for c in range(by_candidate.size):
            mask = base + masks[c]
            values[:] = -np.inf
            mantissa[:] = 0.0
            exponent[:] = ZERO_EXPONENT
            for row in range(needs.size):
                if needs[row] < 0:
                    continue
                row_value[0] = table[row, mask]
                if best:
                    values[needs[row]] = max(values[needs[row]], row_value[0])
                else:
                    split_into(row_value, row_mantissa, row_exponent)
                    add_number(mantissa, exponent, needs[row], row_mantissa[0], row_exponent[0])
            if best:
                take_subset_maxima(values, size)
            else:
                add_along_bits(mantissa, exponent, size, True)
                join_into(mantissa, exponent)
                copy_into(values, mantissa)
            for o in range(size):
                leaves[starts[entry] + by_candidate[c] + by_outsider[o]] = values[o]


@kernel
def open_gap(indices, position):
    """Turn sets of the other variables of a block, without a bit for the variable itself, into masks of the block."""
    below = (1 << position) - 1
    for i in range(indices.size):
        indices[i] = (indices[i] & below) | ((indices[i] & ~below) << 1)


@kernel
def block_axes(own, position, before, slots):
    """Return how subsets of the other variables of a block are composed of candidates and non-candidates.

    The results are the mask of the candidates in S_1; the index of each subset of the candidates in S_2 in the table of
    the block, with its mask; and the index of each subset of the non-candidates. An index has one bit for each of the
    other variables of the block.
    """
    n_candidates = 0
    for b in range(own.size):
        if b != position and slots[own[b]] >= 0:
            n_candidates += 1
    by_candidate = np.zeros(1 << n_candidates, np.int64)
    masks = np.zeros(1 << n_candidates, np.int64)
    by_outsider = np.zeros(1 << (own.size - 1 - n_candidates), np.int64)
    filled_candidates, filled_outsiders = 1, 1
    for b in range(own.size):
        if b == position:
            continue
        place = 1 << (b - (b > position))
        slot = slots[own[b]]
        if slot >= 0:
            for c in range(filled_candidates):
                by_candidate[filled_candidates + c] = by_candidate[c] + place
                masks[filled_candidates + c] = masks[c] + (1 << slot)
            filled_candidates *= 2
        else:
            for o in range(filled_outsiders):
                by_outsider[filled_outsiders + o] = by_outsider[o] + place
            filled_outsiders *= 2
    base = 0
    for v in range(before.size):
        if before[v] and slots[v] >= 0:
            base += 1 << slots[v]
    return base, by_candidate, by_outsider, masks


@kernel
def rows_needed(own, position, before, slots, outsiders):
    """Return the smallest subset of the non-candidates of the block that opens each row (0: always open, -1: never)."""
    bit_of = np.full(before.size, -1, np.int64)
    bit = 0
    for b in range(own.size):
        if b != position and slots[own[b]] < 0:
            bit_of[own[b]] = 1 << bit
            bit += 1
    needs = np.zeros(outsiders.shape[0] + 1, np.int64)
    for row in range(outsiders.shape[0]):
        for k in range(outsiders.shape[1]):
            variable = outsiders[row, k]
            if variable < 0 or before[variable]:
                continue
            if bit_of[variable] < 0:
                needs[row + 1] = -1
                break
            needs[row + 1] |= bit_of[variable]
    return needs


@kernel
def distinct_needs(needs, size):
    """Return the distinct sets of outsiders that rows need, as they first appear, and the number of that of each row.

    A row that is never open has the number -1. Sets are below `size`.
    """
    number = np.full(size, -1, np.int64)
    wanted = np.empty(needs.size, np.int64)
    of_row = np.full(needs.size, -1, np.int64)
    n_wanted = 0
    for row in range(needs.size):
        if needs[row] >= 0:
            if number[needs[row]] < 0:
                number[needs[row]] = n_wanted
                wanted[n_wanted] = needs[row]
                n_wanted += 1
            of_row[row] = number[needs[row]]
    return wanted[:n_wanted], of_row


@kernel
def add_number(mantissa, exponent, place, value, power):
    """Add `value * 2**power` to one number."""
    top = max(exponent[place], power)
    mantissa[place] = (
        mantissa[place] * POWERS[min(top - exponent[place], NO_SHIFT_BEYOND)]
        + value * POWERS[min(top - power, NO_SHIFT_BEYOND)]
    )
    exponent[place] = top
