"""Likelihoods of held-out rows, against formulas by hand, slow twins and laws."""

import math

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_t

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.examples import costly
from helpers.levels import parameters
from orderspn.metrics import log_predictive_density, marginal_log_likelihood
from reference import held_out as reference
from reference.equivalence import all_dags

HYPERPARAMETERS = [{}, {"alpha_mu": 0.3, "alpha_w": 9.5, "t": 0.8}]
METHODS = [
    {"method": "exact"},
    {"method": osp.methods.Exact(target="dag")},
    {"method": "trust"},
    {"method": osp.methods.Gadget(n_graphs=200, effort=0.1)},
    {"method": osp.methods.DiBS(n_particles=8, effort=0.05)},
]


def random_dags(d, n, rng):
    graphs = np.triu(rng.random((n, d, d)) < 0.5, k=1)
    orders = [rng.permutation(d) for _ in range(n)]
    return np.array([graph[order][:, order] for graph, order in zip(graphs, orders, strict=True)])


def weighted(graphs, weights, names):
    return osp.GraphSamples(list(names), graphs, np.zeros((len(graphs), len(names))), weights=weights)


@pytest.fixture(scope="module")
def data():
    values = gaussian_data(4, 60, seed=1)
    return pd.DataFrame(values[:40], columns=letters(4)), pd.DataFrame(values[40:], columns=letters(4))


# --- marginal log likelihood


