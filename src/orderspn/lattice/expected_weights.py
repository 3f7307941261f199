"""Expected weights of all variables on one, given its predecessors in a block, for the computation of effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.leaves.block_leaves import block_axes, rows_needed
from orderspn.leaves.context import root_block
from orderspn.leaves.explained_parts import ExplainedParts
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables

MeanWeights = Callable[[Family], np.ndarray]
"""Maps a family to the mean weights of candidates, then outsiders, given each parent set (rows * 2**K, K + width)."""


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

    def of_block(self, block: int) -> tuple[np.ndarray, int]:
        """Return rows of d numbers, one per entry of the leaf values, and the entry of the first row.

        A row has the expected weight of every variable on the one whose table the entry belongs to, given the
        predecessors of the entry; it is 0 for all other variables.
        """
        if self.tables.shared:
            return self._shared_rows, 0
        members, offsets, _ = self.blocks.geometry(block)
        rows = np.zeros((members.size << (members.size - 1), len(self.tables.families)))
        for position, variable in enumerate(members.tolist()):
            family = self.tables.families[variable]
            _mix_rows(
                rows,
                self.log_leaves,
                int(offsets[position]),
                int(offsets[0]),
                members,
                position,
                self.blocks.before[block],
                self.tables.slots[variable],
                family.candidates,
                family.outsider_rows,
                self._log_masses[variable],
                self._by_row[variable],
            )
        return rows, int(offsets[0])

    def of_single(self, blocks: np.ndarray) -> np.ndarray:
        """Return the rows of blocks of one variable, shape (blocks, d)."""
        entries = self.blocks.offsets[self.blocks.member_starts[:-1]][blocks]
        if self.tables.shared and blocks.size == self.blocks.count:  # only larger blocks need whole tables
            return self._shared(entries)
        if self.tables.shared:
            return self._shared_rows[entries]
        rows = np.empty((blocks.size, len(self.tables.families)))
        for number, block in enumerate(blocks.tolist()):
            rows[number] = self.of_block(block)[0][0]
        return rows

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
    def _log_masses(self) -> list[np.ndarray]:
        return [family.log_mass for family in self.tables.families]

    @cached_property
    def _by_row(self) -> list[np.ndarray]:
        """Expected weights within each row of each family."""
        families = self.tables.families
        by_row: list[np.ndarray] = [np.empty(0)] * len(families)

        def fill(v: int) -> None:
            by_row[v] = families[v].expected_weights(self.weights(families[v]))

        steps = self.workers.steps("expected weights", len(families))
        self.workers.run([partial(fill, v) for v in range(len(families))], steps)
        return by_row


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
def _mix_rows(rows, leaves, start, first, members, position, before, slots, candidates, outsiders, log_mass, expected):
    """Average over the rows that each set of predecessors opens, in proportion to their masses."""
    base, by_candidate, by_outsider, masks = block_axes(members, position, before, slots)
    needs = rows_needed(members, position, before, slots, outsiders)
    n_masks = log_mass.size // needs.size
    n_candidates = candidates.size
    for c in range(by_candidate.size):
        mask = base + masks[c]
        for o in range(by_outsider.size):
            entry = start + by_candidate[c] + by_outsider[o]
            if leaves[entry] == -np.inf:
                continue
            target = rows[entry - first]
            for row in range(needs.size):
                parent_set = row * n_masks + mask
                if needs[row] < 0 or needs[row] & ~o or log_mass[parent_set] == -np.inf:
                    continue
                share = np.exp(log_mass[parent_set] - leaves[entry])
                for k in range(n_candidates):
                    target[candidates[k]] += share * expected[parent_set, k]
                if row > 0:
                    for k in range(outsiders.shape[1]):
                        if outsiders[row - 1, k] >= 0:
                            target[outsiders[row - 1, k]] += share * expected[parent_set, n_candidates + k]
