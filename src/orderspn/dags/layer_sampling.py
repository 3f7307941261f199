"""Draws of graphs from their exact distribution: layers from the last to the first, then parents.

Given a prefix with the layer T after the variables A, the layer before is T' with probability proportional to
`f(A - T', T')` times the product of `tau_j(A, T')` over j in T. Given both, the parents of j are drawn in proportion to
its scores among the sets within A that intersect T'. Draws in the same state share one table.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.dags.layers import meeting_scores, members_of, subsets_of, ternary_numbers
from orderspn.dags.score_tables import ScoreTables
from orderspn.kernels.kernel import kernel
from orderspn.leaves.transforms import NO_SHIFT_BEYOND, POWERS, ZERO_EXPONENT

PIECES = 16
"""Number of tasks into which the states of one stage are divided."""


def sample_dags(
    tables: ScoreTables, masses: np.ndarray, n: int, rng: np.random.Generator, workers: Workers
) -> np.ndarray:
    """Draw n graphs, given the masses of their prefixes, shape (n, d, d), bool, [cause, effect]."""
    d = tables.n_variables
    layer_uniforms, parent_uniforms = rng.random((2, d, n))
    before, last = _draw_layers(tables, masses, layer_uniforms, workers)
    adjacency = np.empty((n, d, d), dtype=bool)

    def fill(child: int) -> None:
        parents = np.empty(n, np.int64)
        states = _states(before[child], last[child])
        _draw_parents(*states, parent_uniforms[child], tables.mantissa[child], tables.exponent[child], parents)
        adjacency[:, :, child] = parents[:, None] >> np.arange(d) & 1

    workers.run([partial(fill, child) for child in range(d)], workers.steps("parents", d))
    return adjacency


def _draw_layers(
    tables: ScoreTables, masses: np.ndarray, uniforms: np.ndarray, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the variables before each variable in each draw, and the last layer of them: masks, shape (d, n)."""
    d, n = uniforms.shape
    before, last = np.zeros((2, d, n), np.int64)
    placed = np.full(n, (1 << d) - 1)  # A
    layer = np.zeros(n, np.int64)  # T: nothing follows the last layer
    for stage in range(d):
        active = np.flatnonzero(placed)
        if not active.size:
            break
        drawn = _draw_previous(tables, masses, placed[active], layer[active], uniforms[stage, active], workers)
        for child in range(d):
            own = (layer[active] >> child & 1).astype(bool)
            before[child, active[own]] = placed[active[own]]
            last[child, active[own]] = drawn[own]
        placed[active] ^= drawn
        layer[active] = drawn
    return before, last


def _draw_previous(
    tables: ScoreTables,
    masses: np.ndarray,
    placed: np.ndarray,
    layer: np.ndarray,
    uniforms: np.ndarray,
    workers: Workers,
) -> np.ndarray:
    """Draw the layer before, for draws in the states (placed, layer)."""
    before, following, order, starts = _states(placed, layer)
    drawn = np.empty(placed.size, np.int64)
    ternary = ternary_numbers(tables.n_variables)
    shared = (uniforms, ternary, tables.mantissa, tables.top, tables.through, masses, drawn)
    cuts = np.linspace(0, before.size, min(PIECES, before.size) + 1).astype(np.int64)
    workers.run(
        [
            partial(_draw_layer, before[i:k], following[i:k], order, starts[i : k + 1], *shared)
            for i, k in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        ]
    )
    return drawn


def _states(placed: np.ndarray, layer: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct pairs (placed, layer), the draws sorted by pair, and the start of each pair among them."""
    order = np.lexsort((layer, placed))
    sorted_placed, sorted_layer = placed[order], layer[order]
    is_first = np.ones(order.size, dtype=bool)
    is_first[1:] = (np.diff(sorted_placed) != 0) | (np.diff(sorted_layer) != 0)
    starts = np.append(np.flatnonzero(is_first), order.size)
    return sorted_placed[starts[:-1]], sorted_layer[starts[:-1]], order, starts


@kernel
def _draw_layer(placed, following, order, starts, uniforms, ternary, mantissa, top, through, masses, drawn):
    """Draw the layer before, for all draws in each given state."""
    d = top.shape[0]
    for state in range(placed.size):
        before = placed[state]
        inside, outside = members_of(before, d), members_of(following[state], d)
        layers = subsets_of(inside)
        scores = meeting_scores(before, inside, outside, layers, mantissa, top, through)
        cumulated = np.zeros(layers.size)
        for i in range(1, layers.size):
            weight = masses[ternary[before ^ layers[i]] + 2 * ternary[layers[i]]]
            for row in range(outside.size):
                weight *= scores[row, i]
            cumulated[i] = cumulated[i - 1] + weight
        for place in range(starts[state], starts[state + 1]):
            sample = order[place]
            drawn[sample] = layers[_draw(cumulated, uniforms[sample])]


@kernel
def _draw_parents(placed, last, order, starts, uniforms, mantissa, exponent, drawn):
    """Draw the parents of one variable, for all draws in each given state."""
    d = 0
    while (1 << d) < mantissa.size:
        d += 1
    for state in range(placed.size):
        subsets = subsets_of(members_of(placed[state], d))
        largest = ZERO_EXPONENT
        for i in range(subsets.size):
            if subsets[i] & last[state] or last[state] == 0:
                largest = max(largest, exponent[subsets[i]])
        cumulated = np.zeros(subsets.size)
        total = 0.0
        for i in range(subsets.size):
            if subsets[i] & last[state] or last[state] == 0:
                shift = largest - exponent[subsets[i]]
                total += mantissa[subsets[i]] * POWERS[min(shift, NO_SHIFT_BEYOND)]
            cumulated[i] = total
        for place in range(starts[state], starts[state + 1]):
            sample = order[place]
            drawn[sample] = subsets[_draw(cumulated, uniforms[sample])]


@kernel
def _draw(cumulated, uniform):
    """Draw an index from cumulated weights; rounding cannot select one of weight 0."""
    total = cumulated[-1]
    target = min(uniform * total, np.nextafter(total, 0.0))
    return np.searchsorted(cumulated, target, side="right")
