"""Draws of parameters and missing cells given a graph: their moments, and a test of the whole sampler."""

import math

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.levels import parameters as at_levels
from orderspn.scores.bdeu_completion import draw_codes, draw_tables
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.bge_completion import Parameters, draw_cells, draw_parameters

GRAPH = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)


def random_parameters(rng, graph=GRAPH):
    d = len(graph)
    return Parameters(rng.normal(size=d), rng.normal(size=(d, d)) * graph, rng.uniform(0.5, 2.0, size=d))


def joint(parameters, fixed=()):
    """Mean and covariance of a row, by the definition: noise goes through the inverse of `I - B`."""
    weights, variances = parameters.weights.copy(), parameters.variances.copy()
    through = np.linalg.inv(np.eye(len(weights)) - weights)
    return parameters.intercepts @ through, through.T * variances @ through


@pytest.mark.parametrize("cells", [[0], [2], [3], [0, 3], [1, 2], [0, 1, 2, 3]])
def test_cells_have_the_distribution_given_the_others(cells):
    rng = np.random.default_rng(0)
    parameters = random_parameters(rng)
    mean, covariance = joint(parameters)
    row = rng.normal(size=4)
    missing = np.zeros((40_000, 4), dtype=bool)
    missing[:, cells] = True
    drawn = draw_cells(np.tile(row, (40_000, 1)), missing, None, parameters, rng)
    known = [v for v in range(4) if v not in cells]
    np.testing.assert_array_equal(drawn[:, known], np.tile(row[known], (40_000, 1)))
    slope = covariance[np.ix_(cells, known)] @ np.linalg.inv(covariance[np.ix_(known, known)])
    expected = mean[cells] + slope @ (row - mean)[known]
    spread = covariance[np.ix_(cells, cells)] - slope @ covariance[np.ix_(known, cells)]
    errors = np.sqrt(np.diag(spread) / 40_000)
    assert (np.abs(drawn[:, cells].mean(axis=0) - expected) < 5 * errors).all()
    np.testing.assert_allclose(np.cov(drawn[:, cells].T), spread, atol=0.05 * np.abs(spread).max())


def test_the_family_of_an_intervention_does_not_count():
    """A variable that was set says nothing about its causes."""
    rng = np.random.default_rng(1)
    parameters = random_parameters(rng)
    missing, intervened = np.zeros((30_000, 4), dtype=bool), np.zeros((30_000, 4), dtype=bool)
    missing[:, 2] = intervened[:, 3] = True
    rows = np.tile([0.3, -0.2, 0.0, 50.0], (30_000, 1))
    drawn = draw_cells(rows, missing, intervened, parameters, rng)[:, 2]
    expected = parameters.intercepts[2] + parameters.weights[:2, 2] @ [0.3, -0.2]
    assert abs(drawn.mean() - expected) < 5 * np.sqrt(parameters.variances[2] / 30_000)
    assert drawn.var() == pytest.approx(parameters.variances[2], rel=0.05)


def test_rows_of_all_patterns_at_once():
    rng = np.random.default_rng(2)
    parameters, values = random_parameters(rng), rng.normal(size=(60, 4))
    missing = rng.random((60, 4)) < 0.4
    drawn = draw_cells(values, missing, None, parameters, rng)
    np.testing.assert_array_equal(drawn[~missing], values[~missing])
    assert (drawn[missing] != values[missing]).all()


@pytest.mark.filterwarnings("ignore:the means of")
@pytest.mark.thorough
def test_parameters_are_draws_from_the_posterior_of_a_regression():
    """Weights have the t distribution of the score, and intercepts go with the means."""
    values = gaussian_data(4, 30, seed=3) + np.array([5.0, 0.0, -3.0, 0.0])
    fitted = BGe(alpha_mu=1.0).fit(osp.read_table(values, letters(4)))
    rng = np.random.default_rng(0)
    draws = [draw_parameters(fitted, values, None, GRAPH, rng) for _ in range(4000)]
    location, scale, freedom = fitted.weights_given(2, np.array([0, 1]))
    weights = np.array([own.weights[:2, 2] for own in draws])
    errors = np.sqrt(np.diag(scale) * freedom / (freedom - 2))
    assert (np.abs(weights.mean(axis=0) - location) < 5 * errors / np.sqrt(4000)).all()
    np.testing.assert_allclose(weights.std(axis=0), errors, rtol=0.08)
    intercepts = np.array([own.intercepts[2] for own in draws])
    mean = values.sum(axis=0) / 31
    expected = mean[2] - weights @ mean[:2]
    variances = np.array([own.variances[2] for own in draws])
    standardized = (intercepts - expected) / np.sqrt(variances / 31)
    assert abs(standardized.mean()) < 5 / np.sqrt(4000)
    assert standardized.std() == pytest.approx(1.0, abs=0.06)


# --- a Geweke test: sweeps that also draw the observed cells must keep the prior


def prior_of(d, alpha_w, t):
    return FittedBGe(
        np.array([t * np.eye(d)]), np.zeros(1, dtype=np.int64), np.zeros(d, dtype=np.int64), 0, 1.0, alpha_w, t,
        np.zeros((1, d)),
    )  # fmt: skip


def statistics_of(graph, values):
    return [graph.sum(), graph[0, 1], np.tanh(values[:, 0] * values[:, 1]).mean(), np.tanh(values).mean(),
            np.tanh(np.abs(values[:, 2])).mean()]  # fmt: skip


def posterior_of(values, alpha_w, t):
    score = BGe(alpha_mu=1.0, alpha_w=alpha_w, t=t)
    return osp.learn(values, score=score, standardize=False, check=False, n_jobs=1)


