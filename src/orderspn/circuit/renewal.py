"""The blocks of a circuit that evidence touches, computed again; all others keep their values.

Evidence changes the families of some variables. A block without them keeps its sums. In a block with them, a subset
without them keeps its sums too (`lattice/passes.py`): with one changed family, that is half of the lattice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.leaf_values import fill_variables, leaf_values
from orderspn.lattice.openings import Openings
from orderspn.lattice.passes import Known
from orderspn.leaves.tables import LeafTables

Pass = Callable[[Blocks, np.ndarray, Workers, str, Known], np.ndarray]
"""`log_prefix_sums` or `log_suffix_sums`."""


@dataclass(frozen=True, eq=False)
class Renewal:
    """The touched blocks, with their leaf values under the evidence.

    Attributes
    ----------
    all_blocks : Blocks
        All blocks of the circuit.
    chosen : numpy.ndarray
        Shape (all blocks,), bool: which are touched.
    blocks : Blocks
        The touched ones.
    touched : numpy.ndarray
        Shape (touched blocks,): masks of the members whose families changed.
    log_leaves : numpy.ndarray
        Leaf values of the touched blocks.
    workers : Workers
    """

    all_blocks: Blocks
    chosen: np.ndarray
    blocks: Blocks
    touched: np.ndarray
    log_leaves: np.ndarray
    workers: Workers

    @classmethod
    def of(
        cls, blocks: Blocks, tables: LeafTables, changed: np.ndarray, old_leaves: np.ndarray | None, workers: Workers
    ) -> Renewal:
        """Find the touched blocks, given which families changed (d,) and the leaf values before.

        There are no values before if blocks share the tables of families, or were not laid out in the same way.
        """
        positions = np.arange(blocks.members.size) - blocks.member_starts[blocks.owner]
        bits = np.where(changed[blocks.members], np.int64(1) << positions, 0)
        touched = np.bitwise_or.reduceat(bits, blocks.member_starts[:-1])
        chosen = touched != 0
        own = blocks.take(chosen)
        if tables.shared:
            log_leaves = leaf_values(tables, own, "log_mass", workers, "parents")
        elif old_leaves is None:
            own = own.in_line()
            log_leaves = leaf_values(tables, own, "log_mass", workers, "parents")
        else:
            own = own.in_line()
            log_leaves = blocks.own_leaves(old_leaves, chosen)
            variables = np.flatnonzero(changed).tolist()
            fill_variables(log_leaves, variables, tables, own, "log_mass", workers, "parents")
        return cls(blocks, chosen, own, touched[chosen], log_leaves, workers)

    def sums(self, run: Pass, old: np.ndarray, work: str) -> np.ndarray:
        """Return the sums of the touched blocks, given those of all blocks before, flat over blocks."""
        known = Known(old[self._nodes], self.touched)
        return run(self.blocks, self.log_leaves, self.workers, work, known)

    def put(self, old: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Return the sums of all blocks: those before, with new ones of the touched blocks."""
        new = old.copy()
        new[self._nodes] = sums
        return new

    def openings(self, old: Openings, tables: LeafTables, log_prefix: np.ndarray, log_suffix: np.ndarray) -> Openings:
        """Return the openings of all blocks, given those before and the sums of all blocks under the evidence."""
        own = Openings.of(self.blocks, tables, log_prefix[self._nodes], log_suffix[self._nodes], self.workers)
        return old.with_blocks(self.all_blocks, self.chosen, own)

    @property
    def _nodes(self) -> np.ndarray:
        """The lattice nodes of the touched blocks among those of all, bool."""
        return np.repeat(self.chosen, np.diff(self.all_blocks.value_starts))
