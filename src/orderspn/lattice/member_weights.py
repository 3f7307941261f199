"""Expected weights of the members of a block on one of them, given which others are placed already."""

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
)
from orderspn.leaves.transforms import rows_share_exponent


@kernel
def weigh_members(own, position, before, slots, outsiders, mass, power, means, then, inside):
    """Fill the expected weights of the members of a block on one of them, [entry, member], where steps are possible.

    Only those of members that are placed are filled.
    """
    n = own.size
    columns = np.full(before.size, -1, np.int64)
    for b in range(n):
        columns[own[b]] = b
    first_sets, by_candidate, by_outsider, class_of, n_classes, numbers, step_starts, steps = classes_in_block(
        own, position, before, slots, outsiders
    )
    size, classes = by_outsider.size, np.arange(n_classes)
    candidates = candidates_in(slots, columns)
    class_mass, exponent, weighted = np.empty(n_classes), np.empty(n_classes, np.int32), np.empty((n_classes, n))
    sums = np.empty((n, size))
    for c in range(by_candidate.size):
        first = by_candidate[c]
        if not any_step(then, first, by_outsider):
            continue
        collect_classes(
            first_sets[c], class_of, mass, power, means, candidates, columns, outsiders, class_mass, exponent, weighted
        )
        if numbers.size > 0 and rows_share_exponent(weighted, class_mass, exponent, classes):
            placed = members_placed(own, position, slots, first, True)
            _weigh_singly(numbers, class_mass, weighted, placed, first, by_outsider, sums, inside)
        else:
            _weigh_by_steps(step_starts, steps, class_mass, exponent, weighted, first, by_outsider, inside)


@kernel
def _weigh_singly(numbers, class_mass, weighted, placed, first, by_outsider, sums, inside):
    """Fill the weights for one set of candidates, where each class needs one outsider at most."""
    scale = sums[placed.size]
    add_singly(numbers, class_mass, scale)
    for o in range(by_outsider.size):
        scale[o] = 1.0 / scale[o] if scale[o] > 0.0 else 0.0
    for i in range(placed.size):
        add_singly(numbers, weighted[:, placed[i]], sums[i])
    for o in range(by_outsider.size):
        target = inside[first + by_outsider[o]]
        for i in range(placed.size):
            target[placed[i]] = scale[o] * sums[i, o]


@kernel
def _weigh_by_steps(step_starts, steps, class_mass, exponent, weighted, first, by_outsider, inside):
    """Fill the weights for one set of candidates, with exponents."""
    size, n = by_outsider.size, weighted.shape[1]
    opened, opened_exponent, sums = np.empty(size), np.empty(size, np.int32), np.empty((size, n))
    open_masses(step_starts, steps, class_mass, exponent, opened, opened_exponent)
    for o in range(size):
        total, target, top = sums[o], inside[first + by_outsider[o]], opened_exponent[o]
        known, keep = sums[o & (o - 1)], shift(top, opened_exponent[o & (o - 1)])
        scale = 1.0 / opened[o] if opened[o] > 0.0 else 0.0
        for b in range(n):
            total[b] = keep * known[b] if o > 0 else 0.0
        for step in range(step_starts[o], step_starts[o + 1]):
            weight, factor = weighted[steps[step]], shift(top, exponent[steps[step]])
            for b in range(n):
                total[b] += factor * weight[b]
        for b in range(n):
            target[b] = scale * total[b]
