"""Leaf values of blocks from families, and log ratios of families from the placements in blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.leaves.block_leaves import collect_ratios, fill_leaves
from orderspn.leaves.tables import LeafTables
from orderspn.leaves.transforms import ZERO_EXPONENT, joined


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


def shared_log_ratio(tables: LeafTables, variable: int, placement: np.ndarray) -> np.ndarray:
    """Return the log of `placement / tau` for each set of candidates before a variable."""
    log_mass = tables.families[variable].log_mass
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(placement > 0.0, np.log(placement) - log_mass, -np.inf)


def own_log_ratio(
    tables: LeafTables, blocks: Blocks, variable: int, entries: Entries, placement: np.ndarray, leaves: np.ndarray
) -> np.ndarray:
    """Return the log of the summed `placement / leaf value` for each open row and each set of candidates.

    `placement` holds the tables of the variable's blocks, concatenated.
    """
    family = tables.families[variable]
    mantissa = np.zeros((family.n_rows, family.n_masks))
    exponent = np.full((family.n_rows, family.n_masks), ZERO_EXPONENT, dtype=np.int32)
    collect_ratios(
        entries.holders,
        entries.positions,
        np.cumsum(entries.sizes) - entries.sizes,
        entries.starts,
        blocks.before,
        blocks.members,
        blocks.member_starts,
        tables.slots[variable],
        family.outsider_rows,
        placement,
        leaves,
        mantissa,
        exponent,
    )
    return joined(mantissa.ravel(), exponent.ravel())
