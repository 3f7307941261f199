"""Which predecessors each variable has: the downward half of a lattice.

The probability that j comes right after exactly the set U is
`exp(log_prefix[U] + log_leaf_j(U) + log_suffix[rest without j] - log_total)`. Collected by the candidates of j
within U it is the `placement` from which a family derives the posterior of its parent sets; collected by the
members of U it is the probability that one variable precedes another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit

from orderspn.core.workers import Workers
from orderspn.lattice.layout import BlockLayout

UNSEEN = -120.0
"""Log probability below which a visit is passed over: all of them together stay below 1e-40."""


@dataclass(frozen=True, eq=False)
class Visits:
    """Where the variables of a block stand in its orders.

    Attributes
    ----------
    placements : list of numpy.ndarray
        For each variable of the block, the probability of each set of candidates before it, shape (2**K,).
    precedence : numpy.ndarray
        Shape (n, n): probability that the row's variable comes before the column's.
    """

    placements: list[np.ndarray]
    precedence: np.ndarray


def collect_visits(
    layout: BlockLayout,
    log_leaves: np.ndarray,
    log_prefix: np.ndarray,
    log_suffix: np.ndarray,
    workers: Workers,
    work: str,
) -> Visits:
    """Read off a lattice how probable each predecessor set of each variable is."""
    placement = np.zeros(log_leaves.size)
    precedence = np.zeros((layout.n, layout.n))
    row = layout.row_tables
    workers.run(
        [
            partial(
                _visit_variable,
                j,
                placement,
                precedence,
                log_prefix,
                log_suffix,
                row.bits,
                row.index,
                layout.offsets[j],
                layout.strides[j],
                log_leaves,
            )
            for j in range(layout.n)
        ],
        workers.steps(work, layout.n),
    )
    starts = layout.table_starts
    return Visits([placement[starts[j] : starts[j + 1]] for j in range(layout.n)], precedence)


@njit(cache=True, nogil=True)
def _visit_variable(
    j, placement, precedence, log_prefix, log_suffix, bits, low_index, offset, strides, log_leaves
):
    n = strides.size
    full = (1 << n) - 1
    own = 1 << j
    log_total = log_prefix[full]
    by_low = np.zeros(1 << bits)
    for row in range(1 << (n - bits)):
        if (row << bits) & own:
            continue
        row_index = offset
        for b in range(bits, n):
            if (row >> (b - bits)) & 1:
                row_index += strides[b]
        row_total = 0.0
        for low in range(1 << bits):
            if low & own:
                continue
            subset = (row << bits) | low
            index = row_index + low_index[j, low]
            log_probability = log_prefix[subset] + log_leaves[index] + log_suffix[full ^ subset ^ own] - log_total
            if log_probability > UNSEEN:
                probability = math.exp(log_probability)
                placement[index] += probability
                by_low[low] += probability
                row_total += probability
        for b in range(bits, n):
            if (row >> (b - bits)) & 1:
                precedence[b, j] += row_total
    for b in range(bits):
        for low in range(1 << bits):
            if (low >> b) & 1:
                precedence[b, j] += by_low[low]
