"""The probability of graphs given their orders, against sums over all graphs that follow them."""

import itertools
import math

import numpy as np
import pytest

from orderspn.prior_learning.sparsity import ParentCounts, most_probable_prior
from orderspn.scores.beta_binomial import BetaBinomial
from orderspn.scores.parent_rules import ParentRules

PRIORS = [BetaBinomial(0.3), BetaBinomial(0.2, 3.0), BetaBinomial(0.7, 0.9)]
NO_CONTEXT = np.empty(0, dtype=np.int64)


def log_probability_given_order(graph, order, prior, rules, context):
    """Of one graph, among all that follow the order and keep the rules: one variable after the other."""
    d = len(graph)
    by_size = prior.log_prior(d)
    total = 0.0
    for place, child in enumerate(order):
        if child in context:
            continue
        possible = [v for v in order[:place] if rules.allowed[v, child]]
        required = {v for v in range(d) if rules.required[v, child]}
        sets = [set(own) for k in range(len(possible) + 1) for own in itertools.combinations(possible, k)]
        weights = {frozenset(own): math.exp(by_size[len(own)]) for own in sets if required <= own}
        total += math.log(weights[frozenset(np.flatnonzero(graph[:, child]).tolist())] / sum(weights.values()))
    return total


def drawn_pairs(d, n, rules, context, seed):
    """Graphs with orders that keep the rules, in no particular proportion."""
    rng = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(d), context)
    graphs, orders = [], []
    while len(graphs) < n:
        order = np.concatenate([context, rng.permutation(others)]).astype(int)
        places = np.argsort(order)
        before = (places[:, None] < places[None, :]) & rules.allowed
        if (rules.required & ~before).any():
            continue
        graph = before & (rng.random((d, d)) < 0.4) | rules.required
        graph[:, context] = False
        graphs.append(graph)
        orders.append(order)
    return np.array(graphs), np.array(orders)


def ruled(d):
    allowed, required = ~np.eye(d, dtype=bool), np.zeros((d, d), dtype=bool)
    allowed[0, 3] = allowed[2, 1] = False
    required[1, 2] = True
    return ParentRules(allowed, required, np.full(d, d - 1), np.zeros((d, d)))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(
    ("rules", "context"),
    [
        (ParentRules.none(5), NO_CONTEXT),
        (ruled(5), NO_CONTEXT),
        (ParentRules.none(5), np.array([1, 4])),
    ],
    ids=["free", "rules", "context"],
)
def test_the_probability_of_graphs_given_their_orders(prior, rules, context):
    rules = rules.without_causes_of(context) if context.size else rules
    graphs, orders = drawn_pairs(5, 20, rules, context, seed=3)
    expected = np.mean(
        [log_probability_given_order(g, o, prior, rules, context) for g, o in zip(graphs, orders, strict=True)]
    )
    counts = ParentCounts.of(graphs, orders, rules, context)
    assert counts.log_probability(prior, 5) == pytest.approx(expected, abs=1e-10)


def drawn_from(prior, d, n, rng):
    """Graphs from the prior given random orders."""
    graphs = np.zeros((n, d, d), dtype=bool)
    orders = np.array([rng.permutation(d) for _ in range(n)])
    a, b = prior.mean * prior.concentration, (1 - prior.mean) * prior.concentration
    for graph, order in zip(graphs, orders, strict=True):
        for place, child in enumerate(order):
            # Given that those that come later are no parents, the share has this distribution.
            share = prior.mean if math.isinf(prior.concentration) else rng.beta(a, b + d - 1 - place)
            graph[order[:place], child] = rng.random(place) < share
    return graphs, orders


@pytest.mark.parametrize(
    "truth", [BetaBinomial(0.1), BetaBinomial(0.4), BetaBinomial(0.3, 3.0), BetaBinomial(0.5, 2.0)]
)
def test_the_prior_that_graphs_were_drawn_from_is_found(truth):
    d = 30
    graphs, orders = drawn_from(truth, d, 200, np.random.default_rng(1))
    counts = ParentCounts.of(graphs, orders, ParentRules.none(d), NO_CONTEXT)
    found = most_probable_prior(counts, d)
    assert found.mean == pytest.approx(truth.mean, rel=0.2)
    if math.isinf(truth.concentration):
        assert found.concentration > 50
    else:
        assert found.concentration == pytest.approx(truth.concentration, rel=0.25)
    # The two edges that keep the mean from 0 and 1 cost little.
    assert counts.log_probability(found, d) > counts.log_probability(truth, d) - 0.1


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_graphs_with_no_edges_or_with_all_leave_some_doubt(share):
    d, order = 6, np.arange(6)
    graph = np.triu(np.full((d, d), share == 1.0), 1)
    found = most_probable_prior(ParentCounts.of(graph[None], order[None], ParentRules.none(d), NO_CONTEXT), d)
    assert 0.01 < found.mean < 0.99
