"""Learning with knowledge against every (order, DAG) pair, one by one, and against conditioning."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.examples import costly
from helpers.knowledge import knowledge
from reference.enumeration import Enumeration
from reference.knowledge import with_knowledge
from reference.local_scores import local_scores, log_prior

NAMES = letters(4)
PRIORS = {"fair": "fair", "uniform": "uniform", "sparse": lambda k: 0.3**k}


def enumerated(values, known, prior):
    scores = local_scores(values, prior=prior)
    return Enumeration.of(with_knowledge(scores, lambda s: log_prior(prior, len(s), 4), known, NAMES))


@costly
@given(data=st.data())
def test_exact_agrees_with_brute_force(data):
    known = data.draw(knowledge(NAMES))
    prior = PRIORS[data.draw(st.sampled_from(sorted(PRIORS)))]
    values = gaussian_data(4, 30, seed=data.draw(st.integers(0, 1000)))
    posterior = osp.learn(values, variables=NAMES, prior=prior, knowledge=known, standardize=False)
    truth = enumerated(values, known, prior)
    assert posterior.log_evidence == pytest.approx(truth.log_evidence, abs=1e-9)
    edges = np.einsum("p,pij->ij", truth.p, truth.adjacency)
    np.testing.assert_allclose(posterior.edge_probabilities(), edges, rtol=0, atol=1e-9)


@costly
@given(data=st.data())
def test_hard_knowledge_of_edges_is_evidence(data):
    known = data.draw(knowledge(NAMES, soft=False))
    edges_only = osp.Knowledge(known.required, known.forbidden)
    values = gaussian_data(4, 30, seed=data.draw(st.integers(0, 1000)))
    before = osp.learn(values, variables=NAMES, knowledge=edges_only, standardize=False)
    after = osp.learn(values, variables=NAMES, standardize=False).given(osp.Edges(known.required, known.forbidden))
    assert before.log_evidence == pytest.approx(after.log_evidence, abs=1e-9)
    np.testing.assert_allclose(before.edge_probabilities(), after.edge_probabilities(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(before.causal_effects(), after.causal_effects(), rtol=0, atol=1e-9)


def test_odds_of_an_edge_multiply_its_own():
    values = gaussian_data(3, 30, seed=5)
    stated = {("A", "B"): 0.8}
    with_odds = osp.learn(
        values,
        variables=letters(3),
        prior="uniform",
        knowledge=osp.Knowledge(edge_probabilities=stated),
        standardize=False,
    )
    without = osp.learn(values, variables=letters(3), prior="uniform", standardize=False)
    ratio = with_odds.log_probability("A -> B") - with_odds.log_probability("A !-> B")
    ratio -= without.log_probability("A -> B") - without.log_probability("A !-> B")
    assert ratio == pytest.approx(np.log(0.8 / 0.2), abs=1e-9)
    assert with_odds.log_evidence == pytest.approx(
        without.log_evidence + np.log(2 * (0.8 * without.probability("A -> B") + 0.2 * without.probability("A !-> B"))),
        abs=1e-9,
    )


def test_one_half_changes_nothing():
    values = gaussian_data(4, 30, seed=6)
    neutral = osp.Knowledge(edge_probabilities={(a, b): 0.5 for a in NAMES for b in NAMES if a != b})
    with_odds, without = (
        osp.learn(values, variables=NAMES, knowledge=known, standardize=False) for known in (neutral, None)
    )
    np.testing.assert_allclose(with_odds.edge_probabilities(), without.edge_probabilities(), rtol=0, atol=1e-12)
    assert with_odds.log_evidence == pytest.approx(without.log_evidence, abs=1e-9)


@costly
@given(data=st.data())
def test_permuting_variables_permutes_answers(data):
    known = data.draw(knowledge(NAMES))
    values = gaussian_data(4, 30, seed=data.draw(st.integers(0, 1000)))
    places = data.draw(st.permutations(range(4)))
    one = osp.learn(values, variables=NAMES, knowledge=known, standardize=False).edge_probabilities()
    other = osp.learn(
        values[:, places], variables=[NAMES[p] for p in places], knowledge=known, standardize=False
    ).edge_probabilities()
    np.testing.assert_allclose(other.loc[NAMES, NAMES], one, rtol=0, atol=1e-9)
