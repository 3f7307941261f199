"""Expected total effects along all directed paths that enter a block and stay in it.

For a subset U of the block, let `E(U)[k, i]` be the mean effect of source i on member k over the orders of U and their
graphs, without the diagonal. A variable j placed after U does not change the effects on U. The effects on j are direct,
by the expected weight of i on j, and through the members of U:
`E(U + j)[j, i] = w_j(U)[i] + sum over k in U of E(U)[k, i] w_j(U)[k]`. Weights of different variables are independent
given the order, so means multiply. `E(V)` is the mean over the last member j of V, with the probabilities of the
lattice. Only two levels (sizes of U) are kept at a time.

An edge of the lattice takes `2 |U|` multiplications per source. Sources are processed in groups, so that the two
largest levels fit a limit of memory. Subsets with negligible probability are left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from orderspn.core.room import Room
from orderspn.core.workers import Steps, Workers
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.expected_weights import ExpectedWeights

NEGLIGIBLE = -50.0
"""Log probability below which a subset is left out; at 25 variables all such subsets have less than 1e-14."""

MOST_FOR_LEVELS, SHARE_FOR_LEVELS = 2 * 2**30, 8
"""Most bytes of two levels, and the largest part of the memory that they may take, as a denominator."""

PIECES_PER_LEVEL, SMALLEST_PIECE = 16, 64


def path_effects(
    blocks: Blocks,
    block: int,
    log_leaves: np.ndarray,
    log_prefix: np.ndarray,
    log_suffix: np.ndarray,
    weights: ExpectedWeights,
    memory: int,
    workers: Workers,
    room: Room,
    steps: Steps | None = None,
) -> np.ndarray:
    """Return the mean effect of every variable on those of one block, shape (d, n), diagonal 0.

    Each of the d variables counts as one of the `steps`.
    """
    members, offsets, strides = blocks.geometry(block)
    rows, first_entry, sources = weights.of_block(block, room)
    n, n_sources = members.size, sources.size
    own_columns = np.searchsorted(sources, members)
    log_prefix, log_suffix = blocks.values(log_prefix, block), blocks.values(log_suffix, block)
    levels, rank = _probable_levels(log_prefix, log_suffix, n)
    group = _group_size(levels, memory)
    strides_by_member = np.ascontiguousarray(strides.T)
    effects = np.zeros((blocks.before.shape[1], n))
    for first in range(0, n_sources, group):
        width = min(group, n_sources - first)
        below = np.empty((1, 0))
        for size in range(1, n + 1):
            level = levels[size]
            above = room.array(f"level {size % 2}", (level.size, size * width))
            n_pieces = 1 if workers.n_jobs == 1 else min(PIECES_PER_LEVEL, 1 + level.size // SMALLEST_PIECE)
            bounds = np.linspace(0, level.size, n_pieces + 1).astype(np.int64).tolist()
            workers.run(
                [
                    partial(
                        _fill_level,
                        level[start:stop],
                        above[start:stop],
                        below,
                        rank,
                        first,
                        width,
                        log_prefix,
                        log_leaves,
                        own_columns,
                        offsets,
                        strides_by_member,
                        rows,
                        first_entry,
                    )
                    for start, stop in itertools.pairwise(bounds)
                ]
            )
            below = above
        effects[sources[first : first + width]] = below.reshape(n, width).T
        if steps is not None:
            # Variables that come after the block have no effect on it.
            others = len(effects) - n_sources if first + width == n_sources else 0
            steps.advance(width + others)
    return effects


def levels_memory(memory: int) -> int:
    """Return the bytes for two levels, of all the memory that an answer may take."""
    return min(MOST_FOR_LEVELS, memory // SHARE_FOR_LEVELS)


def level_bytes(n: int, n_sources: int, memory: int) -> int:
    """Return the bytes that two levels of a block of n variables take at most, for so many sources in groups."""
    values = [math.comb(n, size) * size for size in range(n + 1)]
    per_source = 8 * max(a + b for a, b in itertools.pairwise(values))
    return min(n_sources * per_source, max(per_source, levels_memory(memory)))


def _probable_levels(log_prefix: np.ndarray, log_suffix: np.ndarray, n: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the probable prefixes of orders by size, and the index of each subset in its level (-1: left out)."""
    # The complement of mask U is 2**n - 1 - U, so the suffix table is read backwards.
    probable = np.flatnonzero(log_prefix + log_suffix[::-1] - log_prefix[-1] > NEGLIGIBLE).astype(np.int32)
    sizes = np.bitwise_count(probable)
    by_size = probable[np.argsort(sizes, kind="stable")]
    levels = np.split(by_size, np.cumsum(np.bincount(sizes, minlength=n + 1))[:-1])
    rank = np.full(1 << n, -1, dtype=np.int32)
    for level in levels:
        rank[level] = np.arange(level.size, dtype=np.int32)
    return levels, rank


def _group_size(levels: Sequence[np.ndarray], memory: int) -> int:
    """Return the number of sources for which two neighbouring levels fit into `memory` bytes."""
    values = [level.size * size for size, level in enumerate(levels)]
    per_source = 8 * max(a + b for a, b in itertools.pairwise(values))
    return max(1, memory // per_source)


@kernel
def _fill_level(
    level,
    above,
    below,
    rank,
    first,
    width,
    log_prefix,
    log_leaves,
    own_columns,
    offsets,
    strides_by_member,
    weights,
    first_entry,
):
    """Fill the rows of one level (member by source) from the subsets with one member less."""
    n = offsets.size
    index = np.empty(n, np.int64)
    members = np.empty(n, np.int64)
    onto = np.empty(width)
    for position in range(level.size):
        subset = np.int64(level[position])
        copy_into(index, offsets)
        size = 0
        for b in range(n):
            if (subset >> b) & 1:
                members[size] = b
                size += 1
                for j in range(n):
                    index[j] += strides_by_member[b, j]
        result = above[position]
        result[:] = 0.0
        for a in range(size):
            j = members[a]
            rest = subset ^ (1 << j)
            log_share = log_prefix[rest] + log_leaves[index[j]] - log_prefix[subset]
            if rank[rest] < 0 or not log_share > NEGLIGIBLE:
                continue
            share = math.exp(log_share)
            known = below[rank[rest]]
            weight = weights[index[j] - first_entry]
            for s in range(width):
                onto[s] = weight[first + s]
            # The members before and after j keep their order; the row of j is between them.
            for row in range(size - 1):
                through = weight[own_columns[members[row + (row >= a)]]]
                start, target = row * width, (row + (row >= a)) * width
                for s in range(width):
                    effect = known[start + s]
                    result[target + s] += share * effect
                    onto[s] += through * effect
            for s in range(width):
                result[a * width + s] += share * onto[s]
