"""Counts of the configurations of parents for every subset of the candidates, in a single sweep.

Subsets are masks over the candidates, visited in numeric order. The mask without its lowest bit b is a smaller mask
whose rows are still in memory, grouped by the configuration of its members. The candidate of bit b splits these groups
in one pass over the rows. For each b the groups of the last visited mask with lowest bit b are kept.

A family takes at most N 2**K steps, for any sizes of sets and numbers of levels. Two shortcuts make it fewer. Rows of a
group that agree in the child and in all candidates below b, which are added later, are merged into one row with their
count. A row that is alone in its group is dropped: it contributes a factor 1 / levels of the child, whatever further
candidates are added.

A score needs the numbers of groups, and of cells (a group and a level of the child), that have n rows. At most about
sqrt(2 N) different n can occur, so few values of the gamma function are needed. Configurations that do not occur
contribute a factor of 1 and are never visited.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel

FROM_STIRLING = 16.0
"""Argument from which five terms of Stirling's series give full precision."""

SURELY_NORMAL = 1e-290
"""Quotients below it may be subnormal, with fewer digits, or 0."""


@kernel
def merge_equal_rows(columns, arities, counts, label):
    """Number the different rows of `columns` (k, N); return the number of each row and the count of each number.

    `label` is a table of zeros for (N + 1) max(arities) keys; it is all zeros again at the end.
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


@kernel
def _split(rows, groups, counts, n, column, arity, child, child_arity, label, key_of, new, total, cells):
    """Split the groups of `n` rows by a column: a new group for each pair of a group and a level that occurs.

    Fills `new` with the group of each row, and `total` and `cells` with their counts. Returns the number of groups.
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


@kernel
def _stirling_rest(x):
    """Return `lgamma(x)` less `(x - 1/2) log x - x + log(2 pi) / 2`, for x of at least `FROM_STIRLING`."""
    inverse = 1.0 / x
    square = inverse * inverse
    return inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))))


@kernel
def _log_rising_ratio(strength, size):
    """Return the log of `(1 + 1 / strength) ... (1 + (size - 1) / strength)`, a difference of two Stirling series.

    Their large terms are cancelled analytically, so that the result goes to 0 with `1 / strength` at full precision.
    """
    x = size / strength
    if x < 0.01:  # (1 + x) log(1 + x) - x as a power series
        main = size * x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x * (1 / 30 - x * (1 / 42 - x / 56))))))
    else:
        main = (strength + size) * math.log1p(x) - size
    return main - 0.5 * math.log1p(x) + _stirling_rest(strength + size) - _stirling_rest(strength)


@kernel
def _log_rising(sizes, n, strength, strong, seen, different):
    """Sum `log(strength (strength + 1) ... (strength + size - 1))` over the first `n` sizes, without some factors.

    Factors `strength` are left out: the first of each size that is not 0 and, if the prior is `strong`, one for each
    further factor. Returns the sum and the number of factors left out. `seen` is a table of zeros for every size; it is
    all zeros again at the end.
    """
    n_different, n_left_out = 0, 0
    for k in range(n):
        size = sizes[k]
        if size > 1:
            if seen[size] == 0:
                different[n_different] = size
                n_different += 1
            seen[size] += 1
            n_left_out += size if strong else 1
        elif size == 1:
            n_left_out += 1
    at_one = math.lgamma(strength + 1.0)
    log_unit = math.log(strength) if strong else 0.0
    result = 0.0
    for k in range(n_different):
        size = different[k]
        if strength >= FROM_STIRLING:
            result += seen[size] * _log_rising_ratio(strength, size)
        else:
            result += seen[size] * (math.lgamma(strength + size) - at_one - (size - 1) * log_unit)
        seen[size] = 0
    return result, n_left_out


@kernel
def _log_marginal(cells, total, n_groups, child_arity, strength, n_configurations, log_configurations, seen, different):
    """Return BDeu of the rows of groups, given the numbers of rows of the groups (`total`) and of their cells.

    The strength of a cell is that of its group divided by the number of levels, and the rising powers of both nearly
    cancel. So their common factors are left out: if the strength is large, its powers; if it is small, the first
    factors, which might underflow.
    """
    per_group = strength / n_configurations
    strong = per_group >= 1.0
    of_cells, n_cells = _log_rising(cells, n_groups * child_arity, per_group / child_arity, strong, seen, different)
    of_groups, n_total = _log_rising(total, n_groups, per_group, strong, seen, different)
    log_per_group = math.log(per_group) if per_group > SURELY_NORMAL else math.log(strength) - log_configurations
    return of_cells - of_groups + (n_cells - n_total) * log_per_group - n_cells * math.log(child_arity)


