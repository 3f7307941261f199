"""Simulation-based calibration: data drawn from the model's own prior, and how the truth ranks among posterior draws.

If graph and parameters are drawn from the prior, and data given them, then the truth is one more draw from the
posterior of that data: its rank among n posterior draws is uniform on 0 .. n, whatever is ranked (Talts et al. 2018).
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from benchmarks.bge_prior import regression_from_prior
from scipy import stats

import orderspn as osp
from helpers.data import letters
from orderspn.core.workers import Workers
from orderspn.queries.effects import expected_coefficients
from orderspn.queries.path_sums import effects_of
from reference.dags import adjacency_of, all_dags
from reference.enumeration import all_pairs

D, ROWS, DATA_SETS, DRAWS = 3, 12, 500, 39
NAMES = letters(D)
ALPHA_MU, ALPHA_W, T = 0.8, D + 3.0, 1.5
SCORE = osp.scores.BGe(alpha_mu=ALPHA_MU, alpha_w=ALPHA_W, t=T)
BINS = 10
FEWER = 200
"""Data sets for graphs sampled by Markov chains, which take longer."""

SMALLEST_P = 1e-3


@dataclass(frozen=True)
class Truth:
    """A graph, its weights, and data that they produced."""

    graph: np.ndarray
    weights: np.ndarray
    values: np.ndarray

    @property
    def effect(self):
        return np.linalg.inv(np.eye(D) - self.weights)[0, D - 1]


def draw_parameters(graph, rng):
    """Intercepts, weights and noise of each variable, independent of those of others."""
    intercepts, weights, deviations = np.zeros(D), np.zeros((D, D)), np.zeros(D)
    for child in range(D):
        parents = np.flatnonzero(graph[:, child])
        own, slopes, residual = regression_from_prior([child], parents, D, ALPHA_MU, ALPHA_W, T, rng)
        intercepts[child], weights[parents, child], deviations[child] = own[0], slopes[:, 0], np.sqrt(residual[0, 0])
    return intercepts, weights, deviations


def draw_truth(graphs, rng):
    graph = graphs[rng.integers(len(graphs))]
    intercepts, weights, deviations = draw_parameters(graph, rng)
    noise = intercepts + deviations * rng.normal(size=(ROWS, D))
    return Truth(graph, weights, noise @ np.linalg.inv(np.eye(D) - weights))


def rank(truth, draws, rng):
    """How many draws are below the truth; among those that are equal to it, at random."""
    draws, truth = np.round(draws, 8), np.round(truth, 8)  # equal up to rounding, as scores of equivalent graphs
    return int((draws < truth).sum() + rng.integers((draws == truth).sum() + 1))


def learn(truth, **arguments):
    with warnings.catch_warnings():
        # Such data have means that are not 0 and variances far from 1: that is what the prior says.
        warnings.filterwarnings("ignore", "the (means|values) of ")
        # So few graphs that runs now and then seem to differ.
        warnings.filterwarnings("ignore", "independent searches disagree")
        return osp.learn(
            truth.values, variables=NAMES, score=SCORE, prior="uniform", n_jobs=1, **arguments, standardize=False
        )


def log_score_of(posterior, graph):
    """Log of the marginal likelihood; the prior is the same for every graph."""
    likelihood, others = posterior.model.score.likelihood, [[v for v in range(D) if v != c] for c in range(D)]
    masks = [sum(1 << k for k, v in enumerate(others[c]) if graph[v, c]) for c in range(D)]
    return sum(likelihood.log_likelihoods(c, np.array(others[c]), D - 1)[masks[c]] for c in range(D))


def drawn_effects(posterior, drawn):
    return drawn.of(NAMES[0], NAMES[-1])


def expected_effects(posterior, drawn):
    """Of the same graphs, without the uncertainty of weights."""
    coefficients = expected_coefficients(drawn.graphs.adjacency, posterior.model.score, Workers(1))
    return effects_of(coefficients)[:, 0, -1]


def ranks_of(truths, seed, effects=drawn_effects, **arguments):
    """Ranks of the number of edges, the log score and one total effect, each (data sets,)."""
    rng = np.random.default_rng(seed)
    ranks = {"edges": [], "log score": [], "effect": []}
    for number, truth in enumerate(truths):
        posterior = learn(truth, rng=number, **arguments)
        drawn = posterior.effect_samples(DRAWS, rng=rng)
        graphs = drawn.graphs.adjacency
        log_scores = np.array([log_score_of(posterior, graph) for graph in graphs])
        ranks["edges"].append(rank(truth.graph.sum(), graphs.sum(axis=(1, 2)), rng))
        ranks["log score"].append(rank(log_score_of(posterior, truth.graph), log_scores, rng))
        ranks["effect"].append(rank(truth.effect, effects(posterior, drawn), rng))
    return {name: np.array(found) for name, found in ranks.items()}


def p_values(ranks):
    """Chi-square of ranks against the uniform distribution on 0 .. DRAWS."""
    counts = {name: np.bincount(found * BINS // (DRAWS + 1), minlength=BINS) for name, found in ranks.items()}
    return {name: float(stats.chisquare(observed).pvalue) for name, observed in counts.items()}


@pytest.fixture(scope="module")
def truths():
    """Every DAG equally probable."""
    rng = np.random.default_rng(1)
    return [draw_truth(adjacency_of(all_dags(D)), rng) for _ in range(DATA_SETS)]


@pytest.fixture(scope="module")
def truths_by_order():
    """Every pair of an order and a DAG that follows it equally probable."""
    rng = np.random.default_rng(2)
    return [draw_truth(adjacency_of(all_pairs(D)[1]), rng) for _ in range(DATA_SETS)]


@pytest.mark.exhaustive
def test_exact_dags_are_calibrated(truths):
    found = p_values(ranks_of(truths, 3, method=osp.methods.Exact(target="dag")))
    assert min(found.values()) > SMALLEST_P, found


@pytest.mark.exhaustive
def test_exact_orders_are_calibrated(truths_by_order):
    found = p_values(ranks_of(truths_by_order, 4, method="exact"))
    assert min(found.values()) > SMALLEST_P, found


@pytest.mark.exhaustive
def test_sampled_graphs_are_calibrated(truths):
    found = p_values(ranks_of(truths[:FEWER], 5, method=osp.methods.Gadget(effort=0.02, n_graphs=100, n_chains=3)))
    assert min(found.values()) > SMALLEST_P, found


@pytest.mark.exhaustive
def test_another_prior_is_not_calibrated(truths):
    """Orders give sparse graphs more weight than this prior does, which the number of edges shows."""
    assert p_values(ranks_of(truths, 6, method="exact"))["edges"] < SMALLEST_P


@pytest.mark.exhaustive
def test_effects_without_uncertain_weights_are_not_calibrated(truths):
    """The truth is too often outside of them, while graphs are as probable as they say."""
    found = p_values(ranks_of(truths, 7, expected_effects, method=osp.methods.Exact(target="dag")))
    assert found.pop("effect") < SMALLEST_P
    assert min(found.values()) > SMALLEST_P, found
