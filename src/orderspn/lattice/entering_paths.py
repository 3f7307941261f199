"""Effects along the paths that enter a block at one of its members, or begin there."""

from __future__ import annotations

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.lattice.row_classes import (
    add_singly,
    any_step,
    candidates_in,
    classes_in_block,
    collect_classes,
    members_placed,
    open_masses,
    shift,
    spread_singly,
)
from orderspn.leaves.block_leaves import open_gap
from orderspn.leaves.transforms import rows_share_exponent


@kernel
def enter(own, position, before, slots, outsiders, mass, power, means, then, later, result):
    """Add the effects along the paths that enter a block at one of its members, or begin there.

    The steps of `weigh_members`, backwards: what a set has goes to the classes that it opened.
    """
    n = own.size
    columns, listed = np.full(before.size, -1, np.int64), np.flatnonzero(before)
    for column in range(listed.size):
        columns[listed[column]] = column
    first_sets, by_candidate, by_outsider, class_of, n_classes, numbers, step_starts, steps = classes_in_block(
        own, position, before, slots, outsiders
    )
    size, classes = by_outsider.size, np.arange(n_classes)
    candidates = candidates_in(slots, columns)
    class_mass, exponent = np.empty(n_classes), np.empty(n_classes, np.int32)
    weighted, onto, sums = np.empty((n_classes, listed.size)), np.empty((n, n_classes)), np.empty((n + 1, size))
    probabilities = np.empty(size)
    begun, entered = np.zeros(n), np.zeros((n, listed.size))  # effects of the member itself, and of those before
    whole_candidate, whole_outsider = by_candidate.copy(), by_outsider.copy()
    open_gap(whole_candidate, position)
    open_gap(whole_outsider, position)
    for c in range(by_candidate.size):
        first = by_candidate[c]
        if not any_step(then, first, by_outsider):
            continue
        collect_classes(
            first_sets[c], class_of, mass, power, means, candidates, columns, outsiders, class_mass, exponent, weighted
        )
        above = whole_candidate[c] + (1 << position)
        for o in range(size):
            probabilities[o] = then[first + by_outsider[o]]
        rest = members_placed(own, position, slots, first, False)
        if numbers.size > 0 and rows_share_exponent(weighted, class_mass, exponent, classes):
            _enter_singly(
                numbers, class_mass, probabilities, rest, above, position, whole_outsider, later, sums, begun, onto
            )
        else:
            _enter_by_steps(
                step_starts,
                steps,
                class_mass,
                exponent,
                probabilities,
                rest,
                above,
                position,
                whole_outsider,
                later,
                sums,
                begun,
                onto,
            )
        for j in rest:
            target = entered[j]
            for number in range(n_classes):
                effect, weight = onto[j, number], weighted[number]
                for v in range(listed.size):
                    target[v] += effect * weight[v]
    for j in range(n):
        if j != position:
            result[j, own[position]] += begun[j]
        for v in range(listed.size):
            result[j, listed[v]] += entered[j, v]


@kernel
def _enter_singly(numbers, class_mass, probabilities, rest, above, position, whole_outsider, later, sums, begun, onto):
    """Fill the effects of the classes, where each needs one outsider at most, on the members still to come."""
    opened = sums[rest.size]
    add_singly(numbers, class_mass, opened)
    for o in range(probabilities.size):
        probability = probabilities[o]
        if not probability > 0.0:
            for i in range(rest.size):
                sums[i, o] = 0.0
            continue
        effect = later[above + whole_outsider[o], position]
        scale = probability / opened[o] if opened[o] > 0.0 else 0.0
        for i in range(rest.size):
            begun[rest[i]] += probability * effect[rest[i]]
            sums[i, o] = scale * effect[rest[i]]
    for i in range(rest.size):
        spread_singly(numbers, sums[i], onto[rest[i]])


@kernel
def _enter_by_steps(
    step_starts,
    steps,
    class_mass,
    exponent,
    probabilities,
    rest,
    above,
    position,
    whole_outsider,
    later,
    sums,
    begun,
    onto,
):
    """Fill the effects of the classes on the members still to come, with exponents."""
    size = probabilities.size
    opened, opened_exponent = np.empty(size), np.empty(size, np.int32)
    open_masses(step_starts, steps, class_mass, exponent, opened, opened_exponent)
    onto[:] = 0.0
    for j in rest:
        own = sums[j]
        for o in range(size):
            own[o] = 0.0
            if probabilities[o] > 0.0:
                passed = probabilities[o] * later[above + whole_outsider[o], position, j]
                begun[j] += passed
                own[o] = passed / opened[o] if opened[o] > 0.0 else 0.0
        for o in range(size - 1, -1, -1):
            for step in range(step_starts[o], step_starts[o + 1]):
                onto[j, steps[step]] += shift(opened_exponent[o], exponent[steps[step]]) * own[o]
            if o > 0:
                own[o & (o - 1)] += shift(opened_exponent[o], opened_exponent[o & (o - 1)]) * own[o]
