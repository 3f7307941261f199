"""Samples of orders and graphs are exactly distributed, conditional ones too."""

import networkx as nx
import numpy as np
import pytest

from helpers.cases import EVIDENCE, NAMES, both
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.evidence import as_edges, as_indices

N = 20_000
CASES = [
    "fair",
    "callable with weight 0",
    "unequal candidates",
    "one parent",
    "one outsider",
    "two outsiders, no candidates",
    "one outsider, blocks",
    "sampled orders, one outsider",
]
CONDITIONS = ["nothing", "one present", "present and absent, one family", "absent in every family"]


def keys(samples):
    masks = np.einsum("sij,i->sj", samples.adjacency, 1 << np.arange(4))
    return [tuple(o) for o in samples.orders.tolist()], [tuple(m) for m in masks.tolist()]


QUICK = {("fair", "one present"), ("two outsiders, no candidates", "nothing"), ("one outsider, blocks", "one present")}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((c, e), id=f"{c}: {e}", marks=() if (c, e) in QUICK else pytest.mark.thorough)
        for c in CASES
        for e in CONDITIONS
    ],
)
def drawn(request):
    case, evidence = request.param
    indices = as_indices(EVIDENCE[evidence], NAMES)
    brute = both(case).brute.given(*indices)
    samples = both(case).posterior.sample(N, given=as_edges(*indices, NAMES), rng=len(case) + len(evidence))
    return brute, *keys(samples)


def test_graphs_orders_and_pairs_have_their_exact_probabilities(drawn):
    brute, orders, graphs = drawn
    assert chi_square_p(graphs, brute.graph_probabilities()) > THRESHOLD
    assert chi_square_p(orders, brute.order_probabilities()) > THRESHOLD
    assert chi_square_p(zip(orders, graphs, strict=True), brute.pair_probabilities()) > THRESHOLD


@pytest.mark.exhaustive
def test_the_check_rejects_noise_added_to_probabilities(drawn):
    """Gumbel noise belongs on log probabilities; on probabilities it flattens them."""
    brute, _, _ = drawn
    exact = brute.graph_probabilities()
    noise = np.random.default_rng(0).gumbel(size=(N, len(exact)))
    right = (np.log(np.fromiter(exact.values(), float)) + noise).argmax(axis=1)
    wrong = (np.fromiter(exact.values(), float) + noise).argmax(axis=1)
    outcomes = list(exact)
    assert chi_square_p([outcomes[i] for i in right], exact) > THRESHOLD
    assert chi_square_p([outcomes[i] for i in wrong], exact) < THRESHOLD


def test_the_check_rejects_the_structure_modular_posterior():
    """Without the number of orders as a weight it is another distribution over graphs."""
    brute = both("fair").brute
    weights = dict(zip(map(tuple, brute.masks.tolist()), np.exp(brute.log_weight), strict=True))
    total = sum(weights.values())
    _, graphs = keys(both("fair").posterior.sample(N, rng=1))
    assert chi_square_p(graphs, {g: w / total for g, w in weights.items()}) < THRESHOLD


@pytest.mark.thorough
def test_the_check_rejects_an_edge_of_half_the_odds(drawn):
    brute, _, graphs = drawn
    p = brute.edge_probabilities()
    cause, effect = divmod(int(np.abs(p - 0.5).argmin()), 4)  # the least certain edge
    assert 0.02 < p[cause, effect] < 0.98
    # Not zero, where one impossible draw would tell, but halved.
    tilted = {g: q * (0.5 if g[effect] >> cause & 1 else 1.0) for g, q in brute.graph_probabilities().items()}
    total = sum(tilted.values())
    assert chi_square_p(graphs, {g: q / total for g, q in tilted.items()}) < THRESHOLD


def test_graphs_follow_their_orders():
    samples = both("fair").posterior.sample(500, rng=3)
    position = np.argsort(samples.orders, axis=1)
    sample, cause, effect = np.nonzero(samples.adjacency)
    assert (position[sample, cause] < position[sample, effect]).all()
    np.testing.assert_array_equal(np.sort(samples.orders, axis=1), np.tile(np.arange(4), (500, 1)))


def test_as_networkx():
    samples = both("fair").posterior.sample(20, rng=3)
    graphs = samples.to_networkx()
    assert len(graphs) == len(samples) == 20
    for adjacency, graph, again in zip(samples.adjacency, graphs, samples, strict=True):
        np.testing.assert_array_equal(nx.to_numpy_array(graph, nodelist=NAMES, dtype=bool), adjacency)
        assert nx.utils.graphs_equal(graph, again)
    assert nx.utils.graphs_equal(samples[7], graphs[7])


def test_only_one_sample():
    assert both("fair").posterior.sample(1, rng=0).adjacency.shape == (1, 4, 4)
