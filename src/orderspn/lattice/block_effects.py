"""Expected total effects on blocks with leaf tables of their own, by the variables still to come.

For a subset X of a block that is placed already, let `T(X)[k, j]` be the mean effect of a placed k on a j still to
come. If m comes next after V, with X = V + m: `T(V)[k, j] = mean over m of T(X)[k, j] + w_m(V)[k] T(X)[m, j]`, where
`w_m(V)[k]` is the expected weight of k on m, and `T(X)[m, m] = 1`. A path into the block enters it at some m, so the
effect of any variable i on j is the sum over V and m of `P(V, then m) w_m(V)[i] T(X)[m, j]`; for a member i of the
block it is the sum over V of `P(V, then i) T(V + i)[i, j]`.

`lattice/path_effects.py` goes the other way and carries the effects of all d variables along; here only the n of the
block are: about `n**2 / 4` multiplications for each edge of the lattice instead of `n d / 2`. The rows of a family that
need the same outsiders of the block are one *class*. What V opens is what V without one outsider opens, and the classes
with that outsider, so an expected weight is one addition and one multiplication. Weights of variables before the block
are not tabulated: the same steps are taken backwards, from effects of the predecessors V to effects of classes.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.expected_weights import ExpectedWeights
from orderspn.leaves.block_leaves import add_number, block_axes, distinct_needs, open_gap, rows_needed
from orderspn.leaves.transforms import NO_SHIFT_BEYOND, POWERS, ZERO_EXPONENT

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
            _weigh_members(
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
            _enter(
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


@kernel
def _weigh_members(own, position, before, slots, outsiders, mass, power, means, then, inside):
    """Fill the expected weights of the members of a block on one of them, [entry, member], where steps are possible."""
    n = own.size
    columns = np.full(before.size, -1, np.int64)
    for b in range(n):
        columns[own[b]] = b
    base, by_candidate, by_outsider, masks = block_axes(own, position, before, slots)
    needs = rows_needed(own, position, before, slots, outsiders)
    size = by_outsider.size
    wanted, class_of = distinct_needs(needs, size)
    step_starts, steps = _classes_by_step(wanted, size)
    candidates = _candidates_in(slots, columns)
    class_mass, exponent = np.empty(wanted.size), np.empty(wanted.size, np.int32)
    opened, opened_exponent = np.empty(size), np.empty(size, np.int32)
    weighted, sums = np.empty((wanted.size, n)), np.empty((size, n))
    for c in range(by_candidate.size):
        possible = False
        for o in range(size):
            possible = possible or then[by_candidate[c] + by_outsider[o]] > 0.0
        if not possible:
            continue
        first_set = (base + masks[c]) * needs.size
        _collect_classes(
            first_set, class_of, mass, power, means, candidates, columns, outsiders, class_mass, exponent, weighted
        )
        _open_masses(step_starts, steps, class_mass, exponent, opened, opened_exponent)
        for o in range(size):
            total, target, top = sums[o], inside[by_candidate[c] + by_outsider[o]], opened_exponent[o]
            known, keep = sums[o & (o - 1)], _shift(top, opened_exponent[o & (o - 1)])
            scale = 1.0 / opened[o] if opened[o] > 0.0 else 0.0
            if o > 0 and step_starts[o + 1] - step_starts[o] == 1:  # the usual case, in one loop
                number = steps[step_starts[o]]
                weight, factor = weighted[number], _shift(top, exponent[number])
                for b in range(n):
                    total[b] = keep * known[b] + factor * weight[b]
                    target[b] = scale * total[b]
                continue
            for b in range(n):
                total[b] = keep * known[b] if o > 0 else 0.0
            for step in range(step_starts[o], step_starts[o + 1]):
                weight, factor = weighted[steps[step]], _shift(top, exponent[steps[step]])
                for b in range(n):
                    total[b] += factor * weight[b]
            for b in range(n):
                target[b] = scale * total[b]


@kernel
def _enter(own, position, before, slots, outsiders, mass, power, means, then, later, result):
    """Add the effects along the paths that enter a block at one of its members, or begin there."""
    n = own.size
    columns, listed = np.full(before.size, -1, np.int64), np.empty(before.size, np.int64)
    n_columns = 0
    for v in range(before.size):
        if before[v]:
            columns[v] = n_columns
            listed[n_columns] = v
            n_columns += 1
    base, by_candidate, by_outsider, masks = block_axes(own, position, before, slots)
    needs = rows_needed(own, position, before, slots, outsiders)
    size = by_outsider.size
    wanted, class_of = distinct_needs(needs, size)
    step_starts, steps = _classes_by_step(wanted, size)
    candidates = _candidates_in(slots, columns)
    class_mass, exponent = np.empty(wanted.size), np.empty(wanted.size, np.int32)
    opened, opened_exponent = np.empty(size), np.empty(size, np.int32)
    weighted, sums = np.empty((wanted.size, n_columns)), np.empty((size, n))
    onto = np.empty((wanted.size, n))
    begun = np.zeros(n)  # effects of the member itself
    entered = np.zeros((n, n_columns))  # and of the variables before the block
    whole_candidate, whole_outsider = by_candidate.copy(), by_outsider.copy()
    open_gap(whole_candidate, position)
    open_gap(whole_outsider, position)
    for c in range(by_candidate.size):
        possible = False
        for o in range(size):
            possible = possible or then[by_candidate[c] + by_outsider[o]] > 0.0
        if not possible:
            continue
        first_set = (base + masks[c]) * needs.size
        _collect_classes(
            first_set, class_of, mass, power, means, candidates, columns, outsiders, class_mass, exponent, weighted
        )
        _open_masses(step_starts, steps, class_mass, exponent, opened, opened_exponent)
        for o in range(size):
            probability = then[by_candidate[c] + by_outsider[o]]
            own_sums = sums[o]
            if not probability > 0.0:
                own_sums[:] = 0.0
                continue
            effect = later[whole_candidate[c] + whole_outsider[o] + (1 << position), position]
            scale = 1.0 / opened[o] if opened[o] > 0.0 else 0.0
            for j in range(n):
                passed = probability * effect[j]
                begun[j] += passed
                own_sums[j] = scale * passed
        # The steps of `_weigh_members`, backwards: what a set has goes to the classes that it opened, and to the set
        # before.
        onto[:] = 0.0
        for o in range(size - 1, -1, -1):
            own_sums, top = sums[o], opened_exponent[o]
            for step in range(step_starts[o], step_starts[o + 1]):
                reached, factor = onto[steps[step]], _shift(top, exponent[steps[step]])
                for j in range(n):
                    reached[j] += factor * own_sums[j]
            if o > 0:
                target, keep = sums[o & (o - 1)], _shift(top, opened_exponent[o & (o - 1)])
                for j in range(n):
                    target[j] += keep * own_sums[j]
        for number in range(wanted.size):
            weight = weighted[number]
            for j in range(n):
                effect, target = onto[number, j], entered[j]
                for v in range(n_columns):
                    target[v] += effect * weight[v]
    for j in range(n):
        if j != position:
            result[j, own[position]] += begun[j]
        for v in range(n_columns):
            result[j, listed[v]] += entered[j, v]


@kernel
def _candidates_in(slots, columns):
    """Return the bits of the candidates that have a column, and these columns, shape (candidates, 2)."""
    found = np.empty((slots.size, 2), np.int64)
    n_found = 0
    for v in range(slots.size):
        if slots[v] >= 0 and columns[v] >= 0:
            found[n_found, 0], found[n_found, 1] = slots[v], columns[v]
            n_found += 1
    return found[:n_found]


@kernel
def _collect_classes(
    first_set, class_of, mass, power, means, candidates, columns, outsiders, class_mass, exponent, weighted
):
    """Sum the masses of the rows of each class for one set of candidates, and their mean weights times these.

    Both are relative to a power of 2, the exponent of the class.
    """
    n_candidates = means.shape[1] - outsiders.shape[1]
    for number in range(class_mass.size):
        class_mass[number], exponent[number] = 0.0, ZERO_EXPONENT
        weighted[number, :] = 0.0
    for row in range(class_of.size):
        if class_of[row] >= 0:
            exponent[class_of[row]] = max(exponent[class_of[row]], power[first_set + row])
    for row in range(class_of.size):
        if class_of[row] < 0 or not mass[first_set + row] > 0.0:
            continue
        number = class_of[row]
        share = mass[first_set + row] * _shift(exponent[number], power[first_set + row])
        class_mass[number] += share
        own, mean = weighted[number], means[first_set + row]
        for k in range(candidates.shape[0]):
            own[candidates[k, 1]] += share * mean[candidates[k, 0]]
        if row > 0:
            for k in range(outsiders.shape[1]):
                variable = outsiders[row - 1, k]
                if variable >= 0 and columns[variable] >= 0:
                    own[columns[variable]] += share * mean[n_candidates + k]


@kernel
def _classes_by_step(wanted, size):
    """List the classes that each set of outsiders opens and the set without its lowest outsider does not.

    Those of set o are from `starts[o]` to `starts[o + 1]`; those of the empty set need nothing.
    """
    starts = np.zeros(size + 1, np.int64)
    for o in range(size):
        starts[o + 1] = starts[o]
        for need in wanted:
            if need & ~o == 0 and (need & o & -o != 0 or o == 0):
                starts[o + 1] += 1
    listed = np.empty(starts[size], np.int64)
    filled = 0
    for o in range(size):
        for number in range(wanted.size):
            need = wanted[number]
            if need & ~o == 0 and (need & o & -o != 0 or o == 0):
                listed[filled] = number
                filled += 1
    return starts, listed


@kernel
def _open_masses(step_starts, steps, class_mass, exponent, opened, opened_exponent):
    """Fill the mass that each set of outsiders opens, `opened * 2**opened_exponent`."""
    for o in range(opened.size):
        opened[o], opened_exponent[o] = 0.0, ZERO_EXPONENT
        if o > 0:
            opened[o], opened_exponent[o] = opened[o & (o - 1)], opened_exponent[o & (o - 1)]
        for step in range(step_starts[o], step_starts[o + 1]):
            add_number(opened, opened_exponent, o, class_mass[steps[step]], exponent[steps[step]])


@kernel
def _shift(top, power):
    """Return `2**(power - top)`, for a power that is not above the top."""
    return POWERS[min(top - power, NO_SHIFT_BEYOND)]
