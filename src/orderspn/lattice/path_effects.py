"""Expected total effects along all directed paths that enter a block and stay in it.

For a subset U of the block let `E(U)[k, i]` be the mean effect of source i on member k over the orders of U
and their graphs, without the diagonal. Placing j after U leaves the effects among U as they are and adds a
column: directly, by the expected weight of i on j, and through the members of U,
`E(U + j)[j, i] = w_j(U)[i] + sum over k in U of E(U)[k, i] w_j(U)[k]`; weights of different variables are
independent given the order, so means multiply. `E(V)` is the mean over the last member j of V, with the
probabilities of the lattice. Only two levels (sizes of U) are kept.

Cost: for each edge of the lattice `|U|` times the number of sources. Sources are taken in groups that keep the
two largest levels within a bound on memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numba import njit

from orderspn.core.workers import Workers
from orderspn.lattice.layout import BlockLayout
from orderspn.leaves.family import Family

UNSEEN = -90.0
"""Log probability below which a subset does not take part: its effects would be scaled by less than 1e-39."""

PIECES_PER_LEVEL = 16

MeanWeights = Callable[[Family], np.ndarray]
"""Gives, for a family, the mean weight of each candidate under each parent set, shape (2**K, K)."""


@dataclass(frozen=True, eq=False)
class WeightTables:
    """Expected weights of every family of a block given its predecessors, in one flat array.

    The weight of variable v on variable j of the block, for entry u of the table of j, is at
    `starts[j] + u * sizes[j] + slots[j, v]`; `slots` is -1 where v is no candidate of j.
    """

    flat: np.ndarray
    starts: np.ndarray  # (n,)
    sizes: np.ndarray  # (n,) number of candidates
    slots: np.ndarray  # (n, d)


def weight_tables(
    families: Sequence[Family], weights: MeanWeights, layout: BlockLayout, workers: Workers, work: str
) -> WeightTables:
    """Average weights given parent sets into expectations given predecessors."""
    members = [families[v] for v in layout.variables]
    sizes = np.array([f.candidates.size for f in members], dtype=np.int64)
    lengths = [f.log_score.size * f.candidates.size for f in members]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    slots = np.full((layout.n, len(families)), -1, dtype=np.int64)
    for j, family in enumerate(members):
        slots[j, family.candidates] = np.arange(family.candidates.size)
    flat = np.empty(starts[-1])

    def fill(j: int) -> None:
        family = members[j]
        flat[starts[j] : starts[j + 1]] = family.expected_weights(weights(family)).ravel()

    workers.run([partial(fill, j) for j in range(layout.n)], workers.steps(work, layout.n))
    return WeightTables(flat, starts[:-1], sizes, slots)


def path_effects(
    layout: BlockLayout,
    log_leaves: np.ndarray,
    log_prefix: np.ndarray,
    log_suffix: np.ndarray,
    tables: WeightTables,
    sources: np.ndarray,
    memory: int,
    workers: Workers,
    work: str,
) -> np.ndarray:
    """Mean effect of each source on each variable of the block, shape (sources, n), diagonal 0."""
    levels = _subsets_by_size(layout.n)
    rank = np.empty(1 << layout.n, dtype=np.int32)
    for level in levels:
        rank[level] = np.arange(level.size)
    group = _group_size(layout.n, memory)
    groups = [sources[i : i + group] for i in range(0, sources.size, group)]
    steps = workers.steps(work, len(groups) * layout.n * PIECES_PER_LEVEL)
    effects = []
    for chosen in groups:
        below = np.zeros((1, 0, chosen.size))
        for size in range(1, layout.n + 1):
            level = levels[size]
            above = np.zeros((level.size, size, chosen.size))
            bounds = np.linspace(0, level.size, PIECES_PER_LEVEL + 1).astype(np.int64)
            workers.run(
                [
                    partial(
                        _extend_level,
                        level,
                        int(bounds[p]),
                        int(bounds[p + 1]),
                        below,
                        above,
                        rank,
                        log_prefix,
                        log_suffix,
                        log_leaves,
                        layout.offsets,
                        layout.strides,
                        layout.table_starts,
                        layout.variables,
                        tables.flat,
                        tables.starts,
                        tables.sizes,
                        tables.slots,
                        chosen,
                    )
                    for p in range(PIECES_PER_LEVEL)
                ],
                steps,
            )
            below = above
        effects.append(below[0].T)
    return np.concatenate(effects)


def _subsets_by_size(n: int) -> list[np.ndarray]:
    masks = np.arange(1 << n, dtype=np.int64)
    sizes = np.bitwise_count(masks)
    by_size = np.argsort(sizes, kind="stable")
    return np.split(masks[by_size], np.cumsum(np.bincount(sizes, minlength=n + 1))[:-1])


def _group_size(n: int, memory: int) -> int:
    """How many sources at a time keep two neighbouring levels within `memory` bytes."""
    per_source = max(
        8 * (math.comb(n, size) * size + math.comb(n, size - 1) * (size - 1)) for size in range(1, n + 1)
    )
    return max(1, memory // per_source)


@njit(cache=True, nogil=True)
def _extend_level(
    level,
    first,
    last,
    below,
    above,
    rank,
    log_prefix,
    log_suffix,
    log_leaves,
    offsets,
    strides,
    table_starts,
    variables,
    weights,
    weight_starts,
    weight_sizes,
    slots,
    sources,
):
    n = offsets.size
    full = (1 << n) - 1
    members = np.empty(n, np.int64)
    for position in range(first, last):
        subset = level[position]
        if not log_prefix[subset] + log_suffix[full ^ subset] - log_prefix[full] > UNSEEN:
            continue
        size = 0
        for b in range(n):
            if (subset >> b) & 1:
                members[size] = b
                size += 1
        result = above[position]
        for a in range(size):
            j = members[a]
            rest = subset ^ (1 << j)
            index = offsets[j]
            for m in range(size):
                index += strides[j, members[m]]
            log_share = log_prefix[rest] + log_leaves[index] - log_prefix[subset]
            if not log_share > UNSEEN:
                continue
            share = math.exp(log_share)
            known = below[rank[rest]]
            base = weight_starts[j] + (index - table_starts[j]) * weight_sizes[j]
            for s in range(sources.size):
                slot = slots[j, sources[s]]
                if slot >= 0:
                    result[a, s] += share * weights[base + slot]
            row = 0
            for m in range(size):
                if m == a:
                    continue
                slot = slots[j, variables[members[m]]]
                through = share * weights[base + slot] if slot >= 0 else 0.0
                for s in range(sources.size):
                    result[m, s] += share * known[row, s]
                    result[a, s] += through * known[row, s]
                row += 1
