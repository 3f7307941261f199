"""Masses of the parent sets of a child within the variables U before it, with a member among the last ones, T.

`tau_j(U, T) = tau_j(U) - tau_j(U without T)` takes two lookups. If the two are nearly equal, their difference is only
rounding, and the scores of the sets are summed instead.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.gadget.parent_scores import ALWAYS
from orderspn.gadget.row_sums import log_sum_within
from orderspn.kernels.kernel import kernel

SAFE = 1e-6
"""A difference is taken only if it is a larger share of `tau_j(U)`: logarithms in the thousands have 12 decimals."""

LEAST, MOST = 1e-250, 1e250
"""Sums of shares beyond these bounds are replaced by sums over sets, too."""

FARTHEST = 100.0
"""Bound of the difference between the log unit without the last and that with them: beyond it products overflow."""

CLOSED, BEFORE, LAST = 0, 1, 2
"""States of a row: an outsider is not before the child; all are; all are, and one of them is among the last."""


@kernel
def masks_of(j, levels, level, parent_scores):
    """Return masks of the candidates of j that are before it, and of those among them that are last."""
    variables, candidates, _, tables, _ = parent_scores
    before, last = 0, 0
    for bit in range(tables.n_bits[variables[j]]):
        other = candidates[j, bit]
        if other == ALWAYS:
            before |= 1 << bit
        elif other >= 0 and levels[other] < level:
            before |= 1 << bit
            if levels[other] == level - 1:
                last |= 1 << bit
    return before, last


@kernel
def row_state(j, row, levels, level, outsiders):
    """Return the state of a row of j."""
    state = BEFORE
    for place in range(outsiders.shape[2]):
        other = outsiders[j, row, place]
        if other == ALWAYS:
            continue
        if other < 0 or levels[other] >= level:
            return CLOSED
        if levels[other] == level - 1:
            state = LAST
    return state


@kernel
def log_tau(j, levels, level, must, parent_scores):
    """Return the log mass of the parent sets of j before `level`; with `must`, of those with one of the last."""
    before, last = masks_of(j, levels, level, parent_scores)
    log_unit = parent_scores.tables.log_unit[parent_scores.tables.line_starts[parent_scores.variables[j]] + before]
    if log_unit == -np.inf:
        return -np.inf
    share, safe = open_share(j, before, last, levels, level, must, parent_scores)
    if safe:
        return log_unit + math.log(share) if share > 0.0 else -np.inf
    return _summed(j, before, last, levels, level, must, parent_scores)


@kernel
def open_share(j, before, last, levels, level, must, parent_scores):
    """Return the mass of `log_tau` as a share of the unit of `before`, and whether it is precise."""
    variables, _, outsiders, tables, _ = parent_scores
    v = variables[j]
    n_rows = tables.n_rows[v]
    line = tables.starts[v] + before * n_rows
    line_without = tables.starts[v] + (before & ~last) * n_rows
    # Sums over rows without a last outsider, within all preceding candidates and within those not last; other rows.
    within, without, with_last = tables.share[line], tables.share[line_without], 0.0
    any_last = False
    for row in range(1, n_rows):
        state = row_state(j, row, levels, level, outsiders)
        if state == BEFORE:
            within += tables.share[line + row]
            without += tables.share[line_without + row]
        elif state == LAST:
            with_last += tables.share[line + row]
            any_last = True
    if not must:
        return within + with_last, LEAST < within + with_last < MOST
    if last == 0:  # sets without a last outsider have no last parent, and nothing is subtracted
        return with_last, not any_last or LEAST < with_last < MOST
    whole = within + with_last
    log_unit = tables.log_unit[tables.line_starts[v] : tables.line_starts[v] + (1 << tables.n_bits[v])]
    log_ratio = log_unit[before & ~last] - log_unit[before]
    if not LEAST < whole < MOST or without >= MOST or log_ratio >= FARTHEST:
        return 0.0, False
    left = with_last + (within - without * math.exp(log_ratio))
    return left, left > SAFE * whole


@kernel
def _summed(j, before, last, levels, level, must, parent_scores):
    """Return the same as `log_tau`, summed row by row."""
    log_total = -np.inf
    for row in range(parent_scores.tables.n_rows[parent_scores.variables[j]]):
        log_part = log_row_mass(j, row, before, last, levels, level, must, True, parent_scores)
        log_total = np.logaddexp(log_total, log_part)
    return log_total


@kernel
def log_row_mass(j, row, before, last, levels, level, must, carefully, parent_scores):
    """Return the part of one row in `log_tau`; `carefully` sums its sets instead of subtracting."""
    variables, _, outsiders, tables, _ = parent_scores
    v = variables[j]
    state = BEFORE if row == 0 else row_state(j, row, levels, level, outsiders)
    if state == CLOSED:
        return -np.inf
    must = must and state != LAST
    if must and last == 0:
        return -np.inf
    if carefully:
        return log_sum_within(v, row, before, last if must else 0, tables)
    n_rows = tables.n_rows[v]
    mass = tables.share[tables.starts[v] + before * n_rows + row]
    log_unit = tables.log_unit[tables.line_starts[v] + before]
    if must:
        rest = before & ~last
        log_ratio = tables.log_unit[tables.line_starts[v] + rest] - log_unit
        mass -= tables.share[tables.starts[v] + rest * n_rows + row] * math.exp(log_ratio)
    return log_unit + math.log(mass) if mass > 0.0 else -np.inf
