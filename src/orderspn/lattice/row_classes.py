"""The rows of a family, grouped by the outsiders within a block that they need, for one set of candidates at a time.

The rows that need the same outsiders of the block are one *class*. What a set of outsiders opens is what the set
without its lowest outsider opens, and the classes with that outsider.

Mostly every class needs one outsider at most, and all masses are within the range of double precision. Then sums over
the classes that a set opens are made for half of all sets at once: `singly` in a name.
"""

from __future__ import annotations

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.leaves.block_leaves import add_number, block_axes, distinct_needs, rows_needed
from orderspn.leaves.transforms import NO_SHIFT_BEYOND, POWERS, ZERO_EXPONENT


@kernel
def classes_in_block(own, position, before, slots, outsiders):
    """Return how a block is composed, and the classes of the rows of one of its members.

    The results are the first parent set of each set of candidates; the parts of `block_axes` that tell places in
    tables; the class of each row; the number of classes; and those of `classes_by_outsider` and `classes_by_step`.
    """
    base, by_candidate, by_outsider, masks = block_axes(own, position, before, slots)
    needs = rows_needed(own, position, before, slots, outsiders)
    wanted, class_of = distinct_needs(needs, by_outsider.size)
    numbers = classes_by_outsider(wanted, by_outsider.size)
    step_starts, steps = classes_by_step(wanted, by_outsider.size)
    first_sets = (base + masks) * needs.size
    return first_sets, by_candidate, by_outsider, class_of, wanted.size, numbers, step_starts, steps


@kernel
def any_step(then, first, by_outsider):
    """Return whether any step is possible with one set of candidates."""
    found = False
    for o in range(by_outsider.size):
        found = found or then[first + by_outsider[o]] > 0.0
    return found


@kernel
def members_placed(own, position, slots, first, placed):
    """Return the members that may be placed before one of them, or else it and those that may still come.

    The first entry of a set of candidates, which tells which of them are placed, leaves the other members open.
    """
    found = np.empty(own.size, np.int64)
    n_found = 0
    for b in range(own.size):
        if b == position:
            fits = not placed
        else:
            fits = slots[own[b]] < 0 or ((first >> (b - (b > position))) & 1 == 1) == placed
        if fits:
            found[n_found] = b
            n_found += 1
    return found[:n_found]


@kernel
def candidates_in(slots, columns):
    """Return the bits of the candidates that have a column, and these columns, shape (candidates, 2)."""
    found = np.empty((slots.size, 2), np.int64)
    n_found = 0
    for v in range(slots.size):
        if slots[v] >= 0 and columns[v] >= 0:
            found[n_found, 0], found[n_found, 1] = slots[v], columns[v]
            n_found += 1
    return found[:n_found]


@kernel
def collect_classes(
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
        share = mass[first_set + row] * shift(exponent[number], power[first_set + row])
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
def classes_by_outsider(wanted, size):
    """Return the number of the class that needs nothing, then of those that need one outsider; -1 where none does.

    The result is empty if a class needs several.
    """
    n_bits = 0
    while 1 << n_bits < size:
        n_bits += 1
    numbers = np.full(1 + n_bits, -1, np.int64)
    for number in range(wanted.size):
        need = wanted[number]
        if need & (need - 1) != 0:
            return numbers[:0]
        place = 0
        while need >> place:
            place += 1
        numbers[place] = number
    return numbers


@kernel
def add_singly(numbers, values, sums):
    """Sum the values of the classes that each set of outsiders opens; `numbers` are from `classes_by_outsider`."""
    sums[0] = values[numbers[0]]
    half = 1
    for bit in range(numbers.size - 1):
        number = numbers[1 + bit]
        added = values[number] if number >= 0 else 0.0
        without, others = sums[:half], sums[half : 2 * half]
        for o in range(half):
            others[o] = without[o] + added
        half *= 2


@kernel(fastmath={"reassoc"})
def spread_singly(numbers, sums, values):
    """Add what each set of outsiders has to each class that it opens: `add_singly` backwards. Overwrites the sums.

    The compiler may add in any order, so that it can add several at once.
    """
    half = 1 << (numbers.size - 1)
    for bit in range(numbers.size - 2, -1, -1):
        half >>= 1
        without, others = sums[:half], sums[half : 2 * half]
        total = 0.0
        for o in range(half):
            total += others[o]
            without[o] += others[o]
        if numbers[1 + bit] >= 0:
            values[numbers[1 + bit]] = total
    values[numbers[0]] = sums[0]


@kernel
def classes_by_step(wanted, size):
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
def open_masses(step_starts, steps, class_mass, exponent, opened, opened_exponent):
    """Fill the mass that each set of outsiders opens, `opened * 2**opened_exponent`."""
    for o in range(opened.size):
        opened[o], opened_exponent[o] = 0.0, ZERO_EXPONENT
        if o > 0:
            opened[o], opened_exponent[o] = opened[o & (o - 1)], opened_exponent[o & (o - 1)]
        for step in range(step_starts[o], step_starts[o + 1]):
            add_number(opened, opened_exponent, o, class_mass[steps[step]], exponent[steps[step]])


@kernel
def shift(top, power):
    """Return `2**(power - top)`, for a power that is not above the top."""
    return POWERS[min(top - power, NO_SHIFT_BEYOND)]
