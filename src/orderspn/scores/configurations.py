"""Configurations of parents counted for every subset of the candidates, in a single sweep.

Subsets are masks over the candidates, visited in numeric order. The mask without its lowest bit b is a smaller mask
whose rows are still at hand, grouped by the configuration of its members; the candidate of bit b splits these groups,
in one pass over the rows. Kept for each b are the groups of the mask visited last among those with lowest bit b.

A family takes at most N 2**K steps, whatever the sizes of sets and the numbers of levels, and fewer where that matters:
rows of a group that agree in the child and in all candidates below b, which are still to come, are one row that counts
for several; and a row that is alone in its group is left out from there on, since it contributes a factor 1 / levels of
the child however the others are split.

A score needs to know how many groups, and how many cells (a group and a level of the child), have n rows. At most
about sqrt(2 N) different n can occur, so few values of the gamma function are needed. Configurations that do not occur
contribute a factor of 1, and are never looked at.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def merge_equal_rows(columns, arities, counts, label):
    """Number the different rows of `columns` (k, N): (number of each row, how many rows it stands for).

    `label` is a table of zeros for (N + 1) max(arities) keys, and is left as it was found.
    """
    n_rows = counts.size
    number = np.zeros(n_rows, np.int64)
    key_of = np.empty(n_rows, np.int64)
    n_groups = 1
    for k in range(columns.shape[0]):
        n_groups = 0
        for i in range(n_rows):
            key = number[i] * arities[k] + np.int64(columns[k, i])
            found = int(label[key])
            if found == 0:
                key_of[n_groups] = key
                n_groups += 1
                found = n_groups
                label[key] = found
            number[i] = found - 1
        for g in range(n_groups):
            label[key_of[g]] = 0
    merged = np.zeros(n_groups, np.int64)
    for i in range(n_rows):
        merged[number[i]] += counts[i]
    return number, merged


@njit(cache=True, nogil=True)
def _split(rows, groups, counts, n, column, arity, child, child_arity, label, key_of, new, total, cells):
    """Split the groups of `n` rows by a column: a new one for each pair of a group and a level that occurs.

    Fills the new group of each of them, and the rows of each group (`total`) and cell. Returns the number of groups.
    """
    n_groups = 0
    for i in range(n):
        r = np.int64(rows[i])
        key = np.int64(groups[i]) * arity + np.int64(column[r])
        g = int(label[key]) - 1
        if g < 0:
            g = n_groups
            n_groups += 1
            label[key] = n_groups
            key_of[g] = key
            total[g] = 0
            for level in range(child_arity):
                cells[g * child_arity + level] = 0
        new[i] = g
        total[g] += counts[i]
        cells[g * child_arity + np.int64(child[r])] += counts[i]
    for g in range(n_groups):
        label[key_of[g]] = 0
    return n_groups


@njit(cache=True, nogil=True)
def _log_rising(sizes, n, strength, seen, different):
    """Sum of `log(strength (strength + 1) ... (strength + size - 1))` over the first `n` sizes.

    `seen` is a table of zeros for every size, and is left as it was found.
    """
    n_different = 0
    for k in range(n):
        if seen[sizes[k]] == 0:
            different[n_different] = sizes[k]
            n_different += 1
        seen[sizes[k]] += 1
    at_zero = math.lgamma(strength)
    result = 0.0
    for k in range(n_different):
        size = different[k]
        if size:
            result += seen[size] * (math.lgamma(strength + size) - at_zero)
        seen[size] = 0
    return result


@njit(cache=True, nogil=True)
def _without_singles(total, cells, n_groups, child_arity):
    """Move groups of several rows, and their cells, to the front; how many they are."""
    n_left = 0
    for g in range(n_groups):
        if total[g] > 1:
            total[n_left] = total[g]
            for level in range(child_arity):
                cells[n_left * child_arity + level] = cells[g * child_arity + level]
            n_left += 1
    return n_left


@njit(cache=True, nogil=True)
def _number_by_lower(columns, arities, child, label, key_of, lower, n_lower):
    """Number rows by the child and the first b columns: `lower[b]` (N,), of `n_lower[b]` different ones."""
    for b in range(columns.shape[0] + 1):
        n_lower[b] = 0
        for i in range(child.size):
            key = np.int64(child[i])
            if b:
                key = np.int64(lower[b - 1, i]) * arities[b - 1] + np.int64(columns[b - 1, i])
            if label[key] == 0:
                key_of[n_lower[b]] = key
                n_lower[b] += 1
                label[key] = n_lower[b]
            lower[b, i] = label[key] - 1
        for k in range(n_lower[b]):
            label[key_of[k]] = 0


@njit(cache=True, nogil=True)
def _keep(rows, counts, n, new, total, rows_left, groups_left, counts_left):
    """The rows that are not alone in their new groups; how many are left."""
    n_left = 0
    for i in range(n):
        if total[new[i]] > 1:
            rows_left[n_left] = rows[i]
            groups_left[n_left] = new[i]
            counts_left[n_left] = counts[i]
            n_left += 1
    return n_left


@njit(cache=True, nogil=True)
def _keep_merged(rows, counts, n, new, total, lower, n_lower, label, key_of, rows_left, groups_left, counts_left):
    """The same, and rows of a group that are alike in what is still to come are one; how many are left."""
    n_left = 0
    for i in range(n):
        if total[new[i]] > 1:
            key = np.int64(new[i]) * n_lower + np.int64(lower[rows[i]])
            place = int(label[key]) - 1
            if place < 0:
                place = n_left
                n_left += 1
                label[key] = n_left
                key_of[place] = key
                rows_left[place] = rows[i]
                groups_left[place] = new[i]
                counts_left[place] = 0
            counts_left[place] += counts[i]
    for k in range(n_left):
        label[key_of[k]] = 0
    return n_left


@njit(cache=True, nogil=True)
def sweep_configurations(
    columns, arities, child, child_arity, counts, start, n_start, strength, max_size, label, log_score
):
    """Fill `log_score[mask]`: BDeu of `child` (N,) given every subset of `columns` (K, N) and what groups rows already.

    Row i stands for `counts[i]` equal ones, and is in group `start[i]`: the configuration, one of `n_start`, of those
    who are parents in any case. `strength` is the equivalent sample size. Masks with more than `max_size` members get
    -inf. `label` is a table of zeros for (N + 1) max(arities) keys, and is left as it was found.
    """
    n_candidates, n_rows = columns.shape
    # Place K is for the empty set, place K + 1 for what comes before it: a column with one level splits nothing.
    no_column = np.zeros(n_rows, columns.dtype)
    rows = np.empty((n_candidates + 2, n_rows), np.int32)
    groups = np.empty((n_candidates + 2, n_rows), np.int32)
    weights = np.empty((n_candidates + 2, n_rows), np.int64)
    length = np.zeros(n_candidates + 2, np.int64)
    singles = np.zeros(n_candidates + 2, np.int64)
    size = np.zeros(n_candidates + 2, np.int64)
    n_configurations = np.ones(n_candidates + 2)
    for i in range(n_rows):
        rows[n_candidates + 1, i] = i
        groups[n_candidates + 1, i] = start[i]
        weights[n_candidates + 1, i] = counts[i]
    length[n_candidates + 1] = n_rows
    n_configurations[n_candidates + 1] = n_start
    new, key_of, total = np.empty(n_rows, np.int32), np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    cells = np.empty(n_rows * child_arity, np.int64)
    seen, different = np.zeros(counts.sum() + 1, np.int64), np.empty(n_rows + 1, np.int64)
    lower, n_lower = np.empty((n_candidates + 1, n_rows), np.int32), np.empty(n_candidates + 1, np.int64)
    _number_by_lower(columns, arities, child, label, key_of, lower, n_lower)
    for mask in range(1 << n_candidates):
        bit = 0
        while bit < n_candidates and not (mask >> bit) & 1:
            bit += 1
        previous = bit + 1
        while previous < n_candidates and not (mask >> previous) & 1:
            previous += 1
        member = bit < n_candidates
        size[bit] = size[previous] + 1 if member else 0
        if size[bit] > max_size:
            log_score[mask] = -np.inf
            continue
        column, arity = (columns[bit], arities[bit]) if member else (no_column, 1)
        n_configurations[bit] = n_configurations[previous] * arity
        n, before, known = length[previous], rows[previous], weights[previous]
        n_groups = _split(
            before, groups[previous], known, n, column, arity, child, child_arity, label, key_of, new, total, cells
        )
        if bit > 0:  # below bit 0 there is nobody to split by
            left = rows[bit], groups[bit], weights[bit]
            if 2 * n_groups * n_lower[bit] <= n:  # at least half of the rows will be merged with others
                length[bit] = _keep_merged(before, known, n, new, total, lower[bit], n_lower[bit], label, key_of, *left)
            else:
                length[bit] = _keep(before, known, n, new, total, *left)
        n_left = _without_singles(total, cells, n_groups, child_arity)
        singles[bit] = singles[previous] + n_groups - n_left
        per_group = strength / n_configurations[bit]
        log_score[mask] = (
            _log_rising(cells, n_left * child_arity, per_group / child_arity, seen, different)
            - _log_rising(total, n_left, per_group, seen, different)
            - singles[bit] * math.log(child_arity)
        )


@njit(cache=True, nogil=True)
def score_one_more(columns, arities, child, child_arity, counts, start, n_start, strength, label, log_score):
    """Fill `log_score[v]`: BDeu of `child` given what groups rows already and column v alone; see the sweep."""
    n_variables, n_rows = columns.shape
    rows, groups = np.arange(n_rows).astype(np.int32), start.astype(np.int32)
    new, key_of, total = np.empty(n_rows, np.int32), np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    cells = np.empty(n_rows * child_arity, np.int64)
    seen, different = np.zeros(counts.sum() + 1, np.int64), np.empty(n_rows + 1, np.int64)
    for v in range(n_variables):
        n_groups = _split(
            rows, groups, counts, n_rows, columns[v], arities[v], child, child_arity, label, key_of, new, total, cells
        )
        per_group = strength / (n_start * arities[v])
        log_score[v] = _log_rising(cells, n_groups * child_arity, per_group / child_arity, seen, different)
        log_score[v] -= _log_rising(total, n_groups, per_group, seen, different)
