"""Expected total effects on blocks with leaf tables of their own, by the variables still to come.

For a subset X of a block that is placed already, let `T(X)[k, j]` be the mean effect of a placed k on a j still to
come. If m comes next after V, with X = V + m: `T(V)[k, j] = mean over m of T(X)[k, j] + w_m(V)[k] T(X)[m, j]`, where
`w_m(V)[k]` is the expected weight of k on m, and `T(X)[m, m] = 1`. A path into the block enters it at some m, so the
effect of any variable i on j is the sum over V and m of `P(V, then m) w_m(V)[i] T(X)[m, j]`; for a member i of the
block it is the sum over V of `P(V, then i) T(V + i)[i, j]`.

`lattice/path_effects.py` goes the other way and carries the effects of all d variables along; here only the n of the
block are: about `n**2 / 4` multiplications for each edge of the lattice instead of `n d / 2`. An expected weight is one
addition and one multiplication (`lattice/row_classes.py`). Weights of variables before the block are not tabulated: the
same steps are taken backwards, from effects of the predecessors V to effects of classes of rows.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.entering_paths import enter
from orderspn.lattice.expected_weights import ExpectedWeights
from orderspn.lattice.member_weights import weigh_members

BLOCK_MEMORY = 2**28
"""Most bytes of the recursion within one block."""

LEFT_OUT = 1e-14
"""Largest probability of all subsets of a block together that are left out."""


def block_bytes(n: int) -> int:
    """Return the bytes that the recursion within a block of n variables takes."""
    return 8 * n * n * (2**n + 2 ** (n - 1)) + 8 * n * 2 ** (n - 1)


def block_effects(
    some: list[int],
    blocks: Blocks,
    log_leaves: np.ndarray,
    log_prefix: np.ndarray,
    log_suffix: np.ndarray,
    weights: ExpectedWeights,
    rows: np.ndarray,
    effects: np.ndarray,
) -> None:
    """Fill the mean effects on the members of some blocks, diagonal 0.

    Those on the members of the i-th of them are in `effects` (members, d) from row `rows[i]` on.
    """
    tables = weights.tables
    _fill_blocks(
        np.array(some, dtype=np.int64),
        blocks.before,
        blocks.members,
        blocks.member_starts,
        blocks.value_starts,
        blocks.offsets,
        log_leaves,
        log_prefix,
        log_suffix,
        tables.slots,
        tables.outsider_rows,
        tables.row_starts,
        weights.masses,
        weights.powers,
        tables.starts,
        weights.by_row,
        weights.starts,
        weights.widths,
        rows,
        effects,
    )


@kernel
def _fill_blocks(
    batch,
    before,
    members,
    member_starts,
    value_starts,
    offsets,
    log_leaves,
    log_prefix,
    log_suffix,
    slots,
    outsiders,
    row_starts,
    masses,
    powers,
    mass_starts,
    means,
    mean_starts,
    widths,
    targets,
    effects,
):
    largest = 0
    for block in batch:
        largest = max(largest, member_starts[block + 1] - member_starts[block])
    # Made once, because memory for each block would come from the system, which takes longer than to fill it.
    room_then = np.empty((largest << largest) >> 1)
    room_inside = np.empty((largest * largest << largest) >> 1)
    room_later = np.empty(largest * largest << largest)
    for number in range(batch.size):
        block = batch[number]
        first, last = member_starts[block], member_starts[block + 1]
        values = slice(value_starts[block], value_starts[block + 1])
        own = members[first:last]
        n = own.size
        half = 1 << (n - 1)
        then = room_then[: n * half].reshape((n, half))
        inside = room_inside[: n * half * n].reshape((n, half, n))
        later = room_later[: 2 * half * n * n].reshape((2 * half, n, n))
        probabilities = _fill_steps(log_prefix[values], log_suffix[values], offsets[first:last], log_leaves, then)
        for b in range(n):
            child = own[b]
            sets, weights = slice(mass_starts[child], mass_starts[child + 1]), means[mean_starts[child] :]
            weigh_members(
                own,
                b,
                before[block],
                slots[child],
                outsiders[row_starts[child] : row_starts[child + 1]],
                masses[sets],
                powers[sets],
                weights[: (sets.stop - sets.start) * widths[child]].reshape((-1, widths[child])),
                then[b],
                inside[b],
            )
        _go_back(probabilities, then, inside, later)
        result = effects[targets[number] : targets[number] + n]
        for b in range(n):
            child = own[b]
            sets, weights = slice(mass_starts[child], mass_starts[child + 1]), means[mean_starts[child] :]
            enter(
                own,
                b,
                before[block],
                slots[child],
                outsiders[row_starts[child] : row_starts[child + 1]],
                masses[sets],
                powers[sets],
                weights[: (sets.stop - sets.start) * widths[child]].reshape((-1, widths[child])),
                then[b],
                later,
                result,
            )


@kernel
def _fill_steps(log_prefix, log_suffix, offsets, log_leaves, then):
    """Fill the probability of each step, `then[m, V]`: V comes first, and m next. Return those of the subsets.

    Negligible ones are 0, and steps to or from negligible subsets too.
    """
    n = offsets.size
    full = (1 << n) - 1
    negligible = math.log(LEFT_OUT) - n * math.log(2.0)
    probabilities = np.zeros(full + 1)
    for subset in range(full + 1):
        log_probability = log_prefix[subset] + log_suffix[full ^ subset] - log_prefix[full]
        if log_probability > negligible:
            probabilities[subset] = math.exp(log_probability)
    for m in range(n):
        below = (1 << m) - 1
        for entry in range(1 << (n - 1)):
            subset = (entry & below) | ((entry & ~below) << 1)
            above = subset | (1 << m)
            then[m, entry] = 0.0
            if probabilities[subset] > 0.0 and probabilities[above] > 0.0:
                log_leaf = log_leaves[offsets[m] + entry]
                log_step = log_prefix[subset] + log_leaf + log_suffix[full ^ above] - log_prefix[full]
                if log_step > negligible:
                    then[m, entry] = math.exp(log_step)
    return probabilities


@kernel
def _go_back(probabilities, then, inside, later):
    """Fill the effects of members on those still to come, `later[X, k, j]`, from the last subset on."""
    n = then.shape[0]
    placed, rest = np.empty(n, np.int64), np.empty(n, np.int64)
    for subset in range(probabilities.size - 1, -1, -1):
        if not probabilities[subset] > 0.0:
            continue
        own = later[subset]
        n_placed, n_rest = 0, 0
        for b in range(n):
            if (subset >> b) & 1:
                placed[n_placed] = b
                n_placed += 1
                for j in range(n):
                    own[b, j] = 0.0
                own[b, b] = 1.0
            else:
                rest[n_rest] = b
                n_rest += 1
        scale = 1.0 / probabilities[subset]
        for a in range(n_rest):
            m = rest[a]
            entry = (subset & ((1 << m) - 1)) | ((subset >> (m + 1)) << m)
            if not then[m, entry] > 0.0:
                continue
            share = scale * then[m, entry]
            weight, known = inside[m, entry], later[subset | (1 << m)]
            onto = known[m]
            for i in range(n_placed):
                k = placed[i]
                through = share * weight[k]
                result, same = own[k], known[k]
                for c in range(n_rest):
                    j = rest[c]
                    result[j] += share * same[j] + through * onto[j]
