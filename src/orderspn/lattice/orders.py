"""Best orders and draws of orders, by walks through a lattice from the full set to the empty set."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.leaves.family import TIE_ABSOLUTE, TIE_RELATIVE

PIECE = 4096
"""Number of walks in one task of a thread."""


def trace_best_order(
    blocks: Blocks, block: int, log_leaves: np.ndarray, log_maxima: np.ndarray, ranks: np.ndarray
) -> np.ndarray:
    """Return the variables of a block in its best order, first to last.

    Among equally good choices the variable with the highest rank comes last, so that the result depends on names and
    not on the order of columns.
    """
    members, offsets, strides = blocks.geometry(block)
    own = blocks.values(log_maxima, block)
    order = _trace(own, offsets, strides, log_leaves, ranks[members], TIE_ABSOLUTE, TIE_RELATIVE)
    return members[order]


def sample_orders(
    blocks: Blocks,
    log_leaves: np.ndarray,
    log_prefix: np.ndarray,
    visited: np.ndarray,
    uniforms: np.ndarray,
    workers: Workers,
) -> np.ndarray:
    """Draw orders from their exact distribution.

    A row (draw, block, place) of `visited` means that the variables of the draw from `place` on are those of the block.
    `uniforms` (draws, d) are random numbers. The result has the variables first to last, shape (draws, d).
    """
    orders = np.empty(uniforms.shape, dtype=np.int64)
    workers.run(
        [
            partial(
                _sample,
                visited[start : start + PIECE],
                orders,
                uniforms,
                log_prefix,
                log_leaves,
                blocks.members,
                blocks.member_starts,
                blocks.stride_starts,
                blocks.value_starts,
                blocks.offsets,
                blocks.strides,
            )
            for start in range(0, len(visited), PIECE)
        ]
    )
    return orders


@kernel
def _leaf_index(j, subset, offset, strides):
    n = strides.shape[0]
    index = offset
    for b in range(n):
        if (subset >> b) & 1:
            index += strides[j, b]
    return index


@kernel
def _trace(log_maxima, offsets, strides, log_leaves, ranks, tie_absolute, tie_relative):
    n = offsets.size
    order = np.empty(n, np.int64)
    subset = (1 << n) - 1
    for place in range(n - 1, -1, -1):
        best = log_maxima[subset]
        threshold = best - tie_absolute - tie_relative * abs(best)
        chosen = -1
        for j in range(n):
            if (subset >> j) & 1:
                rest = subset ^ (1 << j)
                value = log_maxima[rest] + log_leaves[_leaf_index(j, rest, offsets[j], strides)]
                if value >= threshold and (chosen < 0 or ranks[j] > ranks[chosen]):
                    chosen = j
        order[place] = chosen
        subset ^= 1 << chosen
    return order


@kernel
def _sample(
    visited,
    orders,
    uniforms,
    log_prefix,
    log_leaves,
    members,
    member_starts,
    stride_starts,
    value_starts,
    offsets,
    strides,
):
    for visit in range(visited.shape[0]):
        sample, block, start = visited[visit]
        first = member_starts[block]
        n = member_starts[block + 1] - first
        own = log_prefix[value_starts[block] : value_starts[block + 1]]
        steps = strides[stride_starts[block] : stride_starts[block + 1]].reshape((n, n))
        subset = (1 << n) - 1
        for place in range(n - 1, -1, -1):
            cumulated = 0.0
            chosen = -1
            for j in range(n):
                if (subset >> j) & 1:
                    rest = subset ^ (1 << j)
                    log_share = own[rest] + log_leaves[_leaf_index(j, rest, offsets[first + j], steps)] - own[subset]
                    if log_share > -np.inf:
                        # Kept, so that rounding of the sum cannot select a variable of probability 0.
                        chosen = j
                        cumulated += math.exp(log_share)
                        if cumulated > uniforms[sample, start + place]:
                            break
            orders[sample, start + place] = members[first + chosen]
            subset ^= 1 << chosen
