"""Orders as times: every variable has a time, and a move draws the time of one variable anew, given all others.

Times are between 0 and 1, and the order is that of the times. Independent uniform times make all orders equally
probable. So if times have a density in proportion to the score of their order, orders have probabilities in proportion
to their scores.

Given all other times, the density of the time of a variable changes only at the times of the variables that it is
*related* to: its candidates, and those that it is a candidate of. A move computes the score in each interval between
them and draws from this distribution, which covers all places in the order at once. It costs two lookups for each
related variable, however many variables there are.

Moves know the masses of row 0 only, without outsiders. `true_log_score` has all rows; `order_transitions.py` accepts or
rejects a number of moves by it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.search.order_scores import OrderScores

LEAST, MOST = 1e-25, 1e30
"""Sums of open shares beyond these bounds are taken of logarithms instead."""

NEVER, ALWAYS = 2.0, -1.0
"""Times after and before those of all variables; the last two of an array of times."""


class TimeScores(NamedTuple):
    """Scores of n variables by their times; the arrays of `OrderScores`, listed by variable."""

    first_masks: np.ndarray  # (n,): candidates in S_1
    lines: np.ndarray  # (n, 3): number of the first line of a variable, cells per line, and its first cell
    log_unit: np.ndarray  # (lines,)
    log_mass: np.ndarray  # (cells,)
    share: np.ndarray  # (cells,) float32
    related_starts: np.ndarray  # (n + 1,): the variables related to j are listed from here on
    related: np.ndarray
    own_bits: np.ndarray  # the bit of the related variable in the mask of j; 0 if it is no candidate
    other_bits: np.ndarray  # the bit of j in the mask of the related variable; 0 if j is no candidate of it
    opener_starts: np.ndarray  # (n,): the rows of j from row 1 on are listed from here on
    openers: np.ndarray  # (rows, width): variables whose times must be earlier; n for never, n + 1 for always

    @property
    def n(self) -> int:
        """Number of variables to be ordered."""
        return int(self.first_masks.size)


def time_scores_of(order_scores: OrderScores) -> TimeScores:
    """List candidates and outsiders by variable."""
    n = order_scores.n
    candidate = order_scores.strides > 0  # [child, parent]
    child, related = np.nonzero(candidate | candidate.T)
    openers, opener_starts = _openers(order_scores)
    return TimeScores(
        order_scores.first_masks,
        order_scores.lines,
        order_scores.log_unit,
        order_scores.log_mass,
        order_scores.share,
        np.searchsorted(child, np.arange(n + 1)),
        related,
        order_scores.strides[child, related],
        order_scores.strides[related, child],
        opener_starts,
        openers,
    )


def _openers(order_scores: OrderScores) -> tuple[np.ndarray, np.ndarray]:
    """Return the variables that open each row but the first of each variable, (rows, width), and where they start."""
    n, n_rows = order_scores.n, order_scores.lines[:, 1]
    starts = np.cumsum(n_rows - 1) - (n_rows - 1)
    lacking = np.concatenate([order_scores.lacking[j, 1 : n_rows[j]] for j in range(n)])
    pair = np.repeat(np.arange(n * n), np.diff(order_scores.gate_starts))  # child * n + outsider
    row = starts[pair // n] + order_scores.gates - 1
    by_row = np.argsort(row, kind="stable")
    found = np.bincount(row, minlength=lacking.size)
    number = np.arange(row.size) - np.repeat(np.cumsum(found) - found, found)  # of the outsider in its row
    openers = np.full((lacking.size, max(1, int(lacking.max(initial=0)))), n + 1, dtype=np.int64)
    openers[row[by_row], number] = pair[by_row] % n
    openers[found < lacking, -1] = n  # an outsider that is neither before the block nor in it
    return openers, starts


@kernel
def fill_times(order, times):
    """Fill in evenly spaced times (n + 2,) of an order (n,)."""
    n = order.size
    for place in range(n):
        times[order[place]] = (place + 0.5) / n
    times[n], times[n + 1] = NEVER, ALWAYS


@kernel
def draw_times(order, rng, times):
    """Draw uniform times (n + 2,) given their order (n,): sums of exponential variables, divided by the last one."""
    n = order.size
    fill_times(order, times)
    total = 0.0
    for place in range(n + 1):
        total -= math.log(1.0 - rng.random())
        if place < n:
            times[order[place]] = total
    for j in range(n):
        times[j] /= total


@kernel
def fill_masks(times, scores, masks):
    """Fill in the mask of the candidates before each variable."""
    for j in range(masks.size):
        masks[j] = scores.first_masks[j]
        for pair in range(scores.related_starts[j], scores.related_starts[j + 1]):
            if times[scores.related[pair]] < times[j]:
                masks[j] |= scores.own_bits[pair]


@kernel
def log_score_of_row_0(masks, scores):
    """Return the log score without outsiders, given the masks of the candidates before each variable."""
    total = 0.0
    for j in range(masks.size):
        total += scores.log_unit[scores.lines[j, 0] + masks[j]]
    return total


@kernel
def true_log_score(times, masks, scores):
    """Return the log score with all rows, given times and masks."""
    total = 0.0
    for j in range(masks.size):
        total += log_open_mass(j, masks[j], times, scores)
    return total


@kernel
def log_open_mass(j, mask, times, scores):
    """Return the log mass of variable j with all rows that its predecessors open, given its candidates among them."""
    n_rows = scores.lines[j, 1]
    log_unit = scores.log_unit[scores.lines[j, 0] + mask]
    if n_rows == 1:
        return log_unit
    cells = scores.lines[j, 2] + mask * n_rows
    share = scores.share[cells : cells + n_rows]
    openers = scores.openers[scores.opener_starts[j] : scores.opener_starts[j] + n_rows - 1]
    if openers.shape[1] == 1:
        units = _open_sum_of_single(share, openers, times, j)
    else:
        units = _open_sum(share, openers, times, j)
    if LEAST < units < MOST:
        return log_unit + math.log(units)
    return _log_open_sum(scores.log_mass[cells : cells + n_rows], openers, times, j)


@kernel(fastmath=True)
def _open_sum_of_single(share, openers, times, j):
    """Sum the shares of the open rows; `fastmath` lets the compiler add several at once."""
    total = np.float64(share[0])
    for row in range(1, share.size):
        total += share[row] if times[openers[row - 1, 0]] < times[j] else np.float32(0.0)
    return total


@kernel
def is_open(openers, times, j):
    """Whether all variables that open a row come before variable j."""
    opens = True
    for variable in openers:
        opens &= times[variable] < times[j]
    return opens


@kernel
def _open_sum(share, openers, times, j):
    total = np.float64(share[0])
    for row in range(1, share.size):
        if is_open(openers[row - 1], times, j):
            total += share[row]
    return total


@kernel
def _log_open_sum(log_masses, openers, times, j):
    top = log_masses[0]
    for row in range(1, log_masses.size):
        if is_open(openers[row - 1], times, j):
            top = max(top, log_masses[row])
    if top == -np.inf:
        return top
    total = math.exp(log_masses[0] - top)
    for row in range(1, log_masses.size):
        if is_open(openers[row - 1], times, j):
            total += math.exp(log_masses[row] - top)
    return top + math.log(total)


@kernel
def make_moves(count, beta, times, masks, scores, rng):
    """Draw the times of random variables anew, `count` times, with the density of the score of row 0 to the `beta`.

    The arrays of the scores are taken out of their tuple once: counting references to them in every move would cost
    as much as the move.
    """
    first_masks, lines, log_unit, _, _, starts, related, own_bits, other_bits, _, _ = scores
    n = masks.size
    by_time = np.empty(n, np.int64)  # pairs of the moving variable, by the time of the related one
    log_first = np.empty(n)  # log masses of the related variables if the moving one comes before them
    weights = np.empty(n + 1)  # of the intervals between their times
    for _ in range(count):
        j = int(rng.random() * n)
        first, n_related = starts[j], starts[j + 1] - starts[j]
        others, impossible = 0.0, 0  # the log masses of related variables: sum of the finite ones, number of the others
        for i in range(n_related):
            pair = first + i
            v = related[pair]
            if other_bits[pair]:
                log_first[i] = log_unit[lines[v, 0] + (masks[v] | other_bits[pair])]
                if log_first[i] == -np.inf:
                    impossible += 1
                else:
                    others += log_first[i]
            k = i
            while k > 0 and times[related[by_time[k - 1]]] > times[v]:
                by_time[k] = by_time[k - 1]
                k -= 1
            by_time[k] = pair
        own = first_masks[j]
        top = -np.inf
        for i in range(n_related + 1):
            if i > 0:
                pair = by_time[i - 1]
                own |= own_bits[pair]
                if other_bits[pair]:
                    v = related[pair]
                    log_after = log_unit[lines[v, 0] + (masks[v] & ~other_bits[pair])]
                    if log_first[pair - first] == -np.inf:
                        impossible -= 1
                    else:
                        others -= log_first[pair - first]
                    if log_after == -np.inf:
                        impossible += 1
                    else:
                        others += log_after
            weights[i] = log_unit[lines[j, 0] + own] + others if impossible == 0 else -np.inf
            top = max(top, weights[i])
        total, begin = 0.0, 0.0
        for i in range(n_related + 1):
            end = times[related[by_time[i]]] if i < n_related else 1.0
            total += (end - begin) * math.exp(beta * (weights[i] - top))
            weights[i] = total
            begin = end
        point = rng.random() * total
        chosen = 0
        while chosen < n_related and weights[chosen] <= point:
            chosen += 1
        begin = times[related[by_time[chosen - 1]]] if chosen > 0 else 0.0
        end = times[related[by_time[chosen]]] if chosen < n_related else 1.0
        below = weights[chosen - 1] if chosen > 0 else 0.0
        times[j] = begin + (end - begin) * ((point - below) / (weights[chosen] - below))
        masks[j] = first_masks[j]
        for i in range(n_related):
            pair = by_time[i]
            if i < chosen:
                masks[j] |= own_bits[pair]
                masks[related[pair]] &= ~other_bits[pair]
            else:
                masks[related[pair]] |= other_bits[pair]
