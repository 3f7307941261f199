"""The scores of all rows of a family in one call: each row is swept after its outsiders are eliminated.

A family has hundreds of rows and often only a few dozen subsets of candidates. Called row by row from Python, most of
the time would go into the calls.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.scores.subset_sweep import sweep_determinants


@kernel
def _entries(shift, members):
    """Return the entries of a shift; None if there is none."""
    if shift is None:
        return None
    taken = np.empty(members.size)
    for i in range(members.size):
        taken[i] = shift[members[i]]
    return taken


@kernel
def _from(shift, first):
    """Return the entries of a shift from a place on; None if there is none."""
    if shift is None:
        return None
    return shift[first:].copy()


@kernel
def sweep_rows(
    matrix, shift, floor, child, candidates, rows, log_by_size, log_det_weight, exponents, max_size, log_scores
):
    """Fill `log_scores[r]` with the scores of all subsets of candidates together with the variables of row r.

    `rows` (rows, width) has -1 for none. `shift` (d,) is None or the part of the matrix that is kept separate, as in
    `subset_sweep`; `log_by_size` and `exponents` are by the number of all parents. A row with more than `max_size`
    variables gets -inf.
    """
    n = candidates.size
    always = np.empty(rows.shape[1], np.int64)
    for r in range(rows.shape[0]):
        n_always = 0
        for variable in rows[r]:
            if variable >= 0:
                always[n_always] = variable
                n_always += 1
        if n_always > max_size:
            log_scores[r] = -np.inf
            continue
        members = np.empty(n_always + n + 1, np.int64)
        for i in range(n_always):
            members[i] = always[i]
        for i in range(n):
            members[n_always + i] = candidates[i]
        members[n_always + n] = child
        left = np.empty((members.size, members.size))
        for i in range(members.size):
            for k in range(members.size):
                left[i, k] = matrix[members[i], members[k]]
        log_det, inflation = 0.0, 1.0
        own_shift = _entries(shift, members)
        for k in range(n_always):
            pivot = max(left[k, k], floor)
            whole_pivot = pivot
            if shift is not None:
                whole_pivot += own_shift[k] * (own_shift[k] / inflation)
                inflation += own_shift[k] * (own_shift[k] / pivot)
            log_det += math.log(whole_pivot)
            for i in range(k + 1, members.size):
                ratio = left[i, k] / pivot
                for c in range(k + 1, members.size):
                    left[i, c] -= ratio * left[k, c]
                if shift is not None:
                    own_shift[i] -= ratio * own_shift[k]
        rest = left[n_always:, n_always:].copy()
        sweep_determinants(
            rest,
            _from(own_shift, n_always),
            inflation,
            floor,
            log_by_size[n_always:] - log_det_weight * log_det,
            log_det_weight,
            exponents[n_always:],
            max_size - n_always,
            log_scores[r],
        )
