"""Many draws and short walks in one compiled call, and generators that only give extreme numbers."""

import numpy as np

from orderspn.gadget.dags import empty_dag
from orderspn.gadget.layers import make_layers
from orderspn.gadget.pairs import log_probability_of, make_pair, redraw_parents, relocate, with_redrawn_order
from orderspn.gadget.parent_draws import draw_parents
from orderspn.gadget.partition_transitions import MOVES, _make_moves
from orderspn.gadget.reversal import reverse_in_dag
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel


@kernel
def draw_many(j, levels, level, must, count, rng, parent_scores):
    """Parent sets of one variable, shape (count,)."""
    drawn = np.empty(count, np.int64)
    for i in range(count):
        drawn[i] = draw_parents(j, levels, level, must, rng, parent_scores)
    return drawn


@kernel
def wander_from(starts, moves, shares, beta, rng, parent_scores):
    """Where chains are that begin at `starts` (m, n), after so many moves, and their log scores (m,)."""
    ends, log_scores = starts.copy(), np.empty(len(starts))
    tally, dag = np.zeros((len(MOVES), 2), np.int64), empty_dag(parent_scores)
    for i in range(len(starts)):
        state = make_layers(starts[i], parent_scores)
        _make_moves(state, dag, beta, moves, shares, rng, parent_scores, tally, True)
        copy_into(ends[i], state.level)
        log_scores[i] = state.log_mass.sum()
    return ends, log_scores


@kernel
def wander_pairs(orders, parent_sets, kind, rho, moves, rng, order_scores, parent_scores):
    """Orders (m, n) and parent sets after so many moves of one kind, and the log probabilities of the orders (m,)."""
    orders, parent_sets, log_probabilities = orders.copy(), parent_sets.copy(), np.empty(len(orders))
    levels, no_gains = np.empty(orders.shape[1], np.int64), np.empty(0)
    for i in range(len(orders)):
        pair = make_pair(orders[i], parent_sets[i], order_scores, parent_scores)
        log_probability = log_probability_of(pair)
        for _ in range(moves):
            if kind == 0:
                _, log_probability = relocate(pair, rho, log_probability, rng, order_scores, parent_scores, no_gains)
            elif kind == 1:
                _, log_probability = redraw_parents(pair, rho, log_probability, rng, parent_scores)
            else:
                if kind == 3:
                    reverse_in_dag(pair.dag, levels, rng, parent_scores)
                pair, log_probability = with_redrawn_order(pair, rho, log_probability, rng, order_scores)
        copy_into(orders[i], pair.state.order)
        copy_into(parent_sets[i], pair.dag.parent_sets)
        log_probabilities[i] = log_probability
    return orders, parent_sets, log_probabilities


def lowest():
    """A generator whose numbers are all 0: the Mersenne twister never leaves the state of zeros."""
    return _twister(np.zeros(624, dtype=np.uint32))


def highest():
    """A generator whose first 312 numbers are all the largest below 1."""
    return _twister(np.full(624, _before_tempering(0xFFFFFFFF), dtype=np.uint32))


def _twister(key):
    bits = np.random.MT19937()
    bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 0}}
    return np.random.Generator(bits)


def _before_tempering(word):
    """The word of the state that the twister gives out as `word`."""
    word ^= word >> 18
    word ^= word << 15 & 0xEFC60000
    whole = word
    for _ in range(5):
        word = whole ^ (word << 7 & 0x9D2C5680)
    whole = word
    for _ in range(3):
        word = whole ^ word >> 11
    return word & 0xFFFFFFFF
