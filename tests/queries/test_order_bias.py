"""Weights that take the bias of orders away, against the exact posterior that counts each DAG once."""

import math

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.queries.precision import normalised_weights, quality_of
from orderspn.queries.sampling import counted_once
from reference.dags import linear_extensions

D = 8
NAMES = letters(D)
VALUES = gaussian_data(D, 40, seed=21, density=0.3)
N = 20_000


@pytest.fixture(scope="module")
def by_order():
    return osp.learn(VALUES, variables=NAMES, method="exact", prior="uniform", standardize=False)


@pytest.fixture(scope="module")
def once():
    return osp.learn(
        VALUES, variables=NAMES, method=osp.methods.Exact(target="dag"), prior="uniform", standardize=False
    )


def standard_errors(samples):
    """Of weighted frequencies of independent draws."""
    centred = samples.adjacency - samples.edge_frequencies()
    return np.sqrt(np.einsum("n,nij->ij", samples.weights**2, centred**2))


def largest_deviation(samples, exact):
    return (np.abs(samples.edge_frequencies() - exact) / (standard_errors(samples) + 1e-9)).max()


@pytest.mark.parametrize("evidence", [None, "A -> B, C !-> D"])
def test_corrected_frequencies_are_those_of_dags_counted_once(by_order, once, evidence):
    exact = once.edge_probabilities(evidence).to_numpy()
    samples = by_order.sample(N, evidence, 1, target="dag")
    assert largest_deviation(samples, exact) < 4.5
    biased = by_order.sample(N, evidence, 1)
    np.testing.assert_array_equal(biased.adjacency, samples.adjacency)
    assert np.abs(biased.edge_frequencies() - exact).max() > 3 * np.abs(samples.edge_frequencies() - exact).max()
    assert np.abs(biased.edge_frequencies() - exact).max() > 0.03


def test_weights_are_inverse_numbers_of_orders(by_order):
    samples = by_order.sample(40, rng=2, target="dag")
    inverse = np.array([1.0 / linear_extensions_of(graph) for graph in samples.adjacency])
    np.testing.assert_allclose(samples.weights, inverse / inverse.sum(), rtol=1e-9)
    assert np.ptp(samples.weights) > 0.0


def linear_extensions_of(graph):
    """By taking away a variable without parents, in every possible way."""
    if not len(graph):
        return 1
    roots = np.flatnonzero(~graph.any(axis=0))
    return sum(linear_extensions_of(np.delete(np.delete(graph, root, 0), root, 1)) for root in roots)


def test_two_ways_to_count_orders_agree():
    graph = np.zeros((4, 4), dtype=bool)
    graph[0, 1] = graph[2, 3] = True
    assert linear_extensions_of(graph) == linear_extensions(graph) == 6


def test_circuits_are_corrected_too(once):
    """Of all orders: the weights undo what the circuit weighs them by, so that nothing but DAGs is left."""
    posterior = osp.learn(
        VALUES[:, :4],
        variables=NAMES[:4],
        prior="uniform",
        method=osp.methods.Trust(block_size=3, expansion=[6]),
        rng=0,
        standardize=False,
    )
    exact = osp.learn(
        VALUES[:, :4], variables=NAMES[:4], prior="uniform", method=osp.methods.Exact(target="dag"), standardize=False
    )
    assert posterior.coverage().share == pytest.approx(1.0)
    samples = posterior.sample(N, rng=3, target="dag")
    assert largest_deviation(samples, exact.edge_probabilities().to_numpy()) < 4.5
    biased = posterior.sample(N, rng=3).edge_frequencies()
    assert np.abs(biased - exact.edge_probabilities()).to_numpy().max() > 0.02


@pytest.mark.exhaustive
def test_circuits_from_sampled_orders_are_corrected(once):
    """They cover a part of the orders only, but of any graph that they have the weight is exact."""
    posterior = osp.learn(
        VALUES,
        variables=NAMES,
        prior="uniform",
        method=osp.methods.Trust(block_size=3, n_orders=300, effort=0.1),
        rng=0,
        standardize=False,
    )
    exact = once.edge_probabilities().to_numpy()
    samples = posterior.sample(N, rng=4, target="dag")
    corrected = np.abs(samples.edge_frequencies() - exact).max()
    biased = np.abs(posterior.sample(N, rng=4).edge_frequencies() - exact).max()
    assert corrected < 0.25 * biased


