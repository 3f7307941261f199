"""Draws of a parent set of a child in proportion to its score, optionally with at least one of the last variables.

First its row is drawn, by its mass, then a set of the row in two halves. If sets with a last parent are so small a
share of all that differences are only rounding, the masses of rows are computed as sums over their sets.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.gadget.parent_mass import BEFORE, LAST, log_row_mass, log_tau, masks_of, open_share, row_state
from orderspn.gadget.row_sums import draw_within
from orderspn.kernels.kernel import kernel

ALLOWED, REQUIRED, CHILD, EXCLUDED = 0, 1, 2, 3
"""Levels for a draw from any variables: those that may be parents, those of which at least one must be a parent, the
child, and those that must not be parents."""


@kernel
def draw_parents(j, levels, level, must, rng, parent_scores):
    """Draw a parent set of j, as a number `row * 2**K + mask`; -1 if there is none."""
    variables, _, outsiders, tables, _ = parent_scores
    v = variables[j]
    log_total = log_tau(j, levels, level, must, parent_scores)
    if log_total == -np.inf:
        return -1
    before, last = masks_of(j, levels, level, parent_scores)
    _, safe = open_share(j, before, last, levels, level, must, parent_scores)
    for carefully in (not safe, True):
        row = _draw_row(j, before, last, levels, level, must, carefully, log_total, rng, parent_scores)
        state = BEFORE if row == 0 else row_state(j, row, levels, level, outsiders)
        meeting = last if must and state != LAST else 0
        drawn = draw_within(v, row, before, meeting, rng, tables)
        if drawn >= 0:
            return (row << tables.n_bits[v]) + drawn
        # A difference that should be 0 was rounding, and the draw ended there. Now sums are taken instead.
    return -1


@kernel
def _draw_row(j, before, last, levels, level, must, carefully, log_total, rng, parent_scores):
    n_rows = parent_scores.tables.n_rows[parent_scores.variables[j]]
    if n_rows == 1:
        return 0
    uniform = rng.random()
    row, cumulated = 0, 0.0
    for candidate in range(n_rows):
        log_part = log_row_mass(j, candidate, before, last, levels, level, must, carefully, parent_scores)
        if log_part > -np.inf:
            # Remembered, so that rounding of the sum cannot lead to a row of probability 0.
            row = candidate
            cumulated += math.exp(log_part - log_total)
            if cumulated > uniform:
                break
    return row
