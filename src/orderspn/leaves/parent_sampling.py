"""Drawing parent sets within a given set of predecessors, exactly distributed.

A set has up to 2**K subsets, too many to walk through for each sample. So it is drawn in two halves: first
its part among the upper candidates, by masses in which the lower ones are summed out, then the lower part
given the upper one: at most `2 * 2**(K/2)` steps per sample, and one more table per family.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def draw_parent_sets(log_score, log_partial, log_mass, allowed, half, uniforms):
    """One parent set within each of the masks `allowed`.

    `log_partial[U]` sums over the parent sets that equal U above bit `half` and lie within U below it.
    """
    drawn = np.empty(allowed.size, np.int64)
    lower_bits = (1 << half) - 1
    for i in range(allowed.size):
        lower = allowed[i] & lower_bits
        upper = _draw_part(log_partial, allowed[i] & ~lower_bits, lower, log_mass[allowed[i]], uniforms[i, 0])
        drawn[i] = upper | _draw_part(log_score, lower, upper, log_partial[upper | lower], uniforms[i, 1])
    return drawn


@njit(cache=True, nogil=True)
def _draw_part(log_values, free, fixed, log_total, uniform):
    """Draw a subset of `free` with probability `exp(log_values[subset | fixed] - log_total)`."""
    cumulated = 0.0
    chosen = free
    subset = free
    while True:
        log_value = log_values[subset | fixed]
        if log_value > -np.inf:
            # Remembered so that rounding in the sum cannot end on a set of probability 0.
            chosen = subset
            cumulated += math.exp(log_value - log_total)
            if cumulated > uniform:
                return chosen
        if subset == 0:
            return chosen
        subset = (subset - 1) & free
