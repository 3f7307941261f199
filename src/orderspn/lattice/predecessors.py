"""The probability of each set of predecessors of each variable, from the sums of lattices.

In a block, the probability that exactly U precedes j is
`exp(log_prefix[U] + log_leaf_j(U) + log_suffix[rest without j] - log_total)`. Summed by the candidates and outsiders of
j within U, it is the `placement`, from which the posterior of the parent sets of j follows. Summed by the members of U,
it is the probability that one variable precedes another. Blocks are weighted by their own probability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.leaf_values import Entries, own_log_ratio, shared_log_ratio
from orderspn.leaves.tables import LeafTables

NEGLIGIBLE = -120.0
"""Log probability below which a visit is skipped; together, all such visits have probability below 1e-40."""


@dataclass(frozen=True, eq=False)
class Predecessors:
    """Probabilities of predecessors.

    Attributes
    ----------
    log_ratios : list of numpy.ndarray
        For each variable, shape (rows * 2**K,): log of the sum of `placement / tau` over the predecessors that open a
        row and whose candidates are those of a mask; -inf for a variable that is in no block.
    precedence : numpy.ndarray
        Shape (d, d): probability that the variable of the row comes before that of the column.
    """

    log_ratios: list[np.ndarray]
    precedence: np.ndarray


def collect_visits(
    blocks: Blocks,
    tables: LeafTables,
    log_leaves: np.ndarray,
    log_prefix: np.ndarray,
    log_suffix: np.ndarray,
    log_weights: np.ndarray,
    workers: Workers,
    work: str,
) -> Predecessors:
    """Compute the probabilities of all sets of predecessors from the sums of lattices.

    `log_weights` (blocks,) are the log probabilities of the blocks; blocks with a common variable are mutually
    exclusive.
    """
    d = len(tables.families)
    precedence = np.zeros((d, d))
    log_ratios = np.split(np.empty(tables.starts[-1]), tables.starts[1:-1])  # one array, as in `leaves/scoring.py`

    def collect(variable: int) -> None:
        entries = Entries.of(blocks, variable)
        if tables.shared:
            placement = np.zeros(tables.starts[variable + 1] - tables.starts[variable])
            places = entries.starts - tables.starts[variable]
        else:
            placement = np.zeros(entries.sizes.sum())
            places = np.cumsum(entries.sizes) - entries.sizes
        _visit_variable(
            entries.positions,
            entries.holders,
            places,
            entries.starts,
            placement,
            precedence[:, variable],
            log_prefix,
            log_suffix,
            log_weights,
            blocks.before,
            blocks.members,
            blocks.member_starts,
            blocks.stride_starts,
            blocks.value_starts,
            blocks.strides,
            log_leaves,
        )
        if tables.shared:
            log_ratios[variable][:] = shared_log_ratio(tables, variable, placement)
        else:
            log_ratios[variable][:] = own_log_ratio(tables, blocks, variable, entries, placement, log_leaves)

    _ = blocks.owner, blocks.sizes, tables.starts, tables.slots  # cached before threads use them
    workers.run([partial(collect, v) for v in range(d)], workers.steps(work, d))
    return Predecessors(log_ratios, precedence)


@kernel
def _visit_variable(
    positions,
    holders,
    places,
    starts,
    placement,
    before_it,
    log_prefix,
    log_suffix,
    log_weights,
    before,
    members,
    member_starts,
    stride_starts,
    value_starts,
    strides,
    log_leaves,
):
    """Sum the visits of one variable over the blocks that contain it."""
    for entry in range(holders.size):
        block, j = holders[entry], positions[entry]
        log_weight = log_weights[block]
        if not log_weight > NEGLIGIBLE:
            continue
        first, last = member_starts[block], member_starts[block + 1]
        n = last - first
        within = np.zeros(n)
        _visit_block(
            j,
            placement,
            within,
            log_prefix[value_starts[block] : value_starts[block + 1]],
            log_suffix[value_starts[block] : value_starts[block + 1]],
            log_weight,
            places[entry],
            starts[entry],
            strides[stride_starts[block] + j * n : stride_starts[block] + (j + 1) * n],
            log_leaves,
        )
        for b in range(n):
            before_it[members[first + b]] += within[b]
        weight = math.exp(log_weight)
        for v in range(before.shape[1]):
            if before[block, v]:
                before_it[v] += weight


@kernel
def _visit_block(j, placement, within, log_prefix, log_suffix, log_weight, place, start, strides, log_leaves):
    """Add the visits of the j-th variable of one block; `within[b]` gets those that come after variable b."""
    n = strides.size
    bits = min(n, 8)
    full = (1 << n) - 1
    own = 1 << j
    log_scale = log_weight - log_prefix[full]
    low_index = np.zeros(1 << bits, np.int64)
    for b in range(bits):
        for pattern in range(1 << b):
            low_index[pattern | (1 << b)] = low_index[pattern] + strides[b]
    by_low = np.zeros(1 << bits)
    for row in range(1 << (n - bits)):
        if (row << bits) & own:
            continue
        row_index = 0
        for b in range(bits, n):
            if (row >> (b - bits)) & 1:
                row_index += strides[b]
        row_total = 0.0
        for low in range(1 << bits):
            if low & own:
                continue
            subset = (row << bits) | low
            index = row_index + low_index[low]
            log_leaf = log_leaves[start + index]
            log_probability = log_prefix[subset] + log_leaf + log_suffix[full ^ subset ^ own] + log_scale
            if log_probability > NEGLIGIBLE:
                probability = math.exp(log_probability)
                placement[place + index] += probability
                by_low[low] += probability
                row_total += probability
        for b in range(bits, n):
            if (row >> (b - bits)) & 1:
                within[b] += row_total
    for b in range(bits):
        for low in range(1 << bits):
            if (low >> b) & 1:
                within[b] += by_low[low]
