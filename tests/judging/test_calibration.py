"""Graphs and data drawn from the model's own prior: the true graph is rarely called implausible, others are found out.

If graph and parameters are drawn from the prior, and data given them, then the truth is one more draw from the
posterior of that data, and its tail probability is below a level no more often than the level says.
"""

import warnings
from functools import cache, partial

import numpy as np
import pytest
from scipy import stats

import orderspn as osp
from helpers.data import letters
from reference.dags import adjacency_of, all_dags
from reference.enumeration import all_pairs

D, ROWS, DRAWS = 4, 25, 199
NAMES = letters(D)
ALPHA_MU, ALPHA_W, T = 0.8, D + 3.0, 1.5
LEVELS = (0.05, 0.1, 0.2, 0.4)
SMALLEST_P = 1e-3


def parameters(graph, rng):
    """Intercepts, weights and noise of each variable, from a normal-Wishart of its own, as BGe assumes."""
    intercepts, weights, deviations = np.zeros(D), np.zeros((D, D)), np.zeros(D)
    for child in range(D):
        covariance = np.linalg.inv(stats.wishart(ALPHA_W, np.eye(D) / T).rvs(random_state=rng))
        mean = rng.multivariate_normal(np.zeros(D), covariance / ALPHA_MU)
        parents = np.flatnonzero(graph[:, child])
        slopes = np.linalg.solve(covariance[np.ix_(parents, parents)], covariance[parents, child])
        weights[parents, child] = slopes
        intercepts[child] = mean[child] - slopes @ mean[parents]
        deviations[child] = np.sqrt(covariance[child, child] - slopes @ covariance[parents, child])
    return intercepts, weights, deviations


@cache
def prior_graphs(target):
    """All DAGs once, or once for each of their orders."""
    return adjacency_of(all_dags(D) if target == "dag" else all_pairs(D)[1])


def simulated(target, seed):
    """A graph of the prior, data that it produced, and another graph of the prior."""
    rng = np.random.default_rng(seed)
    graphs = prior_graphs(target)
    graph, other = graphs[rng.integers(len(graphs), size=2)]
    intercepts, weights, deviations = parameters(graph, rng)
    noise = intercepts + deviations * rng.normal(size=(ROWS, D))
    return graph, noise @ np.linalg.inv(np.eye(D) - weights), other


def learn(values, method, **bge):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # means that are not 0, and chains of few graphs: that is what the prior says
        score = osp.scores.BGe(**({"alpha_mu": ALPHA_MU, "alpha_w": ALPHA_W, "t": T} | bge))
        return osp.learn(
            values, variables=NAMES, score=score, prior="uniform", method=method, standardize=False, n_jobs=1, rng=1
        )


METHODS = {
    "order": osp.methods.Exact(target="order"),
    "dag": osp.methods.Exact(target="dag"),
    "gadget": osp.methods.Gadget(n_graphs=200, effort=0.1),
}


def tails(method, n, what="truth", **bge):
    """Tail probabilities of graphs and of their classes, each (n,), of the truth or of another graph."""
    target = "order" if method == "order" else "dag"
    found = []
    for seed in range(n):
        truth, values, other = simulated(target, seed)
        graph = truth if what == "truth" else other
        judgement = learn(values, METHODS[method], **bge).judge(graph, n_samples=DRAWS, rng=seed)
        assert judgement.implausible == (judgement.tail.probability < 0.05)
        found.append((judgement.tail.probability, judgement.equivalence.tail.probability))
    return np.array(found).T


def too_often(probabilities):
    """The smallest p-value, over levels, of there being no more below than the level says."""
    n = len(probabilities)
    return min(stats.binom.sf((probabilities < a).sum() - 1, n, a) for a in LEVELS)


def check(method, n):
    of_graph, of_class = tails(method, n)
    assert too_often(of_graph) > SMALLEST_P
    assert too_often(of_class) > SMALLEST_P
    return of_graph


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["order", "dag"])
def test_a_true_graph_is_rarely_called_implausible(method):
    check(method, 60)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("method", "n"), [("order", 400), ("dag", 400), ("gadget", 60)])
def test_a_true_graph_is_called_implausible_no_more_often_than_the_level_says(method, n):
    of_graph = check(method, n)
    # Not because nothing ever is: ranks of graphs are uniform up to ties.
    assert (of_graph < 0.4).mean() > 0.2


@pytest.mark.thorough
@pytest.mark.parametrize(
    "wrong", [partial(tails, what="another"), partial(tails, t=60.0)], ids=["another graph", "another prior"]
)
def test_what_is_not_true_is_called_implausible_too_often(wrong):
    """The control: a graph that has nothing to do with the data, and a posterior of another model."""
    of_graph, of_class = wrong("dag", 60)
    assert too_often(of_graph) < SMALLEST_P
    assert too_often(of_class) < SMALLEST_P


def network(n_rows=400, seed=7):
    """Rows of a network of 6 variables, all of whose edges have a direction that data can tell."""
    rng = np.random.default_rng(seed)
    a, b, e = rng.normal(size=(3, n_rows))
    c = a + b + 0.5 * rng.normal(size=n_rows)
    f = c + e + 0.5 * rng.normal(size=n_rows)
    g = f + 0.5 * rng.normal(size=n_rows)
    return dict(zip("ABCEFG", (a, b, c, e, f, g), strict=True))


TRUTH = "A -> C, B -> C, C -> F, E -> F, F -> G"
THREE_REVERSED = "A -> C, C -> B, C -> F, F -> E, G -> F"


@pytest.mark.parametrize(
    "method",
    [
        "exact",
        osp.methods.Exact(target="dag"),
        pytest.param("trust", marks=pytest.mark.thorough),
        pytest.param(osp.methods.Gadget(n_graphs=1000, effort=0.2), marks=pytest.mark.thorough),
    ],
    ids=["orders", "dags", "circuit", "sample"],
)
def test_three_reversed_edges_that_data_can_tell_are_found_out(method):
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        posterior = osp.learn(pd.DataFrame(network()), method=method, n_jobs=1, rng=1)
    true, wrong = posterior.judge(TRUTH), posterior.judge(THREE_REVERSED)
    assert not true.implausible
    assert not true.class_implausible
    assert wrong.implausible
    assert wrong.class_implausible
    assert wrong.log_bayes_factor < -20
    reversed_ones = {(e.cause, e.effect) for e in wrong.edges.itertuples() if e.finding == "reversed"}
    assert reversed_ones == {("C", "B"), ("F", "E"), ("G", "F")}
    assert set(true.edges["finding"]) == {"agrees"}
    assert wrong.moves.iloc[0].gain > 20
    assert true.moves.iloc[0].gain < 2
