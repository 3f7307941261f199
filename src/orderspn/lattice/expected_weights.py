"""Expected weights of all variables on one, given its predecessors in a block, for the computation of effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from orderspn.core.room import Room
from orderspn.core.workers import Workers
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.leaves.block_leaves import block_axes, rows_needed
from orderspn.leaves.context import root_block
from orderspn.leaves.explained_parts import ExplainedParts
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.leaves.transforms import (
    NO_SHIFT_BEYOND,
    POWERS,
    ZERO_EXPONENT,
    add_subset_rows,
    rows_share_exponent,
    split_into,
)

MeanWeights = Callable[[Family], np.ndarray]
"""Maps a family to the mean weights of candidates, then outsiders, given each parent set (rows * 2**K, K + width)."""


class BlockWeights(NamedTuple):
    """Expected weights of one block.

    A row has the expected weight of every source on the variable whose leaf table an entry belongs to, given the
    predecessors of the entry; it is 0 for variables that do not precede it.
    """

    rows: np.ndarray  # (entries, sources)
    first_entry: int  # the entry of the leaf values that the first row belongs to
    sources: np.ndarray  # variables, ascending


@dataclass(frozen=True, eq=False)
class ExpectedWeights:
    """Expected weights given predecessors: averages of the mean weights given parent sets.

    Attributes
    ----------
    tables, blocks, log_leaves
        Families, their blocks, and the leaf values of the blocks.
    weights : MeanWeights
    workers : Workers
    columns : mapping of int to numpy.ndarray, optional
        The variables of the columns of the mean weights of each family (default: its candidates). Only for families
        without outsiders.
    """

    tables: LeafTables
    blocks: Blocks
    log_leaves: np.ndarray
    weights: MeanWeights
    workers: Workers
    columns: Mapping[int, np.ndarray] | None = None

    def of_block(self, block: int, room: Room) -> BlockWeights:
        """Return the expected weights of a block, in an array of the room if blocks have their own tables."""
        if self.tables.shared:
            return BlockWeights(self._shared_rows, 0, np.arange(len(self.tables.families)))
        members, offsets, _ = self.blocks.geometry(block)
        sources = self._sources(block)
        column = np.full(len(self.tables.families), -1, dtype=np.int64)
        column[sources] = np.arange(sources.size)
        shape = members.size << (members.size - 1), sources.size
        rows = room.array("expected weights", shape)
        for position, variable in enumerate(members.tolist()):
            family = self.tables.families[variable]
            _mix_rows(
                rows[offsets[position] - offsets[0] :],
                members,
                position,
                self.blocks.before[block],
                self.tables.slots[variable],
                column[family.candidates],
                column,
                family.outsider_rows,
                self.masses[self.tables.starts[variable] : self.tables.starts[variable + 1]],
                self.powers[self.tables.starts[variable] : self.tables.starts[variable + 1]],
                self.by_row[self.starts[variable] : self.starts[variable + 1]].reshape(-1, self.widths[variable]),
            )
        return BlockWeights(rows, int(offsets[0]), sources)

    def prepare(self) -> None:
        """Have cached what threads would otherwise compute several times."""
        _ = (
            self._shared_rows
            if self.tables.shared
            else (self._masses, self.by_row, self.tables.slots, self.tables.row_starts)
        )

    def of_single(self, blocks: np.ndarray) -> np.ndarray:
        """Return the rows of blocks of one variable, shape (blocks, d)."""
        entries = self.blocks.offsets[self.blocks.member_starts[:-1]][blocks]
        if self.tables.shared and blocks.size == self.blocks.count:  # only larger blocks need whole tables
            return self._shared(entries)
        if self.tables.shared:
            return self._shared_rows[entries]
        rows, room = np.zeros((blocks.size, len(self.tables.families))), Room()
        for number, block in enumerate(blocks.tolist()):
            own = self.of_block(block, room)
            rows[number, own.sources] = own.rows[0]
        return rows

    def _sources(self, block: int) -> np.ndarray:
        """The variables that come before a block or in it: no others have effects on it."""
        present = self.blocks.before[block].copy()
        present[self.blocks.geometry(block)[0]] = True
        return np.flatnonzero(present)

    @cached_property
    def _shared_rows(self) -> np.ndarray:
        return self._shared(None)

    def _shared(self, entries: np.ndarray | None) -> np.ndarray:
        """Return the rows of all entries of the shared tables, or of some."""
        tables, d = self.tables, len(self.tables.families)
        rows = np.zeros((tables.starts[-1] if entries is None else entries.size, d))

        def fill(v: int) -> None:
            family, first, last = tables.families[v], tables.starts[v], tables.starts[v + 1]
            expected = family.expected_weights(self.weights(family))
            columns = family.candidates if self.columns is None else self.columns[v]
            if entries is None:
                rows[first:last, columns] = expected
            else:
                own = np.flatnonzero((entries >= first) & (entries < last))
                rows[np.ix_(own, columns)] = expected[entries[own] - first]

        self.workers.run([partial(fill, v) for v in range(d)], self.workers.steps("expected weights", d))
        return rows

    @cached_property
    def masses(self) -> np.ndarray:
        """Masses of all families, flat as in `LeafTables.starts`, by mask and then by row: mantissas."""
        return self._masses[0]

    @cached_property
    def powers(self) -> np.ndarray:
        """Exponents of the masses."""
        return self._masses[1]

    @cached_property
    def _masses(self) -> tuple[np.ndarray, np.ndarray]:
        starts = self.tables.starts
        mantissa, exponent = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.int32)

        def fill(v: int) -> None:
            family, own = self.tables.families[v], slice(starts[v], starts[v + 1])
            split_into(_by_mask(family, family.log_mass).ravel(), mantissa[own], exponent[own])

        self.workers.run([partial(fill, v) for v in range(len(self.tables.families))])
        return mantissa, exponent

    @cached_property
    def by_row(self) -> np.ndarray:
        """Expected weights within each row of each family, (2**K * rows, weights) by mask, then by row; flat."""
        families = self.tables.families
        by_row = np.empty(self.starts[-1])

        def fill(v: int) -> None:
            own = by_row[self.starts[v] : self.starts[v + 1]].reshape(families[v].n_masks, families[v].n_rows, -1)
            own[:] = _by_mask(families[v], families[v].expected_weights(self.weights(families[v])))

        steps = self.workers.steps("expected weights", len(families))
        self.workers.run([partial(fill, v) for v in range(len(families))], steps)
        return by_row

    @cached_property
    def widths(self) -> np.ndarray:
        """Number of weights of each parent set of each family, shape (d,)."""
        widths = [family.candidates.size + family.outsider_rows.shape[1] for family in self.tables.families]
        return np.array(widths, dtype=np.int64)

    @cached_property
    def starts(self) -> np.ndarray:
        """Start of the expected weights of each family in `by_row`, and end of the last one, shape (d + 1,)."""
        return np.concatenate([[0], np.cumsum(np.diff(self.tables.starts) * self.widths)]).astype(np.int64)


def _by_mask(family: Family, values: np.ndarray) -> np.ndarray:
    """Return values (rows * 2**K, ...) as (2**K, rows, k): a block reads all rows of a few masks."""
    return values.reshape(family.n_rows, family.n_masks, -1).swapaxes(0, 1)


def weights_of_blocks(
    tables: LeafTables, blocks: Blocks, log_leaves: np.ndarray, weights: MeanWeights, workers: Workers
) -> tuple[ExpectedWeights, Blocks, np.ndarray]:
    """Return expected weights, and the blocks and leaf values that they belong to.

    If there are context variables, families are summed over them first: the tables of expected weights, with a number
    for every variable and set of candidates, are then as small as if there were none. With outsiders, where blocks have
    tables of their own, nothing changes.
    """
    context, explained = root_block(tables.families)
    if not context.size or not tables.shared:
        return ExpectedWeights(tables, blocks, log_leaves, weights, workers), blocks, log_leaves
    parts: dict[int, ExplainedParts] = {}

    def fill(v: int) -> None:
        parts[v] = ExplainedParts.of(tables.families[v], explained)

    workers.run([partial(fill, v) for v in explained.tolist()])
    columns = {family.child: family.candidates for family in tables.families}
    summed = LeafTables.of([f if f.is_context else parts[f.child].summed for f in tables.families], workers)
    members = np.zeros(blocks.before.shape, dtype=bool)
    members[blocks.owner, blocks.members] = True

    def means(family: Family) -> np.ndarray:
        whole = weights(tables.families[family.child])
        return whole if family.is_context else parts[family.child].means(whole)

    expected = ExpectedWeights(
        summed, Blocks.of(summed, blocks.before, members), summed.log_mass, means, workers, columns
    )
    return expected, expected.blocks, expected.log_leaves


@kernel
def _mix_rows(rows, members, position, before, slots, candidate_columns, columns, outsiders, mass, power, expected):
    """Average over the rows that each set of predecessors opens, in proportion to their masses.

    For fixed candidates, the masses of the rows and their weighted means are numbers, collected by the outsiders in the
    block that rows need; each set of outsiders has the sums over its subsets.
    """
    base, by_candidate, by_outsider, masks = block_axes(members, position, before, slots)
    needs = rows_needed(members, position, before, slots, outsiders)
    size, width = by_outsider.size, rows.shape[1]
    sums, mantissa, exponent = np.empty((size, width)), np.empty(size), np.empty(size, np.int32)
    collected = _at_most_one(needs, size)
    for c in range(by_candidate.size):
        for place in collected:
            mantissa[place], exponent[place] = 0.0, ZERO_EXPONENT
            for column in range(width):
                sums[place, column] = 0.0
        for row in range(needs.size):
            if needs[row] < 0:
                continue
            parent_set = (base + masks[c]) * needs.size + row
            _add_weighted(
                mass[parent_set],
                power[parent_set],
                expected[parent_set],
                candidate_columns,
                outsiders[row - 1] if row > 0 else outsiders[:0].ravel(),
                columns,
                needs[row],
                sums,
                mantissa,
                exponent,
            )
        _average(sums, mantissa, exponent, collected, by_candidate[c], by_outsider, rows)


@kernel
def _at_most_one(needs, size):
    """Return the sets of at most one outsider of the block; if a row needs more, all sets."""
    several = False
    for need in needs:
        several = several or (need > 0 and need & (need - 1) != 0)
    if several:
        return np.arange(size)
    n_bits = 0
    while 1 << n_bits < size:
        n_bits += 1
    collected = np.zeros(1 + n_bits, np.int64)
    for bit in range(n_bits):
        collected[1 + bit] = 1 << bit
    return collected


@kernel
def _average(sums, mantissa, exponent, collected, first, by_outsider, rows):
    """Sum over the subsets of each set of outsiders, given what was collected, and put the averages into their rows."""
    size, width = sums.shape
    if collected.size == size or not rows_share_exponent(sums, mantissa, exponent, collected):
        place = 0
        for o in range(size):
            if place < collected.size and collected[place] == o:
                place += 1
                continue
            mantissa[o], exponent[o] = 0.0, ZERO_EXPONENT
            for column in range(width):
                sums[o, column] = 0.0
        add_subset_rows(sums, mantissa, exponent, size)
        for o in range(size):
            copy_into(rows[first + by_outsider[o]], sums[o])
        return
    # Each set is one with an outsider less and that one; what was collected for single outsiders is still needed.
    single = sums[collected]
    mass = mantissa[collected]
    for o in range(size):
        bit = 0
        while o > 0 and not (o >> bit) & 1:
            bit += 1
        without = o & (o - 1) if o > 0 else 0
        if o > 0:
            mantissa[o] = mantissa[without] + mass[1 + bit]
        scale = 1.0 / mantissa[o] if mantissa[o] > 0.0 else 0.0
        target, own = rows[first + by_outsider[o]], sums[o]
        if o > 0:
            below, added = sums[without], single[1 + bit]
            for column in range(width):
                own[column] = below[column] + added[column]
        for column in range(width):
            target[column] = scale * own[column]


@kernel
def _add_weighted(mass, power, means, candidate_columns, outsiders, columns, place, sums, mantissa, exponent):
    """Add the mass `mass * 2**power` to one number, and the means of a parent set times the mass to its row of sums."""
    top = max(exponent[place], power)
    keep = POWERS[min(top - exponent[place], NO_SHIFT_BEYOND)]
    share = mass * POWERS[min(top - power, NO_SHIFT_BEYOND)]
    mantissa[place] = mantissa[place] * keep + share
    exponent[place] = top
    if keep < 1.0:
        for column in range(sums.shape[1]):
            sums[place, column] *= keep
    for k in range(candidate_columns.size):
        if candidate_columns[k] >= 0:
            sums[place, candidate_columns[k]] += share * means[k]
    for k in range(outsiders.size):
        if outsiders[k] >= 0:
            sums[place, columns[outsiders[k]]] += share * means[candidate_columns.size + k]
