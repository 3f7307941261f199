"""Walking a filled lattice from the full set down to the empty one: the best order, and sampled orders."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from orderspn.lattice.layout import BlockLayout
from orderspn.leaves.family import TIE_ABSOLUTE, TIE_RELATIVE


def trace_best_order(
    layout: BlockLayout, log_leaves: np.ndarray, log_maxima: np.ndarray, ranks: np.ndarray
) -> np.ndarray:
    """Positions of the block's variables in its best order, first to last.

    Among equally good choices the variable with the highest rank comes last, so that the answer depends on
    names and not on the order of columns.
    """
    return _trace(log_maxima, layout.offsets, layout.strides, log_leaves, ranks, TIE_ABSOLUTE, TIE_RELATIVE)


def sample_orders(
    layout: BlockLayout, log_leaves: np.ndarray, log_prefix: np.ndarray, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw `n` orders with their exact probabilities: positions, first to last, shape (n, block)."""
    uniforms = rng.random((n, layout.n))
    return _sample(log_prefix, layout.offsets, layout.strides, log_leaves, uniforms)


@njit(cache=True, nogil=True)
def _leaf_index(j, subset, offsets, strides):
    index = offsets[j]
    for b in range(offsets.size):
        if (subset >> b) & 1:
            index += strides[j, b]
    return index


@njit(cache=True, nogil=True)
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
                value = log_maxima[rest] + log_leaves[_leaf_index(j, rest, offsets, strides)]
                if value >= threshold and (chosen < 0 or ranks[j] > ranks[chosen]):
                    chosen = j
        order[place] = chosen
        subset ^= 1 << chosen
    return order


@njit(cache=True, nogil=True)
def _sample(log_prefix, offsets, strides, log_leaves, uniforms):
    n_samples, n = uniforms.shape
    orders = np.empty((n_samples, n), np.int64)
    for i in range(n_samples):
        subset = (1 << n) - 1
        for place in range(n - 1, -1, -1):
            cumulated = 0.0
            chosen = -1
            for j in range(n):
                if (subset >> j) & 1:
                    rest = subset ^ (1 << j)
                    log_share = (
                        log_prefix[rest] + log_leaves[_leaf_index(j, rest, offsets, strides)] - log_prefix[subset]
                    )
                    if log_share > -np.inf:
                        # Remembered so that rounding in the sum cannot end on a choice of probability 0.
                        chosen = j
                        cumulated += math.exp(log_share)
                        if cumulated > uniforms[i, place]:
                            break
            orders[i, place] = chosen
            subset ^= 1 << chosen
    return orders
