"""Particles with weights: answers are those of a sample in which every graph appears as often as its weight says."""

import math

import numpy as np
import pytest

import orderspn as osp
from models.test_sampled_graphs import (
    CHAIN,
    COLLIDER,
    EMPTY,
    FORK,
    LOCAL,
    LOG_SCORES,
    NAMES,
    NO_VARIABLES,
    OTHERS,
    matrix,
)
from models.test_sampled_graphs import posterior_of as sample_of
from orderspn.core.errors import ImpossibleEvidence
from orderspn.core.workers import Workers
from orderspn.models.particle_graphs import ParticleGraphs

GRAPHS, TENTHS = [CHAIN, FORK, COLLIDER, EMPTY, CHAIN], [4, 3, 0, 1, 2]


def posterior_of(graphs, weights):
    adjacency, scores = np.stack([matrix(g) for g in graphs]), np.array([LOG_SCORES[g] for g in graphs])
    about = tuple(NAMES), LOCAL, OTHERS, [NO_VARIABLES] * 3, adjacency, scores
    model = ParticleGraphs(*about, np.asarray(weights), Workers(1), np.ones(len(graphs), dtype=bool))
    return osp.Posterior(model, {"method": "dibs", "target": "dag", "rows": 20})


@pytest.fixture
def posterior():
    return posterior_of(GRAPHS, np.array(TENTHS) / 10)


@pytest.fixture
def repeated():
    """The same as a sample of ten."""
    return sample_of([graph for graph, tenth in zip(GRAPHS, TENTHS, strict=True) for _ in range(tenth)], n_runs=1)


@pytest.mark.parametrize("given", [None, "B -> C", "A !-> B"])
def test_answers_are_weighted(posterior, repeated, given):
    np.testing.assert_allclose(posterior.edge_probabilities(given), repeated.edge_probabilities(given), atol=1e-15)
    for event in ("A -> B", "B -> A, B -> C", "A !-> C", "C -> A"):
        assert posterior.probability(event, given) == pytest.approx(repeated.probability(event, given), abs=1e-15)
    mine, theirs = posterior.parent_sets("C", given), repeated.parent_sets("C", given)
    of_mine = dict(zip(mine["parents"], mine["probability"], strict=True))
    assert of_mine == pytest.approx(dict(zip(theirs["parents"], theirs["probability"], strict=True)))
    np.testing.assert_allclose(posterior.causal_effects(given), repeated.causal_effects(given), atol=1e-12)
    best, other = posterior.most_probable_graph(given), repeated.most_probable_graph(given)
    assert (best.edges, best.log_score) == (other.edges, other.log_score)
    assert best.log_probability == pytest.approx(other.log_probability)


def test_samples_follow_the_weights(posterior):
    drawn = posterior.sample(20_000, rng=0).adjacency
    shares = {g: (drawn == matrix(g)).all(axis=(1, 2)).mean() for g in set(GRAPHS)}
    assert shares == pytest.approx({CHAIN: 0.6, FORK: 0.3, COLLIDER: 0.0, EMPTY: 0.1}, abs=0.015)
    assert shares[COLLIDER] == 0.0


def test_shares_never_exceed_one():
    """Weights that sum to a little more than 1 by rounding."""
    weights = np.full(7, 1 / 7) * np.array([1, 1, 1, 1, 1, 1, 1 + 1e-15])
    posterior = posterior_of([CHAIN] * 7, weights)
    assert posterior.edge_probabilities().to_numpy().max() <= 1.0
    assert posterior.probability("A -> B") <= 1.0


def test_evidence_that_only_weightless_graphs_satisfy(posterior):
    with pytest.raises(ImpossibleEvidence, match="none of the 5 sampled graphs"):
        posterior.given("A -> C")


def test_graphs_without_weight_may_have_the_best_score():
    posterior = posterior_of([CHAIN, FORK], [0.0, 1.0])
    best = posterior.most_probable_graph()
    assert (best.log_score, best.log_probability) == (LOG_SCORES[CHAIN], -math.inf)


def test_standard_errors_are_unknown(posterior):
    assert math.isnan(posterior.standard_error("A -> B"))
    assert np.isnan(posterior.edge_standard_errors().to_numpy()).all()
    estimate = posterior.estimate_effects(5)
    assert np.isnan(estimate.standard_error.to_numpy()).all()
    np.testing.assert_allclose(estimate.mean, posterior.causal_effects(), atol=1e-12)
