"""Order walk: a move between DAGs that relocates variables in an order of the DAG.

First a DAG is drawn given the layers, and a random order of the DAG. Such a pair has as its weight the score of the DAG
times the probability of the order given the DAG. Then variables are relocated in the order, one after the other, mostly
over short distances. The variable that moves and those that it passes keep their parents where these are still
possible, or new ones are drawn (`_renew`).

A relocation is accepted in two steps. The first one is that of MCMC over orders, by the masses of all parent sets
before each variable; it alone would sample pairs in proportion to the score of the DAG, so that a DAG with many orders
would count often. The second one, by the probabilities of the orders given the DAGs, makes each DAG count once. These
probabilities are cheap, and change little when one variable moves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.gadget.dags import draw_dag, set_parents
from orderspn.gadget.layers import accept, gain_of, layers_of_dag
from orderspn.gadget.parent_draws import ALLOWED, CHILD, EXCLUDED, REQUIRED, draw_parents
from orderspn.gadget.parent_mass import log_tau
from orderspn.gadget.random_orders import draw_order, log_order_probability
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel

FARTHEST = 64
"""Variables move less far than this; short distances are more frequent."""


class Walk(NamedTuple):
    """An order of a DAG, and arrays for a proposal."""

    order: np.ndarray  # (n,)
    place: np.ndarray  # (n,): of each variable in the order
    log_mass: np.ndarray  # (n,): of the parent sets before each variable
    new_place: np.ndarray  # (n,)
    new_log_mass: np.ndarray  # (n,)
    concerned: np.ndarray  # (n,): variables whose masses change; the one that moves is the first
    old_sets: np.ndarray  # (n,): parent sets before the proposal
    levels: np.ndarray  # (n,)


@kernel
def walk_along_order(state, dag, count, beta, rng, parent_scores):
    """Draw a DAG of the state's layers and an order of it, propose `count` relocations; return the number accepted.

    The chain at inverse temperature beta samples `score(layers)**beta`, but the relocations sample `mass(order)**beta`.
    The difference is corrected at the end, where the whole walk is accepted or not.
    """
    draw_dag(state.level, dag, rng, parent_scores)
    walk = _begin(dag, rng, parent_scores)
    log_mass = walk.log_mass.sum()
    log_probability = log_order_probability(dag, walk.place, walk.levels)
    accepted = 0
    for _ in range(count):
        moved, log_probability = _move_one(walk, dag, beta, log_probability, rng, parent_scores)
        accepted += moved
    layers_of_dag(dag.parents, dag.n_parents, state.new_level)
    log_ratio = (1.0 - beta) * (walk.log_mass.sum() - log_mass - gain_of(0, state.level.size, state, parent_scores))
    if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
        accept(state)
        return accepted
    return 0


@kernel
def _begin(dag, rng, parent_scores):
    n = dag.n_parents.size
    numbers = np.empty((6, n), np.int64)
    masses = np.empty((2, n))
    walk = Walk(numbers[0], numbers[1], masses[0], numbers[2], masses[1], numbers[3], numbers[4], numbers[5])
    draw_order(dag, rng, walk.order)
    for position in range(n):
        walk.place[walk.order[position]] = position
    for j in range(n):
        walk.log_mass[j] = log_tau(j, walk.place, walk.place[j], False, parent_scores)
    copy_into(walk.new_place, walk.place)
    return walk


@kernel
def _move_one(walk, dag, beta, log_probability, rng, parent_scores):
    """Propose to relocate one variable; return whether it was accepted, and the log probability of the order."""
    p, q = pick_places(walk.order.size, rng)
    if p == q:
        return 0, log_probability
    n_concerned = shift(walk, p, q, parent_scores)
    gain = _gain(walk, n_concerned, parent_scores)
    taken = beta * gain >= 0.0 or rng.random() < math.exp(beta * gain)
    if taken:
        renew_all(n_concerned, walk, dag, rng, parent_scores)
        log_new = log_order_probability(dag, walk.new_place, walk.levels)
        log_ratio = log_new - log_probability
        taken = log_ratio >= 0.0 or rng.random() < math.exp(log_ratio)
        if taken:
            _take(walk, p, q, n_concerned)
            return 1, log_new
        restore(n_concerned, walk, dag, parent_scores)
    undo(walk, p, q)
    return 0, log_probability


@kernel
def pick_places(n, rng):
    """Return the place of a variable and another one to move it to; twice the same place if there is none so far."""
    p = int(rng.random() * n)
    distance = int(math.exp(rng.random() * math.log(min(n, FARTHEST))))
    q = p + distance if rng.random() < 0.5 else p - distance
    return (p, q) if 0 <= q < n else (p, p)


@kernel
def shift(walk, p, q, parent_scores):
    """Fill in the new places, and list the variables whose masses they change; return their number."""
    step = 1 if q > p else -1
    moving = walk.order[p]
    walk.concerned[0] = moving
    count = 1
    for position in range(p + step, q + step, step):
        other = walk.order[position]
        walk.new_place[other] = position - step
        if parent_scores.related[other, moving]:
            walk.concerned[count] = other
            count += 1
    walk.new_place[moving] = q
    return count


@kernel
def undo(walk, p, q):
    """Make the new places the old ones again."""
    step = 1 if q > p else -1
    for position in range(p, q + step, step):
        walk.new_place[walk.order[position]] = position


@kernel
def _take(walk, p, q, n_concerned):
    step = 1 if q > p else -1
    moving = walk.order[p]
    for position in range(p, q, step):
        walk.order[position] = walk.order[position + step]
        walk.place[walk.order[position]] = position
    walk.order[q] = moving
    walk.place[moving] = q
    for i in range(n_concerned):
        walk.log_mass[walk.concerned[i]] = walk.new_log_mass[walk.concerned[i]]


@kernel
def _gain(walk, n_concerned, parent_scores):
    gain = 0.0
    for i in range(n_concerned):
        j = walk.concerned[i]
        walk.new_log_mass[j] = log_tau(j, walk.new_place, walk.new_place[j], False, parent_scores)
        gain += walk.new_log_mass[j] - walk.log_mass[j]
    return gain


@kernel
def renew_all(n_concerned, walk, dag, rng, parent_scores):
    """Keep or draw the parents of the concerned variables, whose masses after the move must be known."""
    for i in range(n_concerned):
        _renew(walk.concerned[i], walk, dag, rng, parent_scores)


@kernel
def restore(n_concerned, walk, dag, parent_scores):
    """Give the concerned variables their old parents again."""
    for i in range(n_concerned):
        j = walk.concerned[i]
        if dag.parent_sets[j] != walk.old_sets[j]:
            set_parents(j, walk.old_sets[j], dag, parent_scores)


@kernel
def _renew(j, walk, dag, rng, parent_scores):
    """Keep or draw the parents of a variable, given the variables that are now before it.

    If there are more of them than before, it keeps its parents with the probability of all sets within the old ones;
    otherwise a set with at least one of the new ones is drawn. If there are fewer, it keeps its parents unless one of
    them is no longer before it.
    """
    walk.old_sets[j] = dag.parent_sets[j]
    if walk.new_place[j] > walk.place[j]:
        if rng.random() < math.exp(walk.log_mass[j] - walk.new_log_mass[j]):
            return
        for other in range(walk.place.size):
            if walk.new_place[other] >= walk.new_place[j]:
                walk.levels[other] = EXCLUDED
            else:
                walk.levels[other] = ALLOWED if walk.place[other] < walk.place[j] else REQUIRED
        walk.levels[j] = CHILD
        drawn = draw_parents(j, walk.levels, CHILD, True, rng, parent_scores)
        if drawn >= 0:  # otherwise no such set is possible, and only rounding made it seem so
            set_parents(j, drawn, dag, parent_scores)
        return
    for i in range(dag.n_parents[j]):
        if walk.new_place[dag.parents[j, i]] > walk.new_place[j]:
            set_parents(
                j, draw_parents(j, walk.new_place, walk.new_place[j], False, rng, parent_scores), dag, parent_scores
            )
            return
