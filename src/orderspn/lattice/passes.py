"""Sums and maxima over all orders of each subset: one pass over the edges of lattices.

`log_prefix[U] = log sum over j in U of exp(log_prefix[U - j] + log_leaf_j(U - j))`. The same kernel on the reversed
blocks sums over all orders of the variables still to come (`log_suffix`). A block costs `n 2**(n-1)` edges and 2**n
values. The index of a leaf value has two parts: one for the lowest eight bits of U, which is tabulated, and one for the
other bits, which is summed once for each *row* of subsets that share them. So an edge costs two lookups, of the leaf
value and of the node below.

If only the leaf values of some variables changed, the sums of the subsets without them are still right (`Known`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks

ROW_BITS = 8
"""Subsets that differ only in this many lowest bits form a row, whose tables fit the first cache."""

SPLIT_BITS = 6
"""Number of highest bits that divide a large lattice into tasks for threads."""

SMALLEST_TO_SPLIT = 15
"""Smallest number of variables for which a block is divided; smaller blocks are computed by one thread."""

EVERY_MEMBER = np.int64(-1)
"""The mask of all variables of any block."""

BATCHES = 32
"""Number of tasks into which the smaller blocks are grouped."""

NEGLIGIBLE = -45.0
"""Log of a relative term that is too small to change a sum in double precision."""

ROW_MEMBERS = np.zeros((1 << ROW_BITS, ROW_BITS), dtype=np.int64)  # set bits of each pattern, ascending
ROW_COUNT = np.zeros(1 << ROW_BITS, dtype=np.int64)  # and their number
for _pattern in range(1 << ROW_BITS):
    _present = [_bit for _bit in range(ROW_BITS) if _pattern >> _bit & 1]
    ROW_MEMBERS[_pattern, : len(_present)] = _present
    ROW_COUNT[_pattern] = len(_present)


@dataclass(frozen=True, eq=False)
class Known:
    """Sums of the same blocks with other leaf values of some variables.

    Attributes
    ----------
    log_values : numpy.ndarray
        The sums, flat over blocks.
    touched : numpy.ndarray
        Shape (blocks,): masks of the members whose leaf values are others now. A subset without them keeps its sum:
        a set that is placed first, or last, depends on the leaf values of its own members alone.
    """

    log_values: np.ndarray
    touched: np.ndarray


def log_prefix_sums(
    blocks: Blocks, log_leaves: np.ndarray, workers: Workers, work: str, known: Known | None = None
) -> np.ndarray:
    """Return the log mass of all orders of each subset, placed before the rest of its block; flat over blocks."""
    return _run(_sum_rows, _sum_blocks, blocks, log_leaves, workers, work, known)


def log_suffix_sums(
    blocks: Blocks, log_leaves: np.ndarray, workers: Workers, work: str, known: Known | None = None
) -> np.ndarray:
    """Return the log mass of all orders of each subset, placed after the rest of its block; flat over blocks."""
    return _run(_sum_rows, _sum_blocks, blocks.reversed(), log_leaves, workers, work, known)


def log_prefix_maxima(blocks: Blocks, log_leaves: np.ndarray, workers: Workers, work: str) -> np.ndarray:
    """Return the log value of the best order of each subset, placed before the rest of its block; flat over blocks."""
    return _run(_max_rows, _max_blocks, blocks, log_leaves, workers, work)


def _run(
    fill_rows: Callable[..., None],
    fill_blocks: Callable[..., None],
    blocks: Blocks,
    log_leaves: np.ndarray,
    workers: Workers,
    work: str,
    known: Known | None = None,
) -> np.ndarray:
    log_values = np.empty(blocks.value_starts[-1]) if known is None else known.log_values.copy()
    touched = np.full(blocks.count, EVERY_MEMBER) if known is None else known.touched
    large = np.flatnonzero(blocks.sizes >= SMALLEST_TO_SPLIT)
    batches = _batches(blocks)
    steps = workers.steps(work, large.size * (1 << SPLIT_BITS) + len(batches))
    for block in large.tolist():
        _, offsets, strides = blocks.geometry(block)
        own = blocks.values(log_values, block)
        for stage in _stages(offsets.size):
            tasks = [
                partial(fill_rows, own, first, last, touched[block], offsets, strides, log_leaves)
                for first, last in stage
            ]
            workers.run(tasks, steps)
    workers.run(
        [
            partial(
                fill_blocks,
                log_values,
                batch,
                touched,
                blocks.member_starts,
                blocks.stride_starts,
                blocks.value_starts,
                blocks.offsets,
                blocks.strides,
                log_leaves,
            )
            for batch in batches
        ],
        steps,
    )
    return log_values


def _batches(blocks: Blocks) -> list[np.ndarray]:
    """Group the smaller blocks into tasks of about equal work."""
    small = np.flatnonzero(blocks.sizes < SMALLEST_TO_SPLIT)
    if not small.size:
        return []
    work = np.cumsum(blocks.sizes[small] << blocks.sizes[small])
    piece = ((work - 1) * BATCHES) // work[-1]
    return [batch for batch in np.split(small, np.flatnonzero(np.diff(piece)) + 1) if batch.size]


def _stages(n: int) -> list[list[tuple[int, int]]]:
    """Return ranges of rows in stages, in which a large lattice is filled; the ranges of a stage are independent.

    The highest bits number the ranges. A range depends only on ranges whose highest bits are a proper subset of its
    own. So stage s has the ranges with s bits set.
    """
    length = 1 << (n - ROW_BITS - SPLIT_BITS)
    stages: list[list[tuple[int, int]]] = [[] for _ in range(SPLIT_BITS + 1)]
    for top in range(1 << SPLIT_BITS):
        stages[top.bit_count()].append((top * length, (top + 1) * length))
    return stages


@kernel
def _low_indices(strides, bits):
    """Return what each pattern of the lowest bits adds to the index of each variable, shape (n, 2**bits)."""
    n = strides.shape[0]
    low_index = np.zeros((n, 1 << bits), np.int64)
    for b in range(bits):
        for pattern in range(1 << b):
            for j in range(n):
                low_index[j, pattern | (1 << b)] = low_index[j, pattern] + strides[j, b]
    return low_index


@kernel
def _enter_row(row, bits, offsets, strides, row_index, high_members):
    """Add the strides of the high bits to each index, list these bits, and return their number."""
    n = offsets.size
    n_high = 0
    copy_into(row_index, offsets)
    for b in range(bits, n):
        if (row >> (b - bits)) & 1:
            high_members[n_high] = b
            n_high += 1
            for j in range(n):
                row_index[j] += strides[j, b]
    return n_high


@kernel
def _sum_rows(log_values, first, last, touched, offsets, strides, log_leaves):
    n = offsets.size
    bits = min(n, ROW_BITS)
    low_index = _low_indices(strides, bits)
    terms = np.empty(n)
    row_index = np.empty(n, np.int64)
    high_members = np.empty(n, np.int64)
    for row in range(first, last):
        n_high = _enter_row(row, bits, offsets, strides, row_index, high_members)
        for low in range(1 << bits):
            subset = (row << bits) | low
            n_terms = n_high + ROW_COUNT[low]
            if n_terms == 0:
                log_values[subset] = 0.0
                continue
            if not subset & touched:
                continue
            largest = -np.inf
            for m in range(n_terms):
                j = high_members[m] if m < n_high else ROW_MEMBERS[low, m - n_high]
                terms[m] = log_values[subset ^ (1 << j)] + log_leaves[row_index[j] + low_index[j, low]]
                largest = max(largest, terms[m])
            if largest == -np.inf:
                log_values[subset] = -np.inf
                continue
            total = 0.0
            for m in range(n_terms):
                gap = terms[m] - largest
                if gap > NEGLIGIBLE:
                    total += math.exp(gap)
            log_values[subset] = largest + math.log(total)


@kernel
def _max_rows(log_values, first, last, touched, offsets, strides, log_leaves):
    n = offsets.size
    bits = min(n, ROW_BITS)
    low_index = _low_indices(strides, bits)
    row_index = np.empty(n, np.int64)
    high_members = np.empty(n, np.int64)
    for row in range(first, last):
        n_high = _enter_row(row, bits, offsets, strides, row_index, high_members)
        for low in range(1 << bits):
            subset = (row << bits) | low
            n_terms = n_high + ROW_COUNT[low]
            if n_terms > 0 and not subset & touched:
                continue
            best = 0.0 if n_terms == 0 else -np.inf
            for m in range(n_terms):
                j = high_members[m] if m < n_high else ROW_MEMBERS[low, m - n_high]
                term = log_values[subset ^ (1 << j)] + log_leaves[row_index[j] + low_index[j, low]]
                best = max(best, term)
            log_values[subset] = best


@kernel
def _sum_blocks(log_values, batch, touched, member_starts, stride_starts, value_starts, offsets, strides, log_leaves):
    for block in batch:
        n = member_starts[block + 1] - member_starts[block]
        _sum_rows(
            log_values[value_starts[block] : value_starts[block + 1]],
            0,
            1 << max(0, n - ROW_BITS),
            touched[block],
            offsets[member_starts[block] : member_starts[block + 1]],
            strides[stride_starts[block] : stride_starts[block + 1]].reshape((n, n)),
            log_leaves,
        )


@kernel
def _max_blocks(log_values, batch, touched, member_starts, stride_starts, value_starts, offsets, strides, log_leaves):
    for block in batch:
        n = member_starts[block + 1] - member_starts[block]
        _max_rows(
            log_values[value_starts[block] : value_starts[block + 1]],
            0,
            1 << max(0, n - ROW_BITS),
            touched[block],
            offsets[member_starts[block] : member_starts[block + 1]],
            strides[stride_starts[block] : stride_starts[block + 1]].reshape((n, n)),
            log_leaves,
        )
