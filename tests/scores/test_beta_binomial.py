"""The beta-binomial prior over parent sets, against its definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import orderspn as osp
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.scores import BetaBinomial, log_prior_by_size
from orderspn.scores.structure_prior import is_log_prior

means = st.floats(0.01, 0.99)
concentrations = st.floats(0.1, 1e6) | st.just(math.inf)


@given(means, concentrations, st.integers(1, 30))
def test_it_is_normalised_over_all_parent_sets(mean, concentration, d):
    assert is_log_prior(log_prior_by_size(BetaBinomial(mean, concentration), d))


@given(st.integers(1, 40))
def test_the_named_priors_are_two_of_them(d):
    np.testing.assert_allclose(BetaBinomial(0.5, 2.0).log_prior(d), log_prior_by_size("fair", d), atol=1e-10)
    np.testing.assert_allclose(BetaBinomial(0.5).log_prior(d), log_prior_by_size("uniform", d), atol=1e-10)


def test_independent_edges_are_the_limit():
    np.testing.assert_allclose(BetaBinomial(0.2, 1e8).log_prior(12), BetaBinomial(0.2).log_prior(12), atol=1e-5)


@pytest.mark.parametrize(("present", "absent"), [(0, 0), (2, 0), (1, 4), (3, 2)])
def test_the_probability_of_given_parents_is_a_mean_over_shares(present, absent):
    """Of two parents and three that are none, say, whatever the other variables are."""
    prior = BetaBinomial(0.3, 4.0)
    share = stats.beta(1.2, 2.8)
    expected = integrate.quad(lambda p: share.pdf(p) * p**present * (1 - p) ** absent, 0, 1)[0]
    assert math.exp(prior.log_probability(np.array(present), np.array(absent))) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ((0.0,), InvalidValue, "mean must be a finite number greater than 0; got 0.0"),
        ((1,), InvalidValue, "mean must be between 0 and 1; got 1.0"),
        (("half",), InvalidType, "mean must be a number greater than 0; got 'half'"),
        ((0.5, 0.0), InvalidValue, "concentration must be a finite number greater than 0"),
        ((0.5, 1e12), InvalidValue, "concentration must be between"),
    ],
)
def test_what_is_no_prior(arguments, error, told):
    with pytest.raises(error, match=told):
        BetaBinomial(*arguments)


def test_it_is_a_prior_of_learn_and_of_best_graph():
    data = osp.simulate.linear_gaussian(6, 200, rng=0).data
    np.testing.assert_allclose(
        osp.learn(data, prior=BetaBinomial(0.5, 2)).edge_probabilities(),
        osp.learn(data).edge_probabilities(),
        atol=1e-9,
    )
    assert osp.best_graph(data, prior=BetaBinomial(0.5, 2)).log_score == pytest.approx(osp.best_graph(data).log_score)