@kernel
def _without_singles(total, cells, n_groups, child_arity):
    """Move groups of several rows, and their cells, to the front; return the number of these groups."""
    n_left = 0
    for g in range(n_groups):
        if total[g] > 1:
            total[n_left] = total[g]
            for level in range(child_arity):
                cells[n_left * child_arity + level] = cells[g * child_arity + level]
            n_left += 1
    return n_left


@kernel
def _number_by_lower(columns, arities, child, label, key_of, lower, n_lower):
    """Number rows by the child and the first b columns: `lower[b]` (N,), with `n_lower[b]` different numbers."""
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


@kernel
def _keep(rows, counts, n, new, total, rows_left, groups_left, counts_left):
    """Keep the rows that are not alone in their new groups; return their number."""
    n_left = 0
    for i in range(n):
        if total[new[i]] > 1:
            rows_left[n_left] = rows[i]
            groups_left[n_left] = new[i]
            counts_left[n_left] = counts[i]
            n_left += 1
    return n_left


@kernel
def _keep_merged(rows, counts, n, new, total, lower, n_lower, label, key_of, rows_left, groups_left, counts_left):
    """Do the same, and merge rows of a group that agree in all columns that are added later; return their number."""
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


@kernel
def sweep_configurations(
    columns, arities, child, child_arity, counts, start, n_start, log_start, strength, max_size, label, log_score
):
    """Fill `log_score[mask]`: BDeu of `child` (N,) given every subset of `columns` (K, N) and the initial groups.

    Row i occurs `counts[i]` times and is in group `start[i]`: the configuration, one of `n_start`, of the variables
    that are parents in every set. `n_start` may be infinite; `log_start` is its logarithm. `strength` is the equivalent
    sample size. Masks with more than `max_size` members get -inf. `label` is a table of zeros for (N + 1) max(arities)
    keys; it is all zeros again at the end.
    """
    n_candidates, n_rows = columns.shape
    # Place K is for the empty set, place K + 1 for the initial groups: a column with one level splits nothing.
    no_column = np.zeros(n_rows, columns.dtype)
    rows = np.empty((n_candidates + 2, n_rows), np.int32)
    groups = np.empty((n_candidates + 2, n_rows), np.int32)
    weights = np.empty((n_candidates + 2, n_rows), np.int64)
    length = np.zeros(n_candidates + 2, np.int64)
    singles = np.zeros(n_candidates + 2, np.int64)
    size = np.zeros(n_candidates + 2, np.int64)
    n_configurations, log_configurations = np.ones(n_candidates + 2), np.zeros(n_candidates + 2)
    for i in range(n_rows):
        rows[n_candidates + 1, i] = i
        groups[n_candidates + 1, i] = start[i]
        weights[n_candidates + 1, i] = counts[i]
    length[n_candidates + 1] = n_rows
    n_configurations[n_candidates + 1], log_configurations[n_candidates + 1] = n_start, log_start
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
        log_configurations[bit] = log_configurations[previous] + math.log(arity)
        n, before, known = length[previous], rows[previous], weights[previous]
        n_groups = _split(
            before, groups[previous], known, n, column, arity, child, child_arity, label, key_of, new, total, cells
        )
        if bit > 0:  # below bit 0 there is no candidate to split by
            left = rows[bit], groups[bit], weights[bit]
            if 2 * n_groups * n_lower[bit] <= n:  # at least half of the rows will be merged with others
                length[bit] = _keep_merged(before, known, n, new, total, lower[bit], n_lower[bit], label, key_of, *left)
            else:
                length[bit] = _keep(before, known, n, new, total, *left)
        n_left = _without_singles(total, cells, n_groups, child_arity)
        singles[bit] = singles[previous] + n_groups - n_left
        log_score[mask] = _log_marginal(
            cells, total, n_left, child_arity, strength, n_configurations[bit], log_configurations[bit], seen, different
        ) - singles[bit] * math.log(child_arity)


@kernel
def score_one_more(columns, arities, child, child_arity, counts, start, n_start, log_start, strength, label, log_score):
    """Fill `log_score[v]`: BDeu of `child` given the initial groups and column v, as in `sweep_configurations`."""
    n_variables, n_rows = columns.shape
    rows, groups = np.arange(n_rows).astype(np.int32), start.astype(np.int32)
    new, key_of, total = np.empty(n_rows, np.int32), np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    cells = np.empty(n_rows * child_arity, np.int64)
    seen, different = np.zeros(counts.sum() + 1, np.int64), np.empty(n_rows + 1, np.int64)
    for v in range(n_variables):
        n_groups = _split(
            rows, groups, counts, n_rows, columns[v], arities[v], child, child_arity, label, key_of, new, total, cells
        )
        n_configurations, log_configurations = n_start * arities[v], log_start + math.log(arities[v])
        log_score[v] = _log_marginal(
            cells, total, n_groups, child_arity, strength, n_configurations, log_configurations, seen, different
        )
