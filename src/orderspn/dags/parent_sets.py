"""The posterior of every parent set of every variable, by a backward pass through the layers.

The mass of all completions of a prefix (A, T) is a sum over the layer that follows:

    g(A, T) = sum over T2 outside of A + T of g(A + T, T2) * product over j in T2 of tau_j(A + T, T)

with `g(V, {}) = 1`. It is stored times `2**(best[A + T] - best[V])`. So f times g is relative to the best graph, the
factor of a step is the same as in the forward pass, and by the same argument no graph with a relevant score underflows.

At the step from (A - T', T') to (A, T2), the derivative of the mass with respect to `tau_j(A, T')`, times `score_j(S)`,
is the mass of the graphs in which j has the parents S, follows A and has T' as the layer before, for every S within A
that intersects T'. Summed over T' and A it is the posterior of S.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.dags.layers import (
    NEGLIGIBLE,
    meeting_scores,
    members_of,
    sets_by_size,
    step_scales,
    subsets_of,
    ternary_numbers,
)
from orderspn.dags.score_tables import ScoreTables
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.leaves.transforms import NO_SHIFT_BEYOND, POWERS, ZERO_EXPONENT


def dense_probabilities(tables: ScoreTables, masses: np.ndarray, workers: Workers) -> np.ndarray:
    """Return the posterior of all parent sets by masks over all variables, shape (d, 2**d), given prefix masses."""
    d = tables.n_variables
    ternary = ternary_numbers(d)
    completions = np.zeros(3**d)
    completions[ternary[-1]] = 1.0
    levels = sets_by_size(d)
    shares = np.zeros((max(map(len, levels)), d, 1 << d))  # one per task, summed in a fixed order
    steps = workers.steps("parent sets", sum(map(len, levels)))
    for level in reversed(levels):  # a step reads the results of larger sets
        tasks = [
            partial(
                _step_back,
                sets,
                ternary,
                tables.mantissa,
                tables.exponent,
                tables.top,
                tables.best,
                tables.through,
                masses,
                completions,
                share,
            )
            for sets, share in zip(level, shares, strict=False)
        ]
        workers.run(tasks, steps)
    return shares.sum(axis=0)


@kernel
def _step_back(sets, ternary, mantissa, exponent, top, best, through, masses, completions, share):
    """Step back at the given sets, all of one size: completions for smaller sets, and probabilities of parent sets."""
    d = top.shape[0]
    full = (1 << d) - 1
    total = masses[ternary[full]]
    for before in sets:
        if best[before] == ZERO_EXPONENT:
            continue
        inside, outside = members_of(before, d), members_of(full ^ before, d)
        layers, following = subsets_of(inside), subsets_of(outside)
        scores = meeting_scores(before, inside, outside, layers, mantissa, top, through)
        after = _after(before, outside, following, ternary, top, best, completions)
        derivatives = np.zeros((outside.size, layers.size))
        partial_sums, products = np.empty(following.size), np.empty(following.size)
        for i in range(layers.size):
            place = ternary[before ^ layers[i]] + 2 * ternary[layers[i]]
            if masses[place] < NEGLIGIBLE or (i == 0 and before != 0):
                continue
            _sum_out(after, scores[:, i], partial_sums)
            completions[place] = partial_sums[0]
            products[0] = masses[place] / total
            _differentiate(partial_sums, scores[:, i], products, derivatives[:, i])
        for row in range(outside.size):
            j = outside[row]
            _add_parent_sets(before, layers, derivatives[row], mantissa[j], exponent[j], top[j], share[j])


@kernel
def _after(before, outside, following, ternary, top, best, completions):
    """Return the mass of completions after a set by the layer that follows, without the scores of that layer."""
    after = np.zeros(following.size)
    if following.size == 1:
        after[0] = completions[ternary[before]]
    scales = step_scales(before, outside, following, top, best)
    for t in range(1, following.size):
        after[t] = completions[ternary[before] + 2 * ternary[following[t]]] * scales[t]
    return after


@kernel
def _sum_out(after, scores, partial_sums):
    """Sum over all next layers, times the scores of their members, one variable at a time from the last.

    Entries from 2**b to 2**(b+1) then hold the sums over the variables beyond b, for layers that contain b.
    """
    copy_into(partial_sums, after)
    for b in range(scores.size - 1, -1, -1):
        score, half = scores[b], 1 << b
        for t in range(half):
            partial_sums[t] += score * partial_sums[half + t]


@kernel
def _differentiate(partial_sums, scores, products, derivatives):
    """Differentiate this sum by the score of each variable: products of the scores below, times sums beyond it."""
    for b in range(scores.size):
        score, half = scores[b], 1 << b
        derivative = 0.0
        for t in range(half):
            derivative += products[t] * partial_sums[half + t]
            products[half + t] = products[t] * score
        derivatives[b] = derivative


@kernel
def _add_parent_sets(before, layers, derivatives, mantissa, exponent, top, share):
    """Add the contribution of the step at one set to the probabilities of the parent sets of one variable."""
    if before == 0:
        share[0] += derivatives[0] * mantissa[0]
        return
    sums = np.empty(layers.size)
    intersecting_sums(derivatives, sums)
    for i in range(1, layers.size):
        parents = layers[i]
        shift = top[before] - exponent[parents]
        share[parents] += sums[i] * mantissa[parents] * POWERS[min(shift, NO_SHIFT_BEYOND)]


@kernel
def intersecting_sums(values, sums):
    """Fill `sums[S]` with the sum of `values[T]` over the T that intersect S; `values` is overwritten.

    The sums go bit by bit. After some bits, an index has these bits of S and the other bits of T; `values` sums over
    the T that do not intersect S in these bits, and `sums` over those that do. If the next bit is in S, the T with that
    bit move from `values` to `sums`.
    """
    sums[:] = 0.0
    half = 1
    while half < values.size:
        for base in range(0, values.size, 2 * half):
            for low in range(base, base + half):
                high = low + half
                without, within = values[low], values[high]
                intersecting = sums[low] + sums[high]
                values[low] = without + within
                values[high] = without
                sums[low] = intersecting
                sums[high] = intersecting + within
        half *= 2
