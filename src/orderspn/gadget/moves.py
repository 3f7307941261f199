"""Moves between ordered partitions: split or merge layers, exchange two variables, relocate one.

Every move fills in `state.new_level`. It returns the first and the last layer that it affects, and the log ratio of the
proposal probabilities of the reverse move and the move. `IMPOSSIBLE` as the first layer means that the chain stays.
"""

from __future__ import annotations

import math

from orderspn.gadget.layers import n_layers
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel

IMPOSSIBLE = -1


@kernel
def propose_split_or_merge(state, rng):
    """Merge a layer with the next, or split one in two, with equal probability."""
    if rng.random() < 0.5:
        return _propose_merge(state, rng)
    return _propose_split(state, rng)


@kernel
def _propose_merge(state, rng):
    level, _, new_level, _, sizes = state
    k = n_layers(state)
    if k == 1:
        return IMPOSSIBLE, 0, 0.0
    i = int(rng.random() * (k - 1))
    for j in range(level.size):
        new_level[j] = level[j] - 1 if level[j] > i else level[j]
    divisible = _divisible(sizes, k) - (sizes[i] > 1) - (sizes[i + 1] > 1) + 1
    return i, i + 1, _log_split(sizes[i] + sizes[i + 1], sizes[i], divisible) + math.log(k - 1)


@kernel
def _propose_split(state, rng):
    level, _, new_level, _, sizes = state
    k = n_layers(state)
    divisible = _divisible(sizes, k)
    if divisible == 0:
        return IMPOSSIBLE, 0, 0.0
    which = int(rng.random() * divisible)
    i = -1
    for layer in range(k):
        if sizes[layer] > 1:
            if which == 0:
                i = layer
                break
            which -= 1
    n_front = 1 + int(rng.random() * (sizes[i] - 1))
    wanted, left = n_front, sizes[i]
    for j in range(level.size):
        new_level[j] = level[j] + 1 if level[j] > i else level[j]
        if level[j] == i:
            # Each member is chosen with probability wanted / left, so that all choices are equally probable.
            if rng.random() * left < wanted:
                wanted -= 1
            else:
                new_level[j] = i + 1
            left -= 1
    return i + 1, i + 2, -math.log(k) - _log_split(sizes[i], n_front, divisible)


@kernel
def _divisible(sizes, k):
    count = 0
    for layer in range(k):
        count += sizes[layer] > 1
    return count


@kernel
def _log_split(size, n_front, divisible):
    """Return the log probability of a split: of its layer, the size of its front, and the front."""
    log_choices = math.lgamma(size + 1) - math.lgamma(n_front + 1) - math.lgamma(size - n_front + 1)
    return -math.log(divisible) - math.log(size - 1) - log_choices


@kernel
def propose_exchange(state, rng):
    """Exchange two variables of different layers: of neighbouring ones, or of any."""
    level, _, new_level, _, sizes = state
    n = level.size
    k = n_layers(state)
    if k == 1:
        return IMPOSSIBLE, 0, 0.0
    a, b = -1, -1
    if rng.random() < 0.5:
        i = int(rng.random() * (k - 1))
        a, b = _member(level, i, int(rng.random() * sizes[i])), _member(level, i + 1, int(rng.random() * sizes[i + 1]))
    else:
        a, b = int(rng.random() * n), int(rng.random() * n)
    if level[a] == level[b]:
        return IMPOSSIBLE, 0, 0.0
    copy_into(new_level, level)
    new_level[a], new_level[b] = level[b], level[a]
    return min(level[a], level[b]), max(level[a], level[b]) + 1, 0.0


@kernel
def _member(level, layer, which):
    """Return the variable number `which` of a layer, counted from 0."""
    for j in range(level.size):
        if level[j] == layer:
            if which == 0:
                return j
            which -= 1
    return -1


@kernel
def propose_relocation(state, rng):
    """Move a variable into another layer, or between two as a layer of its own.

    Without the variable there are k layers and k + 1 gaps, in a row: gap, layer, gap, ..., gap. It moves some distance
    along this row, short distances more often. The reverse move is as probable, because the row is the same.
    """
    level, _, new_level, _, sizes = state
    n = level.size
    k = n_layers(state)
    j = int(rng.random() * n)
    alone = sizes[level[j]] == 1
    others = k - alone
    if others == 0:
        return IMPOSSIBLE, 0, 0.0
    place = 2 * level[j] if alone else 2 * level[j] + 1
    distance = int(math.exp(rng.random() * math.log(2 * others + 1.0)))
    target = place + distance if rng.random() < 0.5 else place - distance
    if target < 0 or target > 2 * others:
        return IMPOSSIBLE, 0, 0.0
    for i in range(n):
        moved = level[i] - 1 if alone and level[i] > level[j] else level[i]
        new_level[i] = moved + 1 if target % 2 == 0 and moved >= target // 2 else moved
    new_level[j] = target // 2
    # Affected are the layers from the first of the two places to the layer after the second, in new numbers.
    return min(place, target) // 2, max(place, target) // 2 + 1 + (target % 2 == 0), 0.0
