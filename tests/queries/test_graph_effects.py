"""Total effects of graphs: one graph at a time is the slow, obvious twin."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy import stats

import orderspn as osp
import orderspn.queries.effects
from helpers.data import gaussian_data, letters
from orderspn.core.workers import Workers
from orderspn.queries.effects import drawn_coefficients, expected_coefficients, mean_effects
from orderspn.queries.path_sums import effects_of
from orderspn.scores.bge import FittedBGe
from reference.bge import mean_weights
from reference.dags import adjacency_of, all_dags

D = 4
VALUES = gaussian_data(D, 15, seed=3)
GRAPHS = adjacency_of(all_dags(D))
ONE, TWO = Workers(1), Workers(2)


@pytest.fixture(scope="module")
def score():
    return osp.learn(VALUES, variables=letters(D), standardize=False).model.score


def naive_coefficients(graph):
    return np.column_stack([mean_weights(VALUES, child, set(np.flatnonzero(graph[:, child]))) for child in range(D)])


def naive_effects(graph):
    """The sum over paths, path length by path length."""
    b = naive_coefficients(graph)
    return sum(np.linalg.matrix_power(b, length) for length in range(D))


def generators(seed):
    return [np.random.default_rng([seed, child]) for child in range(D)]


def test_expected_coefficients_of_every_graph(score):
    expected = np.stack([naive_coefficients(graph) for graph in GRAPHS])
    np.testing.assert_allclose(expected_coefficients(GRAPHS, score, ONE), expected, rtol=0, atol=1e-12)
    assert (expected[~GRAPHS] == 0.0).all()


def test_effects_are_sums_over_paths(score):
    expected = np.stack([naive_effects(graph) for graph in GRAPHS])
    np.testing.assert_allclose(effects_of(expected_coefficients(GRAPHS, score, ONE)), expected, rtol=0, atol=1e-12)


@pytest.mark.kernels
def test_effects_are_inverses_also_of_dense_graphs_in_any_order():
    rng = np.random.default_rng(4)
    weights = np.triu(rng.normal(size=(20, 9, 9)), 1) * (rng.random((20, 9, 9)) < rng.random((20, 1, 1)))
    shuffled = np.stack([b[np.ix_(p, p)] for b, p in zip(weights, map(rng.permutation, [9] * 20), strict=True)])
    np.testing.assert_allclose(effects_of(shuffled), np.linalg.inv(np.eye(9) - shuffled), rtol=1e-9, atol=1e-9)


def test_mean_effects_with_repeated_graphs_and_weights(score):
    rng = np.random.default_rng(1)
    chosen = rng.integers(0, len(GRAPHS), 300)
    chosen[:100] = 7
    weights = rng.dirichlet(np.full(300, 0.5))
    mean, error = mean_effects(GRAPHS[chosen], weights, score, ONE)
    each = np.stack([naive_effects(GRAPHS[i]) for i in chosen])
    expected = np.einsum("n,nij->ij", weights, each)
    np.testing.assert_allclose(mean, expected, rtol=0, atol=1e-12)
    spread = np.einsum("n,nij->ij", weights, (each - expected) ** 2)
    np.testing.assert_allclose(error, np.sqrt(spread * np.sum(weights**2)), rtol=1e-6, atol=1e-7)


def test_batches_do_not_change_means(score, monkeypatch):
    weights = np.full(len(GRAPHS), 1 / len(GRAPHS))
    at_once = mean_effects(GRAPHS, weights, score, ONE)
    monkeypatch.setattr(orderspn.queries.effects, "GRAPHS_BATCH_BYTES", 7 * 8 * D * D)
    in_batches = mean_effects(GRAPHS, weights, score, TWO)
    np.testing.assert_allclose(in_batches, at_once, rtol=1e-9, atol=1e-9)


def test_drawn_coefficients_follow_the_graph_and_not_the_threads(score):
    one = drawn_coefficients(GRAPHS, score, generators(2), ONE)
    assert (one[~GRAPHS] == 0.0).all()
    assert (one[GRAPHS] != 0.0).all()
    np.testing.assert_array_equal(drawn_coefficients(GRAPHS, score, generators(2), TWO), one)
    assert not np.array_equal(drawn_coefficients(GRAPHS, score, generators(3), ONE), one)


def posterior_matrix():
    """R and the degrees of freedom of the posterior over covariance matrices, from their definitions."""
    n, alpha_mu, alpha_w, t = len(VALUES), 1.0, D + 2.0, 0.5
    mean = VALUES.mean(axis=0)
    scatter = (VALUES - mean).T @ (VALUES - mean)
    return t * np.eye(D) + scatter + n * alpha_mu / (n + alpha_mu) * np.outer(mean, mean), n + alpha_w


def regressions(child, parents, n, seed):
    """Coefficients of the child on its parents in covariance matrices drawn for all variables, (n, p)."""
    matrix, freedom = posterior_matrix()
    drawn = stats.invwishart(freedom, matrix).rvs(n, random_state=np.random.default_rng(seed))
    return np.stack([np.linalg.solve(s[np.ix_(parents, parents)], s[parents, child]) for s in drawn])


FAMILIES = [(0, [1]), (3, [0, 2]), (1, [0, 2, 3])]


@pytest.mark.parametrize(("child", "parents"), FAMILIES)
def test_weights_given_parents_are_those_of_drawn_covariance_matrices(score, child, parents):
    """All d variables are drawn, so that the degrees of freedom of a part of them are not assumed."""
    parents = np.array(parents)
    location, scale, freedom = score.likelihood.weights_given(child, parents)
    drawn = regressions(child, parents, 6000, seed=child)
    for place in range(parents.size):
        t = stats.t(freedom, location[place], np.sqrt(scale[place, place]))
        assert stats.kstest(drawn[:, place], t.cdf).pvalue > 1e-3
    # Any combination of them is a t distribution too, which is about what they have in common.
    combination = np.arange(1.0, parents.size + 1)
    t = stats.t(freedom, combination @ location, np.sqrt(combination @ scale @ combination))
    assert stats.kstest(drawn @ combination, t.cdf).pvalue > 1e-3
    shares = np.array([0.01, 0.1, 0.5, 0.9, 0.99])
    error = np.sqrt(shares * (1 - shares) / len(drawn)) / t.pdf(t.ppf(shares))
    np.testing.assert_array_less(np.abs(np.quantile(drawn @ combination, shares) - t.ppf(shares)), 4.5 * error)


def test_degrees_of_freedom_matter():
    """With a variable more or less the same check fails, on few rows."""
    score = FittedBGe(
        posterior_matrix()[0][None],
        np.array([2]),
        np.zeros(D, int),
        n_rows=2,
        alpha_mu=1.0,
        alpha_w=D + 2.0,
        t=0.5,
        shifts=np.zeros((1, D)),
    )
    parents = np.array([0, 2])
    location, scale, freedom = score.weights_given(3, parents)
    drawn = stats.invwishart(2 + D + 2.0, score.matrix_of(3)).rvs(20_000, random_state=np.random.default_rng(0))
    first = np.array([np.linalg.solve(s[np.ix_(parents, parents)], s[parents, 3])[0] for s in drawn])
    right = stats.t(freedom, location[0], np.sqrt(scale[0, 0]))
    wrong = stats.t(freedom + 1, location[0], np.sqrt(scale[0, 0] * freedom / (freedom + 1)))
    assert stats.kstest(first, right.cdf).pvalue > 1e-3
    assert stats.kstest(first, wrong.cdf).pvalue < 1e-3


@pytest.mark.parametrize(("child", "parents"), FAMILIES)
def test_drawn_coefficients_have_these_distributions(score, child, parents):
    graph = np.zeros((D, D), dtype=bool)
    graph[parents, child] = True
    drawn = drawn_coefficients(np.repeat(graph[None], 6000, axis=0), score, generators(5), ONE)[:, parents, child]
    expected = regressions(child, parents, 6000, seed=100 + child)
    for combination in (np.eye(len(parents))[0], np.ones(len(parents)), np.arange(1.0, len(parents) + 1)):
        assert stats.ks_2samp(drawn @ combination, expected @ combination).pvalue > 1e-3


@pytest.mark.parametrize(("child", "candidates"), [(0, [1, 2, 3]), (2, [0, 3])])
def test_locations_are_the_expected_weights(score, child, candidates):
    candidates = np.array(candidates)
    table = score.expected_weights(child, candidates)
    for mask in range(1, 1 << candidates.size):
        inside = (mask >> np.arange(candidates.size) & 1).astype(bool)
        location, scale, freedom = score.likelihood.weights_given(child, candidates[inside])
        np.testing.assert_allclose(location, table[mask][inside], rtol=0, atol=1e-12)
        assert np.linalg.eigvalsh(scale).min() > 0.0
        assert freedom == len(VALUES) + (D + 2) - D + inside.sum() + 1


@pytest.mark.parametrize("magnitude", [1.0, 1e7, 1e12])
def test_the_same_column_twice(magnitude):
    """At scales at which the prior is lost, single weights have no distribution, but their sum has."""
    rng = np.random.default_rng(0)
    cause = rng.normal(size=(30, 1))
    values = np.hstack([cause, cause, cause + rng.normal(size=(30, 1))]) * magnitude
    with pytest.warns(UserWarning, match="linear functions|vary so much") if magnitude > 1.0 else nullcontext():
        posterior = osp.learn(
            values, variables=["A", "B", "C"], method=osp.methods.Exact(target="dag"), check=False, standardize=False
        )
    effects = posterior.effect_samples(500, given="A -> C, B -> C, A !-> B, B !-> A", rng=0)
    both = effects.of("A", "C") + effects.of("B", "C")
    slope = float(np.polyfit(cause[:, 0], values[:, 2] / magnitude, 1)[0])
    assert both.mean() == pytest.approx(slope, abs=0.1)
    assert 0.05 < both.std() < 0.5