def geweke_z(n_sweeps, wrong=False):
    """z scores of means of statistics along the chain, against independent draws from the prior; d = 3, 6 rows."""
    d, n_rows, alpha_w, t = 3, 6, 10.0, 4.0
    rng = np.random.default_rng(5)
    missing = rng.random((n_rows, d)) < 0.4
    everything = np.ones((n_rows, d), dtype=bool)
    empty = np.empty((0, d))
    prior = prior_of(d, alpha_w, t)
    graphs = graphs_of_prior(d, 4000, rng)
    exact = []
    for graph in graphs:
        parameters = draw_parameters(prior, empty, None, graph, rng)
        exact.append(statistics_of(graph, draw_cells(np.zeros((n_rows, d)), everything, None, parameters, rng)))
    values = draw_cells(np.zeros((n_rows, d)), everything, None, parameters, rng)
    chain = []
    for _ in range(n_sweeps):
        posterior = posterior_of(values, alpha_w, t)
        graph = posterior.sample(1, rng=rng.spawn(1)[0]).adjacency[0]
        parameters = draw_parameters(posterior.model.score.likelihood, values, None, graph, rng)
        if wrong:
            parameters = Parameters(parameters.intercepts, parameters.weights, 1.5 * parameters.variances)
        values = draw_cells(values, missing, None, parameters, rng)
        values = draw_cells(values, ~missing, None, parameters, rng)
        chain.append(statistics_of(graph, values))
    exact, chain = np.array(exact, dtype=float), np.array(chain, dtype=float)
    blocks = chain[: len(chain) // 20 * 20].reshape(20, -1, chain.shape[1]).mean(axis=1)
    error = np.sqrt(blocks.var(axis=0, ddof=1) / 20 + exact.var(axis=0) / len(exact))
    return (chain.mean(axis=0) - exact.mean(axis=0)) / error


def graphs_of_prior(d, n, rng):
    """Graphs from the order-modular prior, by its definition: an order, then parent sets of fair sizes."""
    graphs = []
    log_weight = []
    for _ in range(20 * n):
        order = rng.permutation(d)
        graph = np.zeros((d, d), dtype=bool)
        weight = 0.0
        for place, child in enumerate(order):
            chosen = order[:place][rng.random(place) < 0.5]
            graph[chosen, child] = True
            sizes = np.array([1.0 / d / math.comb(d - 1, size) for size in range(d)])
            weight += np.log(sizes[len(chosen)]) + place * np.log(2.0)
        graphs.append(graph)
        log_weight.append(weight)
    p = np.exp(np.array(log_weight) - max(log_weight))
    return [graphs[k] for k in rng.choice(len(graphs), size=n, p=p / p.sum())]


@pytest.mark.filterwarnings("ignore:the (values|means) of")
@pytest.mark.parametrize("n_sweeps", at_levels([300, 6000], quick=[], test=[300]))
def test_sweeps_keep_the_prior_of_numbers(n_sweeps):
    assert (np.abs(geweke_z(n_sweeps)) < 4.5).all()


@pytest.mark.filterwarnings("ignore:the (values|means) of")
@pytest.mark.exhaustive
def test_the_geweke_test_finds_a_fault():
    assert (np.abs(geweke_z(300, wrong=True)) > 4.5).any()


# --- categories


@pytest.mark.thorough
def test_tables_are_draws_from_dirichlet_distributions():
    data = pd.DataFrame({"A": list("uvuvuvuuvv"), "B": list("xxyyxyxyxx")})
    fitted = osp.scores.BDeu(equivalent_sample_size=2.0).fit(osp.read_categories(data))
    graph = np.array([[False, True], [False, False]])
    rng = np.random.default_rng(0)
    draws = np.exp([draw_tables(fitted, graph, rng)[1][1] for _ in range(4000)])
    strengths = fitted.strengths_given(1, np.array([0]))
    total = strengths.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(draws.sum(axis=-1), 1.0)
    mean = strengths / total
    error = np.sqrt(mean * (1 - mean) / (total + 1))
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * error / np.sqrt(4000)).all()
    np.testing.assert_allclose(draws.std(axis=0), error, rtol=0.08)


def test_codes_have_the_distribution_given_the_others():
    """A -> B -> C with B missing, against the product of the entries."""
    rng = np.random.default_rng(1)
    first, second, third = rng.dirichlet([2, 2]), rng.dirichlet([1, 1, 1], size=2), rng.dirichlet([1, 1], size=3)
    nothing = np.empty(0, dtype=np.int64)
    tables = [(nothing, np.log(first)), (np.array([0]), np.log(second)), (np.array([1]), np.log(third))]
    missing = np.zeros((20_000, 3), dtype=bool)
    missing[:, 1] = True
    drawn = draw_codes(np.tile([1, 0, 1], (20_000, 1)), missing, None, tables, rng)
    expected = second[1] * third[:, 1]
    expected /= expected.sum()
    found = np.bincount(drawn[:, 1], minlength=3) / 20_000
    assert (np.abs(found - expected) < 5 * np.sqrt(expected / 20_000)).all()
    intervened = np.zeros((20_000, 3), dtype=bool)
    intervened[:, 2] = True
    drawn = draw_codes(np.tile([1, 0, 1], (20_000, 1)), missing, intervened, tables, rng)
    found = np.bincount(drawn[:, 1], minlength=3) / 20_000
    assert (np.abs(found - second[1]) < 5 * np.sqrt(second[1] / 20_000)).all()
