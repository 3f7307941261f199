"""Leaf values of blocks from families."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.leaves.block_leaves import fill_leaves
from orderspn.leaves.tables import LeafTables


@dataclass(frozen=True, eq=False)
class Entries:
    """The occurrences of one variable in blocks: it is number `positions[e]` of block `holders[e]`."""

    holders: np.ndarray
    positions: np.ndarray
    starts: np.ndarray  # of its leaf tables
    sizes: np.ndarray  # of these tables, if blocks have their own

    @classmethod
    def of(cls, blocks: Blocks, variable: int) -> Entries:
        """Find the occurrences of a variable."""
        found = np.flatnonzero(blocks.members == variable)
        holders = blocks.owner[found]
        return cls(
            holders,
            found - blocks.member_starts[holders],
            blocks.offsets[found],
            np.int64(1) << (blocks.sizes[holders] - 1),
        )


def leaf_values(tables: LeafTables, blocks: Blocks, kind: str, workers: Workers, work: str) -> np.ndarray:
    """Return the flat array of leaf values that the offsets and strides of `blocks` refer to.

    `kind` is "log_mass" for sums over parent sets, "log_best" for maxima.
    """
    if tables.shared:
        return np.asarray(getattr(tables, kind))
    leaves = np.empty(int(np.sum(blocks.sizes << (blocks.sizes - 1))))
    fill_variables(leaves, np.unique(blocks.members).tolist(), tables, blocks, kind, workers, work)
    return leaves


def fill_variables(
    leaves: np.ndarray,
    variables: Iterable[int],
    tables: LeafTables,
    blocks: Blocks,
    kind: str,
    workers: Workers,
    work: str,
) -> None:
    """Fill the tables of some variables in all blocks, where blocks have their own."""
    _ = blocks.owner, tables.slots  # cached before threads use them

    def fill(variable: int) -> None:
        family, entries = tables.families[variable], Entries.of(blocks, variable)
        fill_leaves(
            entries.holders,
            entries.positions,
            entries.starts,
            blocks.before,
            blocks.members,
            blocks.member_starts,
            tables.slots[variable],
            family.outsider_rows,
            getattr(family, kind).reshape(family.n_rows, family.n_masks),
            kind == "log_best",
            leaves,
        )

    tasks = [partial(fill, variable) for variable in variables]
    workers.run(tasks, workers.steps(work, len(tasks)))
