"""The families of all variables, with their leaf tables concatenated in flat arrays for kernels.

If no family has outsiders, all blocks read these tables. Otherwise each block has its own tables (`block_leaves`),
which `lattice/leaf_values.py` fills.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.mass_lines import Lines, lines_of
from orderspn.leaves.validation import check_families


@dataclass(frozen=True, eq=False)
class LeafTables:
    """Tables of every family: the entry of variable j for the mask U is at `starts[j] + U`.

    Attributes
    ----------
    families : tuple of Family
        By index of the variable.
    workers : Workers
        Threads that fill the tables.
    """

    families: tuple[Family, ...]
    workers: Workers

    @classmethod
    def of(cls, families: Sequence[Family], workers: Workers) -> LeafTables:
        """Build the tables of the families of all variables, by index."""
        check_families(families)
        return cls(tuple(families), workers)

    @cached_property
    def shared(self) -> bool:
        """Whether blocks share these tables, because no family has outsiders."""
        return all(family.n_rows == 1 for family in self.families)

    @cached_property
    def starts(self) -> np.ndarray:
        """Start of the table of each variable, and end of the last one, shape (d + 1,)."""
        return np.concatenate([[0], np.cumsum([f.log_score.size for f in self.families])]).astype(np.int64)

    @cached_property
    def slots(self) -> np.ndarray:
        """`slots[j, v]` is the bit of v in the masks of j, or -1 if v is no candidate of j, shape (d, d)."""
        slots = np.full((len(self.families),) * 2, -1, dtype=np.int64)
        for family in self.families:
            slots[family.child, family.candidates] = np.arange(family.candidates.size)
        return slots

    @cached_property
    def outsider_rows(self) -> np.ndarray:
        """Outsiders of the rows of all families but the first one of each, shape (rows, width); -1 for none."""
        width = max(family.outsider_rows.shape[1] for family in self.families)
        rows = [
            np.pad(f.outsider_rows, ((0, 0), (0, width - f.outsider_rows.shape[1])), constant_values=-1)
            for f in self.families
        ]
        return np.concatenate(rows).astype(np.int64)

    @cached_property
    def row_starts(self) -> np.ndarray:
        """Start of the rows of each variable in `outsider_rows`, and end of the last one, shape (d + 1,)."""
        return np.concatenate([[0], np.cumsum([len(f.outsider_rows) for f in self.families])]).astype(np.int64)

    def laid_out_as(self, other: LeafTables) -> bool:
        """Whether values of the same predecessors have the same indices as in other tables."""
        if not (self.shared and other.shared):
            return self.shared == other.shared  # tables of blocks have a bit for every predecessor
        return np.array_equal(self.slots, other.slots)

    def open_as(self, other: LeafTables) -> bool:
        """Whether every family has the same candidates and rows as in other tables."""
        return np.array_equal(self.slots, other.slots) and np.array_equal(self.row_starts, other.row_starts)

    @cached_property
    def lines(self) -> Lines:
        """The masses laid out for chains over orders."""
        return lines_of(self.families, self.workers)

    @cached_property
    def log_mass(self) -> np.ndarray:
        """Log masses of all families."""
        return self._flat("log_mass")

    @property
    def log_best(self) -> np.ndarray:
        """Log scores of the best parent sets of all families; not cached, as they are read only once."""
        return self._flat("log_best")

    def _flat(self, kind: str) -> np.ndarray:
        self.workers.run([partial(getattr, family, kind) for family in self.families])
        return np.concatenate([getattr(family, kind) for family in self.families])
