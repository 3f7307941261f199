"""Edge probabilities given each block, for the edges into one variable.

Let j be a variable of a block, and U the variables of the block that come before j. The sum of `prefix x suffix` over
the U with the same candidates of j, and with the outsiders of a row, times the mass of the row is the probability of
both. Given them, a candidate k is a parent with probability `1 - mass(without k) / mass`, and the outsiders of the row
are parents.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.leaf_values import Entries
from orderspn.leaves.block_leaves import block_axes, open_gap, rows_needed
from orderspn.leaves.tables import LeafTables
from orderspn.leaves.transforms import add_along_bits, join_into, split_into
from orderspn.scores.protocol import NO_VARIABLES

NEGLIGIBLE = -120.0
"""Log probability below which a row and its candidates are skipped."""

TOO_SMALL = 1e-13
"""Probability of a row and its candidates below which no candidate is looked at: sums are rounded at that size."""


def edges_given_blocks(
    variable: int, blocks: Blocks, tables: LeafTables, log_prefix: np.ndarray, log_suffix: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the blocks that contain a variable, and the probability of each edge into it given each (blocks, d).

    Given a block of mass 0 all probabilities are 0.
    """
    family, entries = tables.families[variable], Entries.of(blocks, variable)
    shape = family.n_rows, family.n_masks
    log_mass = family.log_mass
    # Order constraints close masks without their variables, but not parent sets without them.
    without = replace(family, needs=NO_VARIABLES).log_mass if family.needs.size else log_mass
    edges = np.zeros((entries.holders.size, len(tables.families)))
    _fill_edges(
        entries.holders,
        entries.positions,
        blocks.before,
        blocks.members,
        blocks.member_starts,
        blocks.value_starts,
        tables.slots[variable],
        family.candidates,
        family.outsider_rows,
        log_mass.reshape(shape),
        without.reshape(shape),
        log_prefix,
        log_suffix,
        edges,
    )
    return entries.holders, np.minimum(edges, 1.0)


@kernel
def _fill_edges(
    holders,
    positions,
    before,
    members,
    member_starts,
    value_starts,
    slots,
    candidates,
    outsiders,
    log_mass,
    without,
    log_prefix,
    log_suffix,
    edges,
):
    for entry in range(holders.size):
        block, position = holders[entry], positions[entry]
        prefix = log_prefix[value_starts[block] : value_starts[block + 1]]
        suffix = log_suffix[value_starts[block] : value_starts[block + 1]]
        full = prefix.size - 1
        if not prefix[full] > -np.inf:
            continue
        own = members[member_starts[block] : member_starts[block + 1]]
        base, by_candidate, by_outsider, masks = block_axes(own, position, before[block], slots)
        needs = rows_needed(own, position, before[block], slots, outsiders)
        size = by_outsider.size
        log_ratio = np.empty(size)
        mantissa = np.empty(size)
        exponent = np.empty(size, np.int32)
        open_gap(by_candidate, position)
        open_gap(by_outsider, position)
        for c in range(by_candidate.size):
            for o in range(size):
                subset = by_candidate[c] + by_outsider[o]
                rest = full ^ subset ^ (1 << position)
                log_ratio[o] = prefix[subset] + suffix[rest] - prefix[full]
            split_into(log_ratio, mantissa, exponent)
            add_along_bits(mantissa, exponent, size, False)
            join_into(mantissa, exponent)
            mask = base + masks[c]
            for row in range(needs.size):
                if needs[row] >= 0:
                    log_weight = mantissa[needs[row]] + log_mass[row, mask]
                    if log_weight > NEGLIGIBLE:
                        weight = np.exp(log_weight)
                        if row > 0:
                            _add_outsiders(outsiders[row - 1], weight, edges[entry])
                        if weight > TOO_SMALL:
                            _add_candidates(mask, candidates, log_mass[row], without[row], weight, edges[entry])


@kernel
def _add_outsiders(outsiders, weight, edges):
    for variable in outsiders:
        if variable >= 0:
            edges[variable] += weight


@kernel
def _add_candidates(mask, candidates, log_mass, without, weight, edges):
    for bit in range(candidates.size):
        if (mask >> bit) & 1:
            edges[candidates[bit]] += weight * (1.0 - np.exp(without[mask ^ (1 << bit)] - log_mass[mask]))
