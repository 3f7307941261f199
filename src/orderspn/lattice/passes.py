"""Sums and maxima over all orders that lead to each subset: one pass over the edges of a lattice.

`log_prefix[U] = log sum over j in U of exp(log_prefix[U - j] + log_leaf_j(U - j))`. The same kernel, on the
reversed layout, sums over all orders of what is still to come (`log_suffix`). Cost: `n 2**(n-1)` edges of two
lookups each, 2**n values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numba import njit

from orderspn.core.workers import Workers
from orderspn.lattice.layout import BlockLayout

NEGLIGIBLE = -45.0
"""Log of a share that cannot change a double: 2**62 terms this small stay below its last digit."""


def log_prefix_sums(layout: BlockLayout, log_leaves: np.ndarray, workers: Workers, work: str) -> np.ndarray:
    """Log mass of all orders of each subset, placed before the rest of the block, shape (2**n,)."""
    return _run(_sum_rows, layout, log_leaves, workers, work)


def log_suffix_sums(layout: BlockLayout, log_leaves: np.ndarray, workers: Workers, work: str) -> np.ndarray:
    """Log mass of all orders of each subset, placed after the rest of the block, shape (2**n,)."""
    return _run(_sum_rows, layout.reversed(), log_leaves, workers, work)


def log_prefix_maxima(layout: BlockLayout, log_leaves: np.ndarray, workers: Workers, work: str) -> np.ndarray:
    """Log value of the best order of each subset, placed before the rest of the block, shape (2**n,)."""
    return _run(_max_rows, layout, log_leaves, workers, work)


def _run(
    kernel: Callable[..., None], layout: BlockLayout, log_leaves: np.ndarray, workers: Workers, work: str
) -> np.ndarray:
    log_values = np.empty(1 << layout.n)
    row = layout.row_tables
    steps = workers.steps(work, sum(len(stage) for stage in layout.stages))
    for stage in layout.stages:
        workers.run(
            [
                partial(
                    kernel,
                    log_values,
                    first,
                    last,
                    row.bits,
                    row.members,
                    row.count,
                    row.index,
                    layout.offsets,
                    layout.strides,
                    log_leaves,
                )
                for first, last in stage
            ],
            steps,
        )
    return log_values


@njit(cache=True, nogil=True)
def _enter_row(row, row_bits, offsets, strides, row_index, high_members):
    """Sum what the high bits add to each index, and list them; return how many there are."""
    n = offsets.size
    n_high = 0
    row_index[:] = offsets
    for b in range(row_bits, n):
        if (row >> (b - row_bits)) & 1:
            high_members[n_high] = b
            n_high += 1
            for j in range(n):
                row_index[j] += strides[j, b]
    return n_high


@njit(cache=True, nogil=True)
def _sum_rows(log_values, first, last, bits, members, count, low_index, offsets, strides, log_leaves):
    n = offsets.size
    terms = np.empty(n)
    row_index = np.empty(n, np.int64)
    high_members = np.empty(n, np.int64)
    for row in range(first, last):
        n_high = _enter_row(row, bits, offsets, strides, row_index, high_members)
        for low in range(1 << bits):
            subset = (row << bits) | low
            n_terms = n_high + count[low]
            if n_terms == 0:
                log_values[subset] = 0.0
                continue
            largest = -np.inf
            for m in range(n_terms):
                j = high_members[m] if m < n_high else members[low, m - n_high]
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


@njit(cache=True, nogil=True)
def _max_rows(log_values, first, last, bits, members, count, low_index, offsets, strides, log_leaves):
    n = offsets.size
    row_index = np.empty(n, np.int64)
    high_members = np.empty(n, np.int64)
    for row in range(first, last):
        n_high = _enter_row(row, bits, offsets, strides, row_index, high_members)
        for low in range(1 << bits):
            subset = (row << bits) | low
            n_terms = n_high + count[low]
            best = 0.0 if n_terms == 0 else -np.inf
            for m in range(n_terms):
                j = high_members[m] if m < n_high else members[low, m - n_high]
                term = log_values[subset ^ (1 << j)] + log_leaves[row_index[j] + low_index[j, low]]
                best = max(best, term)
            log_values[subset] = best
