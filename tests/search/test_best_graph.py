"""The graph with the highest score, against listing all orders and parent sets."""

import itertools
import math

import numpy as np
import pytest

from helpers.families import parents_of
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.search.best_graph import best_within, find_best_graph
from orderspn.search.ensemble import Effort
from reference.lattice import log_best_leaf
from search.order_scores import make_block

EFFORT = Effort(runs=2, temperatures=3, burn_in=40, thin=2)

KINDS = {
    "without outsiders": {"impossible": 0.2},
    "one outsider": {"at_once": 1, "largest": 2},
    "two outsiders": {"at_once": 2, "largest": 2, "impossible": 0.2},
    "scores hundreds apart": {"at_once": 1, "spread": 200.0},
    "orders ruled out": {"required": [(3, 0), (0, 1)]},
    "units impossible": {"at_once": 2, "demanded": [(3, 0), (1, 4)]},
}


def best_by_listing(block, order):
    """Log score of the best graph that follows an order."""
    return sum(log_best_leaf(block.scores, child, frozenset(order[:place])) for place, child in enumerate(order))


def start_orders(block, seed=0):
    """Random possible orders, (runs, temperatures, d)."""
    possible = block.possible_orders()
    chosen = np.random.default_rng(seed).integers(len(possible), size=(EFFORT.runs, EFFORT.temperatures))
    return np.array(possible)[chosen]


def search(block, ranks=None, seed=0, n_jobs=1):
    ranks = np.arange(block.n) if ranks is None else ranks
    starts = start_orders(block, seed)
    seed = np.random.SeedSequence(seed)
    return find_best_graph(block.families, starts, EFFORT, ranks, seed, Workers(n_jobs))


def assert_consistent(block, found):
    """The parent sets are within the order, and have the reported score."""
    order = found.order.tolist()
    assert sorted(order) == list(range(block.n))
    total = 0.0
    for place, child in enumerate(order):
        family = block.families[child]
        parents = parents_of(family, found.parent_sets[child])
        assert parents <= set(order[:place])
        total += block.scores[child][parents]
    assert found.log_score == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_best_within_an_order(kind):
    block = make_block(5, [], range(5), KINDS[kind])
    for order in block.possible_orders()[::7]:
        found = best_within(np.array(order), block.families, np.arange(5))
        assert_consistent(block, found)
        assert found.log_score == pytest.approx(best_by_listing(block, order), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_of_all(kind, seed):
    block = make_block(5, [], range(5), KINDS[kind])
    found = search(block, seed=seed)
    assert_consistent(block, found)
    best = max(best_by_listing(block, order) for order in itertools.permutations(range(5)))
    assert best > -math.inf
    assert found.log_score == pytest.approx(best, rel=1e-12)


def test_equal_ones_go_by_ranks():
    """Variable 2 has either of the others as its parent, and as well both."""
    no_variables = np.empty(0, dtype=np.int64)
    families = [
        Family(0, no_variables, np.zeros(1)),
        Family(1, no_variables, np.zeros(1)),
        Family(2, np.array([0, 1]), np.array([-5.0, 1.0, 1.0, 1.0])),
    ]
    for ranks, expected in (([0, 1, 2], 1), ([1, 0, 2], 2)):
        assert best_within(np.arange(3), families, np.array(ranks)).parent_sets == [0, 0, expected]


def test_the_seed_decides_and_threads_do_not():
    block = make_block(6, [], range(6), {"at_once": 1, "spread": 0.5})
    one, two = (search(block, seed=3, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.order, two.order)
    assert one.parent_sets == two.parent_sets
    assert one.log_score == two.log_score
