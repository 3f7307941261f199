"""Draws of a report: every bit is that of a graph, every place that of an order."""

import json

import numpy as np
import pytest

from helpers.each import check_each
from orderspn.explorer.draws import draws_document
from orderspn.queries.sampling import GraphSamples
from reference.explorer_draws import graphs_of, places_of, satisfying


def random_samples(n, d, seed=0):
    rng = np.random.default_rng(seed)
    orders = np.array([rng.permutation(d) for _ in range(n)])
    places = np.argsort(orders, axis=1)
    adjacency = (places[:, :, None] < places[:, None, :]) & (rng.random((n, d, d)) < 0.4)
    return GraphSamples([f"X{v}" for v in range(d)], adjacency, orders)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 100])
def test_graphs_and_orders_come_back(n):
    samples = random_samples(n, 4)
    document = json.loads(json.dumps(draws_document(samples, True)))
    assert document["n"] == n
    np.testing.assert_array_equal(graphs_of(document, 4), samples.adjacency)
    for places, order in zip(places_of(document, 4), samples.orders, strict=True):
        assert [places[v] for v in order] == [0, 1, 2, 3]


def test_only_edges_that_occur_are_kept():
    samples = random_samples(20, 3)
    samples.adjacency[:, 0, 1] = False
    assert 1 not in draws_document(samples, True)["pairs"]
    empty = GraphSamples(["A", "B"], np.zeros((5, 2, 2), dtype=bool), np.tile([0, 1], (5, 1)))
    assert draws_document(empty, True)["pairs"] == []
    assert not graphs_of(draws_document(empty, True), 2).any()


def test_orders_are_left_out_where_they_mean_nothing():
    assert draws_document(random_samples(5, 3), False)["places"] is None


def test_shares_are_probabilities(posterior):
    """Within five standard errors, for every kind of statement."""
    n = 4000
    document = draws_document(posterior.sample(n, rng=1), True)

    def check(statement):
        share = satisfying(document, posterior.variables, [statement.split()]).mean()
        p = posterior.probability(statement)
        assert abs(share - p) < 5 * np.sqrt(p * (1 - p) / n) + 1e-12

    statements = ["A -> B", "E !-> B", "C -- A", "C < A", "A ~> E", "D !~> A"]
    check_each(check, {statement: statement for statement in statements})
