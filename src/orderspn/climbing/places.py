"""The local search over orders: each variable is put into its best place, until none moves.

While one variable v moves along the order, the others keep theirs. So another variable u has two sets of predecessors,
with v and without, and two scores; which of them counts depends on whether v is before u. Mostly they are equal: v is
no parent of u, or would not raise its score if it could be. The variable v itself has more and more predecessors from
place to place, and its parents are kept up by growing and shrinking from the last ones.

The second score of u stays valid while the predecessors of u do not change, so it is kept with the number of their
state. Of places with the same gain, up to rounding, the one that was looked at first is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.climbing.growing import mark_gains, settle
from orderspn.climbing.regression import add_member, load, remove_member
from orderspn.climbing.shifted import NO_GAIN
from orderspn.kernels.borrowing import borrowed
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel

BEGIN, SWEEP, DISTURB, DEEPEN = 0, 1, 2, 3
"""Kinds of steps."""

VISITS = 1000
"""Visits of variables in one call from Python, about: with few variables a call takes as long as half a sweep."""


class ClimbState(NamedTuple):
    """An order with the parents of each variable; context variables come first and stay there."""

    sequence: np.ndarray  # (d,): all variables
    place: np.ndarray  # (d,): of each variable in the sequence
    parents: np.ndarray  # (d, most), int32: of each variable, the first `n_parents`
    n_parents: np.ndarray  # (d,)
    is_parent: np.ndarray  # (d, d), bool, [child, cause]
    worth: np.ndarray  # (d, d), bool, [child, cause]: whether a further parent would raise the score, wherever it is
    log_score: np.ndarray  # (d,): of each variable
    stamp: np.ndarray  # (d,): number of the state of the predecessors
    last_stamp: np.ndarray  # (1,): that was given
    other_score: np.ndarray  # (d, d), [u, v]: of u, if v were on its other side
    other_stamp: np.ndarray  # (d, d): the state for which that is right


@kernel
def _keep(regression, terms, state, child, log_score):
    """Make the parents of a regression those of the child."""
    for i in range(state.n_parents[child]):
        state.is_parent[child, state.parents[child, i]] = False
    size = regression.size[0]
    for i in range(size):
        state.parents[child, i] = regression.members[i]
        state.is_parent[child, regression.members[i]] = True
    state.n_parents[child] = size
    state.log_score[child] = log_score
    mark_gains(regression, terms, child, log_score, state.worth[child])


@kernel
def _begin(terms, state, regression, n_context):
    """Find parents for every variable in the given sequence."""
    sequence = state.sequence
    for place in range(sequence.size):
        child = sequence[place]
        state.place[child] = place
        state.last_stamp[0] += 1
        state.stamp[child] = state.last_stamp[0]
        if place < n_context:
            state.log_score[child] = 0.0
            continue
        load(regression, terms, child, sequence, 0, -1)
        for i in range(place):
            if terms.required[child, sequence[i]]:
                add_member(regression, terms, child, sequence[i])
        _keep(regression, terms, state, child, settle(regression, terms, child, sequence, place, -1, -1))


@kernel
def _other_side(u, v, terms, state, regression):
    """Return the log score of u with v on its other side."""
    if state.other_stamp[u, v] != state.stamp[u]:
        state.other_score[u, v] = _regress_other_side(u, v, terms, state, regression)
        state.other_stamp[u, v] = state.stamp[u]
    return state.other_score[u, v]


@kernel
def _regress_other_side(u, v, terms, state, regression):
    """Find the parents of u with v on its other side; return its log score."""
    load(regression, terms, u, state.parents[u], state.n_parents[u], v)
    if state.place[v] < state.place[u]:
        return settle(regression, terms, u, state.sequence, state.place[u], v, -1)
    add_member(regression, terms, u, v)
    return settle(regression, terms, u, state.sequence, state.place[u], -1, v)


@kernel
def _lose(v, u, limit, terms, state, own):
    """Take u from the parents of v, whose regression is `own`, and look for others; return the log score of v."""
    place = 0
    while own.members[place] != u:
        place += 1
    remove_member(own, terms, v, place)
    return settle(own, terms, v, state.sequence, limit, v, -1)


@kernel
def _get(v, u, limit, terms, state, own):
    """Give v the parent u, and look for what to remove; return the log score of v."""
    add_member(own, terms, v, u)
    log_score = settle(own, terms, v, state.sequence, limit, v, -1)
    mark_gains(own, terms, v, log_score, own.worth)
    return log_score


@kernel
def _best_place(v, terms, state, n_context, own, other):
    """Return the place that raises the score of the order most, and the gain; its own place if none does."""
    sequence, required, is_parent, worth = state.sequence, terms.required, state.is_parent, state.worth
    start, log_score = state.place[v], state.log_score[v]
    best, most = start, 0.0
    inside, own_worth = is_parent[v], worth[v]  # until the parents of v change
    own_score, others = log_score, 0.0
    loaded = False
    for q in range(start - 1, n_context - 1, -1):
        u = sequence[q]
        if required[v, u]:
            break
        if worth[u, v]:
            others += _other_side(u, v, terms, state, other) - state.log_score[u]
        elif not inside[u]:
            continue
        if inside[u]:
            if not loaded:
                load(own, terms, v, state.parents[v], state.n_parents[v], -1)
                inside, loaded = own.inside, True
            own_score = _lose(v, u, q, terms, state, own)
        gain = own_score - log_score + others
        if gain > most + NO_GAIN:
            best, most = q, gain
    own_score, others = log_score, 0.0
    loaded = False
    for q in range(start + 1, sequence.size):
        u = sequence[q]
        if required[u, v]:
            break
        if is_parent[u, v]:
            others += _other_side(u, v, terms, state, other) - state.log_score[u]
        elif not own_worth[u]:
            continue
        if own_worth[u]:
            if not loaded:
                load(own, terms, v, state.parents[v], state.n_parents[v], -1)
                own_worth, loaded = own.worth, True
            own_score = _get(v, u, q + 1, terms, state, own)
        gain = own_score - log_score + others
        if gain > most + NO_GAIN:
            best, most = q, gain
    return best, most


@kernel
def _move(v, target, terms, state, n_context, own, other):
    """Move v to a place, or as near to it as required parents let it; the same steps as in `_best_place`."""
    sequence, place = state.sequence, state.place
    target = max(target, n_context)
    start = place[v]
    if target == start:
        return
    step = 1 if target > start else -1
    load(own, terms, v, state.parents[v], state.n_parents[v], -1)
    copy_into(own.worth, state.worth[v])
    own_score = state.log_score[v]
    end = start
    while end != target:
        q = end + step
        u = sequence[q]
        if terms.required[v, u] if step < 0 else terms.required[u, v]:
            break
        if state.worth[u, v] if step < 0 else state.is_parent[u, v]:
            log_score = _regress_other_side(u, v, terms, state, other)
            _keep(other, terms, state, u, log_score)
        if step < 0:
            if own.inside[u]:
                own_score = _lose(v, u, q, terms, state, own)
        elif own.worth[u]:
            own_score = _get(v, u, q + 1, terms, state, own)
        state.last_stamp[0] += 1
        state.stamp[u] = state.last_stamp[0]
        end = q
    for q in range(start, end, step):
        sequence[q] = sequence[q + step]
        place[sequence[q]] = q
    sequence[end] = v
    place[v] = end
    state.last_stamp[0] += 1
    state.stamp[v] = state.last_stamp[0]
    _keep(own, terms, state, v, own_score)


@kernel
def _sweep(visits, quiet, terms, state, n_context, own, other):
    """Put each of the variables `visits` into its best place, in a circle, until none moves any more.

    `quiet` is the number of the last visits without a move. Whole sweeps are done, one or up to about VISITS visits;
    return that number after them.
    """
    for _ in range(max(1, VISITS // max(1, visits.size))):
        for v in visits:
            if quiet == visits.size:
                return quiet
            target, gain = _best_place(v, terms, state, n_context, own, other)
            if gain > 0.0:
                _move(v, target, terms, state, n_context, own, other)
                quiet = 0
            else:
                quiet += 1
    return quiet


@kernel
def _disturb(variables, targets, terms, state, n_context, own, other):
    """Move each of these variables to its target, or as near to it as required parents let it."""
    for i in range(variables.size):
        _move(variables[i], targets[i], terms, state, n_context, own, other)


@kernel
def _deepen(children, terms, state, own):
    """Look for better parents of children than growing and shrinking find; return how many have them.

    Each predecessor in turn is made a parent, though it does not raise the score alone, and each parent in turn is
    taken out and may not come back at once; then the set grows and shrinks.
    """
    best_set = np.empty(own.members.size, np.int64)
    n_better = 0
    for child in children:
        place, size = state.place[child], state.n_parents[child]
        most, best_size = state.log_score[child], -1
        for i in range(place + size):
            changed = state.sequence[i] if i < place else state.parents[child, i - place]
            if i < place:
                is_possible = size < terms.most[child] and terms.log_odds[child, changed] > -np.inf
                if state.is_parent[child, changed] or not is_possible:
                    continue
                load(own, terms, child, state.parents[child], state.n_parents[child], -1)
                add_member(own, terms, child, changed)
            elif terms.required[child, changed]:
                continue
            else:
                load(own, terms, child, state.parents[child], state.n_parents[child], changed)
            skip = -1 if i < place else changed
            log_score = settle(own, terms, child, state.sequence, place, skip, -1)
            if log_score > most + NO_GAIN:
                most, best_size = log_score, own.size[0]
                for k in range(best_size):
                    best_set[k] = own.members[k]
        if best_size >= 0:
            n_better += 1
            load(own, terms, child, best_set, best_size, -1)
            _keep(own, terms, state, child, settle(own, terms, child, state.sequence, place, -1, -1))
            state.last_stamp[0] += 1
            state.stamp[child] = state.last_stamp[0]
    return n_better


@kernel
def act(action, variables, targets, quiet, terms, state, n_context, own, other):
    """Take steps of one kind; return the number that they return.

    One kernel for all kinds, because each that Python calls is compiled with all its parts, which takes seconds.
    """
    terms, state, own, other = borrowed(terms), borrowed(state), borrowed(own), borrowed(other)
    if action == BEGIN:
        _begin(terms, state, own, n_context)
    elif action == SWEEP:
        return _sweep(variables, quiet, terms, state, n_context, own, other)
    elif action == DISTURB:
        _disturb(variables, targets, terms, state, n_context, own, other)
    elif action == DEEPEN:
        return _deepen(variables, terms, state, own)
    return 0