def test_no_edges_and_one_row_by_hand():
    """A row of one variable has a t distribution with alpha_w - d + 1 degrees of freedom: the prior is normal-gamma."""
    row = np.array([[0.7, -1.3]])
    alpha_mu, alpha_w, t = 1.0, 4.0, 0.5
    freedom = alpha_w - 2 + 1
    scale = math.sqrt(t * (alpha_mu + 1) / (alpha_mu * freedom))
    expected = sum(
        math.lgamma((freedom + 1) / 2)
        - math.lgamma(freedom / 2)
        - 0.5 * math.log(freedom * math.pi)
        - math.log(scale)
        - (freedom + 1) / 2 * math.log1p((x / scale) ** 2 / freedom)
        for x in row[0]
    )
    assert marginal_log_likelihood(np.zeros((2, 2)), row) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("hyperparameters", HYPERPARAMETERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_marginal_likelihood_graph_by_graph(seed, hyperparameters):
    rng = np.random.default_rng(seed)
    rows, graphs = gaussian_data(5, 30, seed), random_dags(5, 12, rng)
    weights = rng.dirichlet(np.ones(12))
    expected = reference.marginal_log_likelihood(rows, graphs, weights, **hyperparameters)
    score = osp.scores.BGe(**hyperparameters)
    found = marginal_log_likelihood(weighted(graphs, weights, letters(5)), rows, score=score)
    assert found == pytest.approx(expected, rel=1e-10)
    alike = reference.marginal_log_likelihood(rows, graphs, np.full(12, 1 / 12), **hyperparameters)
    assert marginal_log_likelihood(graphs, rows, score=score) == pytest.approx(alike, rel=1e-10)
    assert found != pytest.approx(alike, rel=1e-6)


def test_equivalent_graphs_explain_rows_alike():
    rows = gaussian_data(3, 25, seed=4)
    chain = nx.DiGraph([(0, 1), (1, 2)])
    fork = nx.DiGraph([(1, 0), (1, 2)])
    collider = nx.DiGraph([(0, 1), (2, 1)])
    likelihoods = [marginal_log_likelihood([graph], rows) for graph in (chain, fork, collider)]
    assert likelihoods[0] == pytest.approx(likelihoods[1], rel=1e-12)
    assert likelihoods[0] != pytest.approx(likelihoods[2], rel=1e-6)


class Counting:
    """A score that remembers which families it was asked for."""

    def __init__(self):
        self.asked = []

    def fit(self, data):
        fitted = osp.scores.BGe().fit(data)
        outer = self

        class Fitted:
            predictive = unfitted = None

            def __getattr__(self, name):
                return getattr(fitted, name)

            def settings(self):
                return {"name": "mine"}

            def log_likelihoods(self, child, candidates, max_parents, always):
                outer.asked.append((child, tuple(always)))
                return fitted.log_likelihoods(child, candidates, max_parents, always)

        return Fitted()


def test_each_family_is_scored_once():
    rng = np.random.default_rng(3)
    graphs = random_dags(4, 300, rng)
    score = Counting()
    rows = gaussian_data(4, 20, seed=2)
    assert marginal_log_likelihood(graphs, rows, score=score) == pytest.approx(marginal_log_likelihood(graphs, rows))
    families = {(child, tuple(np.flatnonzero(graph[:, child]))) for graph in graphs for child in range(4)}
    assert sorted(score.asked) == sorted(families)
    with pytest.raises(TypeError, match=r"score must have predictive densities.*got one whose fit returns Fitted"):
        log_predictive_density(graphs, rows, rows, score=Counting())


# --- predictive density


@pytest.mark.parametrize("hyperparameters", HYPERPARAMETERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_predictive_density_by_differences(seed, hyperparameters):
    rng = np.random.default_rng(seed)
    values, graphs = gaussian_data(5, 27, seed), random_dags(5, 10, rng)
    train, test = values[:20], values[20:]
    weights = rng.dirichlet(np.ones(10))
    weights[3] = 0.0
    weights /= weights.sum()
    expected = reference.log_predictive_density(train, test, graphs, weights, **hyperparameters)
    score = osp.scores.BGe(**hyperparameters)
    found = log_predictive_density(weighted(graphs, weights, letters(5)), train, test, score=score)
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_complete_graph_predicts_a_multivariate_t():
    values = gaussian_data(3, 31, seed=5)
    train, test = values[:30], values[30:]
    fitted = osp.scores.BGe().fit(osp.read_table(train))
    strength, freedom = 30 + 1.0, 30 + 5.0 - 3 + 1
    shape = fitted.matrix_of(0) * (strength + 1) / (strength * freedom)
    expected = multivariate_t(train.sum(axis=0) / strength, shape, df=freedom).logpdf(test[0])
    complete = np.triu(np.ones((3, 3)), k=1)
    assert log_predictive_density(complete, train, test) == pytest.approx(float(expected), rel=1e-10)


def test_rows_are_taken_in_portions(monkeypatch):
    values = gaussian_data(4, 50, seed=7)
    graphs = random_dags(4, 6, np.random.default_rng(0))
    at_once = log_predictive_density(graphs, values[:20], values[20:])
    monkeypatch.setattr("orderspn.metrics.held_out.ROWS_AT_ONCE", 7)
    assert log_predictive_density(graphs, values[:20], values[20:]) == pytest.approx(at_once, rel=1e-13)


def test_far_rows_have_finite_densities():
    values = gaussian_data(3, 20, seed=8)
    far = np.full((1, 3), 1e60)
    assert -1e5 < log_predictive_density(np.zeros((3, 3)), values, far) < -1e3


def test_two_columns_alike_at_a_scale_at_which_the_prior_is_lost():
    column = gaussian_data(2, 20, seed=8)[:, :1] * 1e12
    values = np.hstack([column, column, column])
    graph = np.triu(np.ones((3, 3)), k=1)
    assert math.isfinite(log_predictive_density(graph, values, values[:2]))


# --- posteriors


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*particles ended with a cycle:UserWarning")
@pytest.mark.parametrize("how", parameters(METHODS, test=[*METHODS[:2], METHODS[3]]))
def test_every_kind_of_posterior(data, how):
    train, test = data
    posterior = osp.learn(train, score=osp.scores.BGe(alpha_mu=0.5), **how, standardize=False)
    samples = posterior.sample(300, rng=3)
    weights = np.full(300, 1 / 300)
    hyperparameters = {"alpha_mu": 0.5}
    expected = reference.marginal_log_likelihood(test.to_numpy(), samples.adjacency, weights, **hyperparameters)
    assert marginal_log_likelihood(posterior, test, n_samples=300, rng=3) == pytest.approx(expected, rel=1e-10)
    score = osp.scores.BGe(alpha_mu=0.5)
    assert marginal_log_likelihood(samples, test, score=score) == pytest.approx(expected, rel=1e-10)
    predicted = log_predictive_density(posterior, train, test, n_samples=300, rng=3)
    assert log_predictive_density(samples, train, test, score=score) == pytest.approx(predicted, rel=1e-12)
    distinct = samples.adjacency[:40]
    by_differences = reference.log_predictive_density(
        train.to_numpy(), test.to_numpy()[:3], distinct, np.full(40, 1 / 40), **hyperparameters
    )
    assert log_predictive_density(distinct, train, test[:3], score=score) == pytest.approx(by_differences, rel=1e-9)


def test_defaults_are_a_thousand_draws_with_seed_0(data):
    train, test = data
    posterior = osp.learn(train, standardize=False)
    samples = posterior.sample(1000, rng=0)
    assert marginal_log_likelihood(posterior, test) == marginal_log_likelihood(samples, test)
    assert log_predictive_density(posterior, train, test) == log_predictive_density(samples, train, test)


@pytest.mark.exhaustive
def test_draws_approach_the_exact_mean(data):
    train, test = data
    posterior = osp.learn(train, standardize=False)
    dags, names = all_dags(4), posterior.variables
    p = [
        posterior.probability(
            osp.Edges(
                present=[(names[i], names[j]) for i, j in np.argwhere(dag)],
                absent=[(names[i], names[j]) for i, j in np.argwhere(~dag) if i != j],
            )
        )
        for dag in dags
    ]
    p = np.array(p) / np.sum(p)
    each = np.array([reference.log_likelihood_of_graph(test.to_numpy(), dag) for dag in dags])
    mean, error = p @ each, math.sqrt((p @ each**2 - (p @ each) ** 2) / 4000)
    assert marginal_log_likelihood(posterior, test, n_samples=4000) == pytest.approx(mean, abs=4 * error)


def test_the_score_of_the_posterior_is_used(data):
    train, test = data
    own = osp.scores.BGe(alpha_mu=0.1, alpha_w=12.0, t=0.3)
    posterior = osp.learn(train, score=own, standardize=False)
    for metric in (
        lambda **how: marginal_log_likelihood(posterior, test, **how),
        lambda **how: log_predictive_density(posterior, train, test, **how),
    ):
        assert metric() == metric(score=own)
        assert metric() != pytest.approx(metric(score="bge"), rel=1e-6)


def test_a_foreign_score_must_be_given(data):
    train, test = data
    posterior = osp.learn(train, score=Counting(), standardize=False)
    with pytest.raises(ValueError, match=r"learned with the score 'mine'.*Pass the score as score="):
        marginal_log_likelihood(posterior, test)


# --- units


def standardized(table, by):
    return (table - by.mean()) / by.std(ddof=0)


def test_densities_are_in_the_units_of_the_data(data):
    scale = np.array([3.0, 0.2, 1.0, 10.0])
    train, test = data[0] * scale + [1.0, 5.0, -2.0, 0.0], data[1] * scale + 1.0
    posterior = osp.learn(train)
    in_units = standardized(train, train), standardized(test, train)
    samples = posterior.sample(1000, rng=0)
    # A density per standard deviation is one per unit of the data times the standard deviations.
    per_row = np.log(train.std(ddof=0)).sum()
    expected = marginal_log_likelihood(samples, in_units[1]) - len(test) * per_row
    assert marginal_log_likelihood(posterior, test) == pytest.approx(expected, rel=1e-10)
    predicted = log_predictive_density(samples, *in_units) - per_row
    assert log_predictive_density(posterior, train, test) == pytest.approx(predicted, rel=1e-10)


def test_they_do_not_depend_on_the_unit_of_a_column(data):
    """Up to the change of the unit itself."""
    train, test = data
    scale = np.array([3.0, 0.2, 1.0, 10.0])
    one, other = (log_predictive_density(osp.learn(train * s), train * s, test * s) for s in (1.0, scale))
    assert one == pytest.approx(other + np.log(scale).sum(), rel=1e-10)


def own_units(table):
    return osp.read_table(table, standardize=True)


@pytest.mark.parametrize("standardize", [False, True])
def test_rows_in_units_of_their_own_are_refused(data, standardize):
    train, test = data
    posterior = osp.learn(train, standardize=standardize)
    message = "{} must be in the original units of the data; .* Pass a table without standardize=True"
    with pytest.raises(ValueError, match=message.format("test")):
        log_predictive_density(posterior, train, own_units(test))
    with pytest.raises(ValueError, match=message.format("rows")):
        marginal_log_likelihood(posterior, own_units(test))
    with pytest.raises(ValueError, match=message.format("train")):
        log_predictive_density(posterior, own_units(test), test)


@pytest.mark.parametrize("which", [(True, False), (False, True), (True, True)])
def test_sampled_graphs_take_any_units_if_both_tables_have_them(data, which):
    tables = [own_units(table) if own else table for table, own in zip(data, which, strict=True)]
    with pytest.raises(ValueError, match="train and test must be in the same units"):
        log_predictive_density(np.zeros((1, 4, 4)), *tables)


def test_the_rows_that_were_learned_from_may_be_in_their_own_units(data):
    train, test = data
    table = own_units(train)
    posterior = osp.learn(table)
    expected = log_predictive_density(osp.learn(train), train, test)
    assert log_predictive_density(posterior, table, test) == pytest.approx(expected, rel=1e-10)
    assert log_predictive_density(posterior, train, test) == pytest.approx(expected, rel=1e-10)
    likelihood = marginal_log_likelihood(posterior, train)
    assert marginal_log_likelihood(posterior, table) == pytest.approx(likelihood, rel=1e-10)


def test_categories_are_no_numbers(data):
    train, test = data
    with pytest.raises(TypeError, match="test must hold numbers; got Categories"):
        log_predictive_density(osp.learn(train, standardize=False), train, osp.read_categories(test.astype(str)))


# --- tables


def test_columns_are_matched_by_name(data):
    train, test = data
    posterior = osp.learn(train, standardize=False)
    expected = marginal_log_likelihood(posterior, test), log_predictive_density(posterior, train, test)
    shuffled = test[["C", "A", "D", "B"]].assign(remark="none", E=0.0)
    tables = (
        shuffled,
        pl.DataFrame(shuffled.to_dict("list")),
        test.to_numpy(),
        test.to_numpy().tolist(),
        osp.read_table(test),
    )
    for table in tables:
        assert marginal_log_likelihood(posterior, table) == pytest.approx(expected[0], rel=1e-13)
        assert log_predictive_density(posterior, train, table) == pytest.approx(expected[1], rel=1e-13)
    by_position = posterior.sample(1000, rng=0).adjacency
    assert marginal_log_likelihood(by_position, test) == pytest.approx(expected[0], rel=1e-13)
    with pytest.raises(AssertionError):  # columns do matter
        np.testing.assert_allclose(marginal_log_likelihood(by_position, test[["C", "A", "D", "B"]]), expected[0])


@costly
@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_the_order_of_variables_does_not_matter(d, seed):
    rng = np.random.default_rng(seed)
    values, graphs, order = gaussian_data(d, 20, seed), random_dags(d, 5, rng), rng.permutation(d)
    turned = graphs[:, order][:, :, order]
    assert marginal_log_likelihood(turned, values[:, order]) == pytest.approx(marginal_log_likelihood(graphs, values))
    train, test = values[:15], values[15:]
    assert log_predictive_density(turned, train[:, order], test[:, order]) == pytest.approx(
        log_predictive_density(graphs, train, test)
    )


@costly
@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_rows_one_after_the_other_make_the_marginal_likelihood(d, seed):
    """The chain rule: all rows together are the first one, and each other given those before."""
    values, graph = gaussian_data(d, 6, seed), random_dags(d, 1, np.random.default_rng(seed))
    steps = [log_predictive_density(graph, values[:n], values[n : n + 1]) for n in range(1, 6)]
    expected = marginal_log_likelihood(graph, values) - marginal_log_likelihood(graph, values[:1])
    assert sum(steps) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (np.zeros((3, 3)), ValueError, "rows must have a column for each of the 4 variables of graphs; got 3 columns"),
        (np.zeros(4), ValueError, r"rows must have two dimensions \(rows, variables\); got shape \(4,\)"),
        (np.zeros((0, 4)), ValueError, "rows must have at least one row"),
        (np.full((2, 4), np.nan), ValueError, "rows must hold finite numbers"),
        (np.full((2, 4), 1e150), ValueError, "rows must hold finite numbers up to 1e[+]100"),
        (np.full((2, 4), "x"), TypeError, "rows must hold numbers; got an array of dtype"),
        (np.ma.masked_less(np.zeros((2, 4)), 1.0), ValueError, "rows has masked"),
        ([[0.0] * 4, [0.0]], ValueError, "rows must be a table whose rows have equal lengths"),
        ({"A": [1.0]}, TypeError, "rows must be a pandas or polars DataFrame.*got dict"),
        (pd.DataFrame(0.0, index=[0], columns=list("ABCE")), ValueError, "for every variable of graphs: .* 'D'"),
        (pd.DataFrame("x", index=[0], columns=list("ABCD")), ValueError, "a column of numbers .* 'A'"),
    ],
)
def test_wrong_rows(data, table, error, message):
    samples = osp.learn(data[0], standardize=False).sample(5, rng=0)
    with pytest.raises(error, match=message):
        marginal_log_likelihood(samples, table)


def test_wrong_arguments(data):
    train, test = data
    samples = osp.learn(train, standardize=False).sample(5, rng=0)
    with pytest.raises(ValueError, match="n_samples must be an integer at least 1; got 0"):
        marginal_log_likelihood(samples, test, n_samples=0)
    with pytest.raises(ValueError, match="n_samples must be an integer at least 1; got 0"):
        log_predictive_density(samples, train, test, n_samples=0)
    cyclic = np.array([np.zeros((2, 2)), [[0, 1], [1, 0]]])
    with pytest.raises(ValueError, match=r"graphs\[1\] must be a directed graph without cycles; got the cycle"):
        marginal_log_likelihood(cyclic, np.ones((1, 2)))
    with pytest.raises(ValueError, match="graphs must hold 0 and 1"):
        marginal_log_likelihood(np.full((4, 4), 0.5), test)
    with pytest.raises(ValueError, match="score must be one of"):
        marginal_log_likelihood(samples, test, score="aic")