def test_all_weights_are_equal_where_every_dag_has_one_order(by_order):
    chain = " -> ".join(NAMES)
    samples = by_order.sample(500, chain, 5, target="dag")
    np.testing.assert_allclose(samples.weights, 1 / 500, rtol=1e-12)
    assert samples.quality.effective_sample_size == pytest.approx(500)
    assert math.isnan(samples.quality.pareto_k)
    assert len(np.unique(samples.adjacency, axis=0)) > 10


def test_quality_of_samples(by_order):
    samples = by_order.sample(2000, rng=6, target="dag")
    assert samples.quality.effective_sample_size == pytest.approx(1 / np.sum(samples.weights**2))
    assert 1.0 < samples.quality.effective_sample_size < 2000
    few_values = len(np.unique(np.sort(samples.weights)[-134:])) < 20  # of the tail, 3 sqrt(n)
    assert math.isnan(samples.quality.pareto_k) == few_values
    assert by_order.sample(10, rng=6).quality is None


def test_without_a_target_nothing_is_weighted(by_order):
    for target in (None, "order"):
        samples = by_order.sample(10, rng=7, target=target)
        assert samples.weights is None
        np.testing.assert_array_equal(samples.edge_frequencies(), samples.adjacency.mean(axis=0))
    with pytest.raises(ValueError, match="target must be"):
        by_order.sample(10, target="graph")


def test_same_graph_same_weight(by_order):
    samples = by_order.sample(5000, rng=8, target="dag")
    again = counted_once(by_order.sample(5000, rng=8), by_order.model.orders)
    np.testing.assert_array_equal(again.weights, samples.weights)
    weights = {}
    for graph, weight in zip(samples.adjacency, samples.weights, strict=True):
        assert weights.setdefault(graph.tobytes(), weight) == weight
    assert len(weights) < 5000


def test_normalised_weights():
    np.testing.assert_allclose(normalised_weights(np.log([1.0, 3.0]) - 5000.0), [0.25, 0.75], rtol=1e-9)
    np.testing.assert_array_equal(normalised_weights(np.array([0.0, -np.inf])), [1.0, 0.0])


@pytest.mark.parametrize("shape", [0.2, 0.5, 1.0])
def test_pareto_k_is_the_shape_of_the_tail(shape):
    """Weights u**-k of uniform u have a Pareto tail of shape k."""
    u = np.random.default_rng(9).random(20_000)
    quality = quality_of(-shape * np.log(u))
    assert quality.pareto_k == pytest.approx(shape, abs=0.15)


def test_heavier_tails_have_smaller_effective_samples():
    u = np.random.default_rng(10).random(5000)
    sizes = [quality_of(-shape * np.log(u)).effective_sample_size for shape in (0.0, 0.2, 0.5, 1.0)]
    assert sizes[0] == pytest.approx(5000)
    assert sizes == sorted(sizes, reverse=True)


def test_weights_with_few_values_have_no_tail():
    """Integer numbers of orders: the largest weight is that of graphs with one order, and common."""
    log_weights = -np.log(np.random.default_rng(11).choice([1.0, 2.0, 24.0], 1000))
    quality = quality_of(log_weights)
    assert math.isnan(quality.pareto_k)
    assert quality.effective_sample_size < 1000


@pytest.mark.parametrize("n", [2, 4, 5, 24])
def test_few_draws(by_order, n):
    """Too few to know the tail, but the weights are what they are."""
    samples = by_order.sample(n, rng=12, target="dag")
    assert np.ptp(samples.weights) > 0.0
    assert samples.weights.sum() == pytest.approx(1.0)
    assert math.isnan(samples.quality.pareto_k)
    assert 1.0 <= samples.quality.effective_sample_size <= n


def test_one_draw(by_order):
    samples = by_order.sample(1, rng=12, target="dag")
    assert samples.weights.tolist() == [1.0]
    assert samples.quality.effective_sample_size == 1.0


@pytest.mark.parametrize(("n", "known"), [(24, False), (60, True)])
def test_a_tail_needs_draws(n, known):
    quality = quality_of(-0.5 * np.log(np.random.default_rng(13).random(n)))
    assert math.isfinite(quality.pareto_k) == known
