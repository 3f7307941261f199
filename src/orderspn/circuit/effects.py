"""Expected total effects on a circuit: the paper's recursion, and the direct paths that its product rule leaves out.

For a region `(S_1, S_2)`, let `E[i, j]` be the mean effect of any variable i on j in S_2 along paths that enter S_2
with their first edge and stay in it (diagonal 0). A sum node takes the mean over its partitions. For a product with
parts `(S_1, A)` and `(S_1 + A, B)`, effects on A are those of the first part. A path to j in B enters B directly, or
from the last variable k of A that it visits: `E[i, j] = E_2[i, j] + sum over k in A of E_1[i, k] E_2[k, j]`.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from orderspn.circuit.structure import Structure
from orderspn.core.room import Room
from orderspn.core.workers import Workers
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.lattice.block_effects import BLOCK_MEMORY, block_bytes, block_effects
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.expected_weights import ExpectedWeights
from orderspn.lattice.path_effects import path_effects

TASKS = 128
"""Number of tasks into which thousands of blocks are grouped, because each task has its cost."""


def region_effects(
    structure: Structure,
    log_share: np.ndarray,
    blocks: Blocks,
    log_leaves: np.ndarray,
    log_prefix: np.ndarray,
    log_suffix: np.ndarray,
    weights: ExpectedWeights,
    workers: Workers,
) -> np.ndarray:
    """Return the mean effects on the variables of the root, shape (d, root), diagonal 0."""
    d = structure.variables.shape[1]
    starts = np.concatenate([[0], np.cumsum(structure.sizes)])
    members = np.nonzero(structure.variables)[1].astype(np.int64)
    effects = np.zeros((starts[-1], d))  # [member of a region, source]
    single = blocks.sizes == 1
    # A block of one variable has only the direct effects on it.
    effects[starts[structure.blocks[single]]] = weights.of_single(np.flatnonzero(single))
    possible = blocks.totals(log_prefix) > -np.inf
    larger = np.flatnonzero(~single & possible).tolist()
    # Threads compute whole blocks, because the levels of one block are too small to divide. Few blocks are large.
    within, among = (workers, Workers()) if len(larger) < workers.n_jobs else (Workers(), workers)

    def fill(some: list[int]) -> None:
        if one_way:
            rows = starts[structure.blocks[some]]
            block_effects(some, blocks, log_leaves, log_prefix, log_suffix, weights, rows, effects)
            return
        room = Room()
        for block in some:
            region = structure.blocks[block]
            effects[starts[region] : starts[region + 1]] = path_effects(
                blocks, block, log_leaves, log_prefix, log_suffix, weights, BLOCK_MEMORY, within, room
            ).T

    largest = int(blocks.sizes.max(initial=1))
    one_way = not weights.tables.shared and block_bytes(largest) <= BLOCK_MEMORY
    if larger:
        weights.prepare()  # the tables that all blocks read, with all threads
    shares = [larger[number::TASKS] for number in range(min(TASKS, len(larger)))]
    among.run([partial(fill, share) for share in shares], workers.steps("effects", len(shares)))
    _combine(structure.partition_starts, structure.first, structure.second, log_share, starts, members, effects)
    return effects[: starts[1]].T.copy()


@kernel
def _combine(partition_starts, first, second, log_share, starts, members, effects):
    """Compute the effects of the sum nodes from those of their parts, last region first."""
    d = effects.shape[1]
    place = np.empty(d, np.int64)
    onto = np.empty(d)
    for region in range(partition_starts.size - 2, -1, -1):
        for m in range(starts[region], starts[region + 1]):
            place[members[m]] = m
        for p in range(partition_starts[region], partition_starts[region + 1]):
            share = math.exp(log_share[p])
            if share == 0.0:
                continue
            a, b = first[p], second[p]
            for k in range(starts[a], starts[a + 1]):
                target = place[members[k]]
                for i in range(d):
                    effects[target, i] += share * effects[k, i]
            for j in range(starts[b], starts[b + 1]):
                copy_into(onto, effects[j])
                for k in range(starts[a], starts[a + 1]):
                    through = effects[j, members[k]]
                    for i in range(d):
                        onto[i] += through * effects[k, i]
                target = place[members[j]]
                for i in range(d):
                    effects[target, i] += share * onto[i]
