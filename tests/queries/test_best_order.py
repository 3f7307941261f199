"""Orders of items with gains, against all orders."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderspn.queries import best_order as module
from orderspn.queries.best_order import best_order


def total(order, gains):
    return sum(gains[a, b] for a, b in itertools.combinations(order, 2))


def random_gains(n, seed, density):
    rng = np.random.default_rng(seed)
    return rng.random((n, n)) * (rng.random((n, n)) < density)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(0.1, 1.0))
def test_against_all_orders(n, seed, density):
    gains = random_gains(n, seed, density)
    found = best_order(gains)
    assert sorted(found.order) == list(range(n))
    assert found.optimal
    best = max(total(order, gains) for order in itertools.permutations(range(n)))
    assert total(found.order, gains) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_the_search_for_large_sets_finds_good_orders_and_does_not_claim_more(monkeypatch, seed):
    gains = random_gains(9, seed, 1.0)
    exact = best_order(gains)
    monkeypatch.setattr(module, "EXACT_UP_TO", 3)
    found = best_order(gains)
    assert not found.optimal
    assert 0.98 * total(exact.order, gains) <= total(found.order, gains) <= total(exact.order, gains) + 1e-7


def test_gains_without_cycles_need_no_search(monkeypatch):
    monkeypatch.setattr(module, "EXACT_UP_TO", 1)
    gains = np.triu(np.ones((30, 30)), 1)[::-1, ::-1]
    assert best_order(gains) == (list(range(29, -1, -1)), True)


def test_equal_gains_leave_the_order():
    assert best_order(np.full((4, 4), 0.3)).order == [0, 1, 2, 3]
