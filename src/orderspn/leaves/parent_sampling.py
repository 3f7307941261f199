"""Draws of parent sets within given predecessors, from their exact distribution.

Predecessors have up to 2**K subsets, too many to enumerate for each draw. So a set is drawn in two halves: first its
part among the upper candidates, with the lower ones summed out, then the lower part given the upper one. That takes at
most `2 * 2**(K/2)` steps per draw, and one more table per family. For few draws the lower half may be empty.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel


@kernel
def draw_rows(log_mass, masks, opened, uniforms):
    """Draw one row for each mask among those `opened` (n, rows), in proportion to their masses."""
    n, n_rows = opened.shape
    n_masks = log_mass.size // n_rows
    drawn = np.empty(n, np.int64)
    for i in range(n):
        top = -np.inf
        for row in range(n_rows):
            if opened[i, row]:
                top = max(top, log_mass[row * n_masks + masks[i]])
        total = 0.0
        for row in range(n_rows):
            if opened[i, row] and top > -np.inf:
                total += math.exp(log_mass[row * n_masks + masks[i]] - top)
        cumulated = 0.0
        chosen = 0
        for row in range(n_rows):
            if opened[i, row] and log_mass[row * n_masks + masks[i]] > -np.inf:
                # Kept, so that rounding of the sum cannot select a row of probability 0.
                chosen = row
                cumulated += math.exp(log_mass[row * n_masks + masks[i]] - top)
                if cumulated > uniforms[i] * total:
                    break
        drawn[i] = chosen
    return drawn


@kernel
def draw_parent_sets(log_score, log_partial, log_mass, allowed, half, n_masks, uniforms):
    """Draw one parent set for each of the numbers `allowed`, in its row and within its mask.

    `log_partial[U]` is summed over the parent sets that equal U above bit `half` and are subsets of U below it.
    """
    drawn = np.empty(allowed.size, np.int64)
    lower_bits = (1 << half) - 1
    for i in range(allowed.size):
        mask = allowed[i] % n_masks
        row = allowed[i] - mask
        lower = mask & lower_bits
        upper = row | _draw_part(log_partial, mask & ~lower_bits, row | lower, log_mass[allowed[i]], uniforms[i, 0])
        drawn[i] = upper | _draw_part(log_score, lower, upper, log_partial[upper | lower], uniforms[i, 1])
    return drawn


@kernel
def _draw_part(log_values, free, fixed, log_total, uniform):
    """Draw a subset of `free` with probability `exp(log_values[subset | fixed] - log_total)`."""
    cumulated = 0.0
    chosen = free
    subset = free
    while True:
        log_value = log_values[subset | fixed]
        if log_value > -np.inf:
            # Kept, so that rounding of the sum cannot select a set of probability 0.
            chosen = subset
            cumulated += math.exp(log_value - log_total)
            if cumulated > uniform:
                return chosen
        if subset == 0:
            return chosen
        subset = (subset - 1) & free
