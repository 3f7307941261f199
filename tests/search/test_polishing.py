"""Polished orders: worth what listing says, and no relocation is worth more."""

import itertools

import numpy as np
import pytest

from orderspn.core.workers import Workers
from orderspn.leaves.tables import LeafTables
from orderspn.search.polishing import NO_GAIN, best_order_scores, polished
from search.order_scores import make_block
from search.test_best_graph import KINDS, best_by_listing


def relocations(order):
    for p, q in itertools.permutations(range(len(order)), 2):
        moved = [v for v in order if v != order[p]]
        moved.insert(q, order[p])
        yield moved


def order_scores(block):
    return best_order_scores(LeafTables.of(block.families, Workers()))


@pytest.mark.kernels
@pytest.mark.parametrize("turns", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_no_relocation_improves_it(kind, turns):
    block = make_block(5, [], range(5), KINDS[kind])
    own = order_scores(block)
    improved = 0
    for order in block.possible_orders()[::5]:
        found, log_score = polished(np.array(order), own, turns, np.random.default_rng(0))
        assert sorted(found.tolist()) == list(range(5))
        assert log_score == pytest.approx(best_by_listing(block, found.tolist()), rel=1e-12, abs=1e-10)
        assert log_score >= best_by_listing(block, order) - 1e-10
        assert all(best_by_listing(block, other) <= log_score + 2 * NO_GAIN for other in relocations(found.tolist()))
        improved += log_score > best_by_listing(block, order) + 1e-6
    assert improved


def test_wandering_finds_more():
    """Some orders that no relocation improves have better ones among those that are worth as much."""
    better = 0
    for seed in range(8):
        block = make_block(7, [], range(7), {"seed": seed, "spread": 3.0, "largest": 2})
        own = order_scores(block)
        for start in range(10):
            order = np.random.default_rng(start).permutation(7)
            once, often = (polished(order, own, turns, np.random.default_rng(start))[1] for turns in (0, 10))
            assert often >= once - 1e-9
            better += often > once + 1e-6
    assert better
