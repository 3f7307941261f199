"""Draws of total effects: their means, their weights, and the intervals made of them."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.queries.effects import EffectSamples
from orderspn.queries.sampling import GraphSamples
from reference.dags import adjacency_of, all_dags

NAMES = letters(4)
VALUES = gaussian_data(4, 30, seed=14)
N = 20_000


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(VALUES, variables=NAMES, standardize=False)


@pytest.fixture(scope="module")
def drawn(posterior):
    return posterior.effect_samples(N, rng=1)


def assert_means(values, expected, weights=None):
    """Within the Monte Carlo error of weighted independent draws."""
    shares = np.full(len(values), 1 / len(values)) if weights is None else weights
    mean = np.einsum("n,nij->ij", shares, values)
    error = np.sqrt(np.einsum("n,nij->ij", shares**2, (values - mean) ** 2))
    np.testing.assert_array_less(np.abs(mean - expected), 4.5 * error + 1e-12)
    return error


def test_means_are_causal_effects(posterior, drawn):
    effects = posterior.causal_effects().to_numpy()
    error = assert_means(drawn.values, effects)
    assert 0.0 < error.max() < 0.02
    assert np.abs(effects - np.eye(4)).max() > 0.3
    np.testing.assert_allclose(drawn.mean, drawn.values.mean(axis=0), rtol=1e-12, atol=1e-12)


def test_means_under_evidence(posterior):
    effects = posterior.causal_effects("A -> B, C !-> D").to_numpy()
    samples = posterior.effect_samples(N, "A -> B, C !-> D", 2)
    assert_means(samples.values, effects)
    assert samples.graphs.adjacency[:, 0, 1].all()
    assert not samples.graphs.adjacency[:, 2, 3].any()
    assert np.abs(effects - posterior.causal_effects()).to_numpy().max() > 0.05


@pytest.mark.exhaustive
def test_means_of_weighted_draws_are_those_of_dags_counted_once(posterior):
    """Three ways: exact over the DAGs, draws of them, and weighted draws by orders."""
    once = osp.learn(VALUES, variables=NAMES, method=osp.methods.Exact(target="dag"), standardize=False)
    probabilities = {}
    for graph in adjacency_of(all_dags(4)):
        edges = [(NAMES[i], NAMES[j]) for i in range(4) for j in range(4) if graph[i, j]]
        absent = [(NAMES[i], NAMES[j]) for i in range(4) for j in range(4) if i != j and not graph[i, j]]
        probabilities[graph.tobytes()] = once.probability(osp.Edges(edges, absent))
    score = once.model.score
    exact = np.zeros((4, 4))
    for graph in adjacency_of(all_dags(4)):
        b = np.zeros((4, 4))
        for child in range(4):
            parents = np.flatnonzero(graph[:, child])
            if parents.size:
                b[parents, child] = score.likelihood.weights_given(child, parents)[0]
        exact += probabilities[graph.tobytes()] * np.linalg.inv(np.eye(4) - b)
    assert_means(once.effect_samples(N, rng=3).values, exact)
    weighted = posterior.effect_samples(N, rng=4, target="dag")
    assert_means(weighted.values, exact, weighted.graphs.weights)
    shares = weighted.graphs.weights
    np.testing.assert_allclose(weighted.mean, np.einsum("n,nij->ij", shares, weighted.values), rtol=0, atol=1e-12)
    # Where the bias is left in, the same check fails.
    with pytest.raises(AssertionError):
        assert_means(weighted.values, exact)


def test_effects_are_zero_where_there_is_no_path_and_one_on_the_diagonal(drawn):
    paths = np.eye(4, dtype=bool) | drawn.graphs.adjacency
    for _ in range(3):
        paths = paths @ paths
    np.testing.assert_allclose(drawn.values[~paths], 0.0, atol=1e-12)
    np.testing.assert_allclose(drawn.values[:, range(4), range(4)], 1.0, atol=1e-12)
    assert (drawn.values[drawn.graphs.adjacency] != 0.0).all()


def test_same_seed_same_draws_whatever_the_threads(posterior, drawn):
    other = osp.learn(VALUES, variables=NAMES, n_jobs=2, standardize=False).effect_samples(N, rng=1)
    np.testing.assert_array_equal(other.values, drawn.values)
    np.testing.assert_array_equal(other.graphs.adjacency, drawn.graphs.adjacency)
    assert not np.array_equal(posterior.effect_samples(100, rng=5).values, drawn.values[:100])


def test_one_effect_by_name(drawn):
    np.testing.assert_array_equal(drawn.of("B", "D"), drawn.values[:, 1, 3])
    with pytest.raises(ValueError, match="unknown variable 'E'"):
        drawn.of("A", "E")


def test_intervals(drawn):
    low, high = drawn.interval(0.9)
    wider_low, wider_high = drawn.interval(0.99)
    assert (wider_low <= low).to_numpy().all()
    assert (low <= high).to_numpy().all()
    assert (high <= wider_high).to_numpy().all()
    inside = (drawn.values >= low.to_numpy()) & (drawn.values <= high.to_numpy())
    assert (inside.mean(axis=0) >= 0.9 - 1e-9).all()
    moving = [("A", "B"), ("B", "A")]
    for cause, effect in moving:
        np.testing.assert_allclose(
            (low.loc[cause, effect], high.loc[cause, effect]), np.quantile(drawn.of(cause, effect), [0.05, 0.95])
        )
    assert (low.index.name, low.columns.name) == ("cause", "effect")


def toy(values, weights):
    """Two variables, and draws of the one effect that there is."""
    n = len(values)
    effects = np.repeat(np.eye(2)[None], n, axis=0)
    effects[:, 0, 1] = values
    shares = None if weights is None else np.array(weights) / np.sum(weights)
    graphs = GraphSamples(["A", "B"], np.zeros((n, 2, 2), dtype=bool), np.zeros((n, 2), dtype=np.int64), shares)
    return EffectSamples(["A", "B"], effects, graphs)


def test_weighted_quantiles_of_a_toy_example():
    """The smallest value at which the summed weight reaches the share, for any order of the draws."""
    samples = toy([30.0, 10.0, 20.0, 40.0], [1, 8, 4, 7])  # sorted: 10 up to 0.4, 20 to 0.6, 30 to 0.65, 40 to 1
    assert samples.mean.loc["A", "B"] == pytest.approx((30 + 80 + 80 + 280) / 20)
    for level, expected in {0.1: (20.0, 20.0), 0.24: (10.0, 30.0), 0.5: (10.0, 40.0)}.items():
        low, high = samples.interval(level)
        assert (low.loc["A", "B"], high.loc["A", "B"]) == expected
        assert (low.loc["A", "A"], high.loc["B", "A"]) == (1.0, 0.0)


def test_whole_weights_are_repetitions():
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=50), rng.integers(1, 5, 50)
    low, high = toy(values, weights).interval(0.77)
    repeated = np.repeat(values, weights)
    expected = np.quantile(repeated, [0.115, 0.885], method="inverted_cdf")
    assert (low.loc["A", "B"], high.loc["A", "B"]) == tuple(expected)


def test_unweighted_quantiles_are_interpolated():
    low, high = toy([0.0, 1.0, 2.0, 3.0], None).interval(0.5)
    assert (low.loc["A", "B"], high.loc["A", "B"]) == (0.75, 2.25)


@pytest.mark.parametrize("level", [-0.1, 1.5, "most"])
def test_levels_that_are_no_shares_are_refused(level):
    with pytest.raises((ValueError, TypeError), match="level must be"):
        toy([1.0, 2.0], None).interval(level)
