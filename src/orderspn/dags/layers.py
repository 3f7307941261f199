"""Sums over graphs by their layers: every graph counts once, and all terms are positive.

The layers of a graph are unique. The first has the variables without parents; each further one has the variables whose
parents are all in earlier layers, at least one of them in the layer just before. A *prefix* of a graph is given by its
first layers: the variables A, and the last layer T after them. The mass of all prefixes (A, T) is a sum over the layer
T' before:

    f(A, T) = sum over T' within A of f(A - T', T') * product over j in T of tau_j(A, T')

where `tau_j(A, T')` sums the scores of j over the parent sets within A that intersect T'. It starts with
`f({}, {}) = 1` and `tau_j({}, {}) = score_j({})`; the mass of all graphs on V is `f(V, {})`.

Scale. `f(A, T)` is stored divided by `2**best[A + T]` and `tau_j(A, T')` by `2**top[j, A]`, which leaves the factor
`2**(best[A] + sum of top[j, A] - best[A + T])`, at most 1. No graph with a relevant score underflows: if its prefix is
replaced by the best graph on A, or the parents of a variable in T by its best parents within A, it is still a graph,
and its score is no lower. So, up to 2**d, each factor of a graph is between its score relative to the best graph and 1,
and so is each product of some of its factors.

Steps at sets A of the same size are independent: each writes prefixes with its A, and reads those of smaller sets.

Prefixes are numbered in base 3: the digit of a variable is 1 in A, 2 in T and 0 outside of both.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.dags.score_tables import ScoreTables, remove_bit
from orderspn.kernels.kernel import kernel
from orderspn.leaves.transforms import NO_SHIFT_BEYOND, POWERS, ZERO_EXPONENT

NEGLIGIBLE = 1e-120
"""Prefixes with less mass, relative to the best graph, are skipped.

There are fewer than 1e47 graphs on 16 variables, so the lost mass is below 1e-60.
"""

PIECES = 8
"""Number of tasks into which the sets of one size are divided, for any number of threads."""

SMALLEST_TO_DIVIDE = 10
"""Smallest number of variables for which sets are divided."""


def ternary_numbers(d: int) -> np.ndarray:
    """Return each subset of d variables as a number in base 3 with digits 0 and 1, shape (2**d,)."""
    numbers = np.zeros(1 << d, np.int64)
    for bit in range(d):
        numbers[1 << bit : 2 << bit] = numbers[: 1 << bit] + 3**bit
    return numbers


def sets_by_size(d: int) -> list[list[np.ndarray]]:
    """Return the subsets of d variables by size, those of one size divided into tasks."""
    masks = np.arange(1 << d)
    sizes = np.bitwise_count(masks)
    n_pieces = PIECES if d >= SMALLEST_TO_DIVIDE else 1
    levels = [np.array_split(masks[sizes == size], n_pieces) for size in range(d + 1)]
    return [[piece for piece in level if piece.size] for level in levels]


def layer_masses(tables: ScoreTables, workers: Workers) -> np.ndarray:
    """Return the mass of all prefixes, shape (3**d,); the entry of V is the mass of all graphs."""
    d = tables.n_variables
    ternary = ternary_numbers(d)
    masses = np.zeros(3**d)
    masses[0] = 1.0
    levels = sets_by_size(d)
    steps = workers.steps("graphs", sum(map(len, levels)))
    for level in levels:  # a step reads the results of smaller sets
        tasks = [
            partial(_extend, sets, ternary, tables.mantissa, tables.top, tables.best, tables.through, masses)
            for sets in level
        ]
        workers.run(tasks, steps)
    return masses


@kernel
def _extend(sets, ternary, mantissa, top, best, through, masses):
    """Extend the prefixes on each of the given sets, all of one size, by one more layer."""
    d = top.shape[0]
    full = (1 << d) - 1
    for before in sets:
        if best[before] == ZERO_EXPONENT:
            continue
        inside, outside = members_of(before, d), members_of(full ^ before, d)
        layers, following = subsets_of(inside), subsets_of(outside)
        scores = meeting_scores(before, inside, outside, layers, mantissa, top, through)
        sums = np.zeros(following.size)
        products = np.empty(following.size)
        for i in range(layers.size):
            mass = masses[ternary[before ^ layers[i]] + 2 * ternary[layers[i]]]
            if mass < NEGLIGIBLE or (i == 0 and before != 0):
                continue
            products[0] = mass
            sums[0] += mass
            for b in range(outside.size):
                score, half = scores[b, i], 1 << b
                for t in range(half):
                    product = products[t] * score
                    products[half + t] = product
                    sums[half + t] += product
        if before == full:
            masses[ternary[full]] = sums[0]
        scales = step_scales(before, outside, following, top, best)
        for t in range(1, following.size):
            masses[ternary[before] + 2 * ternary[following[t]]] = sums[t] * scales[t]


@kernel
def meeting_scores(before, inside, outside, layers, mantissa, top, through):
    """Return `tau_j(before, T') / 2**top[j, before]` for each j outside and each T' within, shape (outside, layers).

    Let t be the highest member of T'. Parent sets that intersect T' either intersect the rest of it, or contain t and
    no other member of T'. So all terms are positive. Before the first layer it is the score of the empty set.
    """
    scores = np.empty((outside.size, layers.size))
    for row in range(outside.size):
        j = outside[row]
        scores[row, 0] = mantissa[j, 0] if before == 0 else 0.0
        for b in range(inside.size):
            t, half = inside[b], 1 << b
            for i in range(half):
                others = before ^ layers[half + i]
                shift = top[j, before] - top[j, others | (1 << t)]
                added = through[j, t, remove_bit(others, t)] * POWERS[min(shift, NO_SHIFT_BEYOND)]
                scores[row, half + i] = scores[row, i] + added
    return scores


@kernel
def step_scales(before, outside, following, top, best):
    """Return `2**(best[A] + sum of top[j, A] over j in T - best[A + T])` for each T outside; 0 if there is no graph."""
    exponents = np.empty(following.size, np.int64)
    exponents[0] = best[before]
    for b in range(outside.size):
        for t in range(1 << b):
            exponents[(1 << b) + t] = exponents[t] + top[outside[b], before]
    scales = np.zeros(following.size)
    for t in range(following.size):
        after = best[before | following[t]]
        if after != ZERO_EXPONENT:
            scales[t] = POWERS[min(after - exponents[t], NO_SHIFT_BEYOND)]
    return scales


@kernel
def members_of(mask, d):
    """Return the variables of a set, ascending."""
    members = np.empty(d, np.int64)
    count = 0
    for j in range(d):
        if (mask >> j) & 1:
            members[count] = j
            count += 1
    return members[:count]


@kernel
def subsets_of(members):
    """Return all subsets as masks, shape (2**n,): bit b of the index is the b-th member."""
    subsets = np.zeros(1 << members.size, np.int64)
    for b in range(members.size):
        for i in range(1 << b):
            subsets[(1 << b) + i] = subsets[i] | (1 << members[b])
    return subsets
