"""Balanced partitions as boolean rows: enumeration, draws, counts and completion, for all oracles."""

from __future__ import annotations

import numpy as np

from orderspn.lattice.blocks import Blocks
from orderspn.oracles.protocol import Proposal, Question

LARGE_SHARE = 4
"""Partitions are enumerated, not drawn until they differ, if more than a share of 1 / LARGE_SHARE is requested."""


def block_of(question: Question) -> Blocks:
    """Return the block of all orders of a question, laid out for lookups in the leaf tables."""
    before, variables = np.zeros((2, 1, len(question.tables.families)), dtype=bool)
    before[0, question.before] = True
    variables[0, question.variables] = True
    return Blocks.of(question.tables, before, variables)


def partition_masks(question: Question) -> np.ndarray:
    """Return every balanced partition as the mask of its first part, ascending; bit b is `question.variables[b]`."""
    masks = np.arange(1 << question.variables.size)
    return masks[np.bitwise_count(masks) == question.n_first]


def rows_of_masks(question: Question, masks: np.ndarray) -> np.ndarray:
    """Return masks as boolean rows, shape (m, n)."""
    return (masks[:, None] >> np.arange(question.variables.size) & 1).astype(bool)


def split_orders(orders: np.ndarray) -> np.ndarray:
    """Return the partitions whose first parts are the first halves of orders, shape (m, n).

    Each row of `orders` is a permutation of 0, ..., n - 1, first to last: places in `question.variables`.
    """
    first = np.zeros(orders.shape, dtype=bool)
    np.put_along_axis(first, orders[:, : orders.shape[1] // 2], True, axis=1)
    return first


def random_partitions(question: Question, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw independent, uniformly random partitions, shape (count, n)."""
    row = np.arange(question.variables.size) < question.n_first
    return rng.permuted(np.tile(row, (count, 1)), axis=1)


def evenly_spaced(available: int, count: int) -> np.ndarray:
    """Return the places of `count` draws, evenly spaced among those available and ending with the last one.

    Examples
    --------
    >>> evenly_spaced(10, 3)
    array([2, 5, 9])
    """
    return np.arange(1, count + 1) * available // count - 1


def gather(drawn: np.ndarray, info: dict[str, float] | None = None) -> Proposal:
    """Return draws with repetition (m, n) as a proposal: equal ones counted, the most frequent first."""
    places, multiplicity = distinct_rows(drawn)
    ranking = np.argsort(-multiplicity, kind="stable")
    return Proposal(drawn[places[ranking]], multiplicity[ranking], info or {})


def once_each(first: np.ndarray, info: dict[str, float] | None = None) -> Proposal:
    """Return distinct partitions (m, n) as a proposal."""
    return Proposal(first, np.ones(len(first), dtype=np.int64), info or {})


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each different row of (m, n) occurs first, in lexicographic order of the rows, and how often."""
    # Rows packed into byte strings sort many times faster than rows.
    packed = np.packbits(rows, axis=1)
    keys = packed.view(f"S{packed.shape[1]}")[:, 0]
    _, places, counts = np.unique(keys, return_index=True, return_counts=True)
    return places, counts.astype(np.int64)


def fill_up(question: Question, chosen: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return `count` distinct partitions, or all if there are fewer: those chosen, then uniformly random others.

    `chosen` has shape (m, n) and may repeat itself.
    """
    rows = _without_repetitions(chosen)
    if question.n_partitions <= LARGE_SHARE * count:
        # Drawing until the last missing ones come up could take very long.
        everything = rows_of_masks(question, partition_masks(question))
        return _without_repetitions(np.concatenate([rows, rng.permutation(everything)]))[:count]
    while len(rows) < count:
        rows = _without_repetitions(np.concatenate([rows, random_partitions(question, count, rng)]))
    return rows[:count]


def _without_repetitions(rows: np.ndarray) -> np.ndarray:
    """Return the rows without repetitions, in the order of their first occurrence."""
    places, _ = distinct_rows(rows)
    return rows[np.sort(places)]
