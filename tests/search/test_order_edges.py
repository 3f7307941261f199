"""Edge probabilities given single orders, against listing the parent sets within the predecessors."""

import math

import numpy as np
import pytest

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.search.order_edges import (
    PIECE,
    UNCERTAIN,
    edges_given_orders,
    mean_edges,
    outsider_shares,
    varying_edges,
)
from search.order_scores import CASES, WITH_OUTSIDERS, Block, make_block, random_orders

every_case = pytest.mark.parametrize("name", CASES)

ALWAYS_A_UNIT = [name for name in WITH_OUTSIDERS if "units" not in name and "by outsiders" not in name]
"""Cases in which the sets without outsiders are never impossible."""


def parent_sets(block, order):
    """Of each variable of an order of places: {parents: probability}, given the order."""
    placed, found = set(block.before.tolist()), {}
    for child in block.variables[order].tolist():
        within = {parents: s for parents, s in block.scores[child].items() if parents <= placed}
        top = max(within.values())
        total = sum(math.exp(s - top) for s in within.values())
        found[child] = {parents: math.exp(s - top) / total for parents, s in within.items()}
        placed.add(child)
    return found


def edges_by_listing(block, order):
    """Probability that the variable at place k is a parent of that at j, shape (n, n)."""
    sets = parent_sets(block, order)
    variables = block.variables.tolist()
    return np.array([[sum(p for parents, p in sets[j].items() if k in parents) for j in variables] for k in variables])


def outsiders_by_listing(block, orders):
    shares = [
        sum(p for parents, p in sets.items() if not parents <= set(block.families[child].candidates.tolist()))
        for order in orders
        for child, sets in parent_sets(block, order).items()
    ]
    return float(np.mean(shares))


@pytest.mark.kernels
@every_case
def test_edges(name):
    block = make_block(*CASES[name])
    orders = random_orders(block, 6)
    edges = edges_given_orders(orders, block.order_scores, Workers(1))
    assert edges.shape == (6, block.n, block.n)
    assert edges.dtype == np.float32
    for order, answer in zip(orders, edges, strict=True):
        np.testing.assert_allclose(answer, edges_by_listing(block, order), atol=1e-5)
        place = np.argsort(order)
        assert (answer[place[:, None] >= place[None, :]] == 0.0).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("count", [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5])
def test_each_order_by_itself(count, n_jobs):
    """With any number of orders in a task and any number of threads."""
    block = make_block(*CASES["few candidates"])
    orders = random_orders(block, count).reshape(count, block.n)
    edges = edges_given_orders(orders, block.order_scores, Workers(n_jobs))
    assert edges.shape == (count, block.n, block.n)
    for order, answer in zip(orders, edges, strict=True):
        np.testing.assert_array_equal(edges_given_orders(order[None], block.order_scores, Workers(1))[0], answer)


@pytest.mark.kernels
@every_case
def test_means(name):
    block = make_block(*CASES[name])
    orders = random_orders(block, 11)
    expected = np.mean([edges_by_listing(block, order) for order in orders], axis=0)
    np.testing.assert_allclose(mean_edges(orders, block.order_scores, Workers(2)), expected, atol=1e-5)


@pytest.mark.parametrize("most", [0, 1, 3, 1000])
def test_the_edges_that_vary_most(most):
    block = make_block(*CASES["few candidates"])
    orders = random_orders(block, 40)
    every = edges_given_orders(orders, block.order_scores, Workers()).reshape(40, -1)
    means = every.mean(axis=0)
    variances = np.where(np.minimum(means, 1.0 - means) > UNCERTAIN, every.var(axis=0), 0.0)
    expected = np.sort(np.argsort(-variances, kind="stable")[: min(most, np.count_nonzero(variances > 1e-12))])
    found = varying_edges(orders, block.order_scores, Workers(2), most)
    np.testing.assert_array_equal(found, every[:, expected])
    assert most == 0 or found.shape[1] > 0


@pytest.mark.kernels
def test_probabilities_stay_within_bounds():
    """Rounding must not lead below 0 or above 1: the cause changes nothing, or is always there."""
    for name in ("scores hundreds apart", "scores hundreds apart, 2 at once", "orders ruled out", "units impossible"):
        block = make_block(*CASES[name])
        edges = edges_given_orders(random_orders(block, 10), block.order_scores, Workers(1))
        assert edges.min() >= 0.0
        assert edges.max() <= 1.0


@pytest.mark.kernels
@pytest.mark.parametrize("name", ALWAYS_A_UNIT)
def test_share_of_outsiders(name):
    block = make_block(*CASES[name])
    orders = random_orders(block, 5)
    expected = outsiders_by_listing(block, orders)
    assert outsider_shares(orders, block.order_scores).mean() == pytest.approx(expected, abs=1e-5)


def test_the_shares_of_outsiders_differ_between_cases():
    shares = [outsiders_by_listing(b, random_orders(b, 5)) for b in (make_block(*CASES[n]) for n in ALWAYS_A_UNIT)]
    assert min(shares) < 0.3
    assert max(shares) > 0.9


@pytest.mark.kernels
def test_required_outsiders_are_certain():
    """The sets without outsiders are impossible then."""
    block = make_block(*CASES["units impossible"])
    orders = random_orders(block, 5)
    expected = outsiders_by_listing(block, orders)
    assert outsider_shares(orders, block.order_scores).mean() == pytest.approx(expected, abs=1e-5)


@pytest.mark.kernels
def test_share_by_hand():
    """Variable 1 has the outsider 0 as parent with odds 3 to 1, if it comes before."""
    no_variables = np.empty(0, dtype=np.int64)
    families = [
        Family(0, no_variables, np.zeros(1)),
        Family(1, no_variables, np.log([1.0, 3.0]), outsider_rows=np.array([[0]])),
    ]
    block = Block(families, [], [0, 1])
    assert outsider_shares(np.array([[0, 1]]), block.order_scores).mean() == pytest.approx(0.75 / 2)
    assert outsider_shares(np.array([[1, 0]]), block.order_scores).mean() == 0.0
    assert outsider_shares(np.array([[1, 0], [0, 1]]), block.order_scores).mean() == pytest.approx(0.75 / 4)
    assert edges_given_orders(np.array([[0, 1]]), block.order_scores, Workers(1))[0, 0, 1] == pytest.approx(0.75)


def test_without_outsiders_there_is_no_share():
    block = make_block(*CASES["five, impossible sets"])
    assert outsider_shares(random_orders(block, 5), block.order_scores).mean() == 0.0
