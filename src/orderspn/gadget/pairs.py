"""Pairs of a DAG and an order of it, and moves between them that lead from one target to the other.

A pair has the weight `score(DAG) * P(order | DAG)**rho`, with the probability of a random order of the DAG (see
`random_orders.py`). With rho = 1 the probabilities of the orders of a DAG add up to 1, so every DAG counts once. With
rho = 0 it counts once per order; then chains over orders alone, which are fast and mix well, can take its place, and
its parents are drawn given the order. In between, neighbours are so near to each other that they can swap their pairs.

- *Relocation* moves a variable in the order; parents are kept where they are still possible (see `order_walk.py`).
- *Redrawn parents*: new parents of a variable given the order.
- *Redrawn order*: a new order given the DAG.

All moves are first made as if rho were 0 (or 1, for a redrawn order), and then accepted or not by the probabilities of
the orders.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.gadget.dags import Dag, dag_of, set_parents
from orderspn.gadget.order_walk import Walk, pick_places, renew_all, restore, shift, undo
from orderspn.gadget.parent_draws import draw_parents
from orderspn.gadget.random_orders import draw_order, log_order_probability
from orderspn.kernels.kernel import kernel
from orderspn.search.moves import State, gain_of, make_move, make_state


class Pair(NamedTuple):
    """A DAG and an order of it."""

    state: State  # the order, with the masses of the parent sets before each variable
    dag: Dag
    walk: Walk  # the same order and masses, places, and arrays for proposals


@kernel
def make_pair(order, parent_sets, order_scores, parent_scores):
    """Return the pair of an order and a DAG, given as numbers of parent sets."""
    return _pair_of(order, dag_of(parent_sets, parent_scores), order_scores)


@kernel
def _pair_of(order, dag, order_scores):
    state = make_state(order, order_scores)
    places = np.empty((2, order.size), np.int64)
    scratch = np.empty((3, order.size), np.int64)
    pair = Pair(
        state,
        dag,
        Walk(state.order, places[0], state.current, places[1], state.tried, scratch[0], scratch[1], scratch[2]),
    )
    find_places(pair)
    return pair


@kernel
def find_places(pair):
    """Fill in the places of the variables after moves of the order alone."""
    order, place, new_place = pair.state.order, pair.walk.place, pair.walk.new_place
    for position in range(order.size):
        place[order[position]] = position
        new_place[order[position]] = position


@kernel
def log_probability_of(pair):
    """Return the log probability of the order given the DAG."""
    return log_order_probability(pair.dag, pair.walk.place, pair.walk.levels)


@kernel
def draw_dag_along(pair, rng, parent_scores):
    """Draw a DAG given the order, in proportion to its score."""
    find_places(pair)
    place = pair.walk.place
    for j in range(place.size):
        set_parents(j, draw_parents(j, place, place[j], False, rng, parent_scores), pair.dag, parent_scores)


@kernel
def move_order(state, beta, rng, order_scores, no_gains):
    """Propose a relocation in an order alone, of weight `mass(order)**beta`."""
    p, q = pick_places(state.order.size, rng)
    if p == q:
        return
    gain = gain_of(p, q, state, order_scores, no_gains)
    if gain >= 0.0 or rng.random() < math.exp(beta * gain):
        make_move(p, q, state, order_scores)


@kernel
def relocate(pair, rho, log_probability, rng, order_scores, parent_scores, no_gains):
    """Propose to relocate one variable; return whether it was accepted, and the log probability of the order."""
    state, dag, walk = pair
    p, q = pick_places(state.order.size, rng)
    if p == q:
        return 0, log_probability
    gain = gain_of(p, q, state, order_scores, no_gains)
    if gain < 0.0 and rng.random() >= math.exp(gain):
        return 0, log_probability
    n_concerned = shift(walk, p, q, parent_scores)
    renew_all(n_concerned, walk, dag, rng, parent_scores)
    log_new = log_order_probability(dag, walk.new_place, walk.levels)
    if _accepted(rho * (log_new - log_probability), rng):
        make_move(p, q, state, order_scores)
        for position in range(min(p, q), max(p, q) + 1):
            walk.place[state.order[position]] = position
        return 1, log_new
    restore(n_concerned, walk, dag, parent_scores)
    undo(walk, p, q)
    return 0, log_probability


@kernel
def redraw_parents(pair, rho, log_probability, rng, parent_scores):
    """Propose new parents of one variable given the order; return whether they were accepted, and the same."""
    dag, walk = pair.dag, pair.walk
    j = int(rng.random() * walk.place.size)
    old = dag.parent_sets[j]
    set_parents(j, draw_parents(j, walk.place, walk.place[j], False, rng, parent_scores), dag, parent_scores)
    log_new = log_probability_of(pair)
    if _accepted(rho * (log_new - log_probability), rng):
        return 1, log_new
    set_parents(j, old, dag, parent_scores)
    return 0, log_probability


@kernel
def with_redrawn_order(pair, rho, log_probability, rng, order_scores):
    """Propose a new order of the DAG; return the pair, new or as it was, and the log probability of its order.

    At rho = 1 it is always accepted, also if the order of the pair is no longer one of its DAG.
    """
    n = pair.state.order.size
    order, place = np.empty(n, np.int64), np.empty(n, np.int64)
    draw_order(pair.dag, rng, order)
    for position in range(n):
        place[order[position]] = position
    log_new = log_order_probability(pair.dag, place, pair.walk.levels)
    if rho == 1.0 or _accepted((rho - 1.0) * (log_new - log_probability), rng):
        return _pair_of(order, pair.dag, order_scores), log_new
    return pair, log_probability


@kernel
def _accepted(log_ratio, rng):
    return log_ratio >= 0.0 or rng.random() < math.exp(log_ratio)
