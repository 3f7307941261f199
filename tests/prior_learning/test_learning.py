"""`learn(prior="learned")`: hyperparameters of the highest evidence, from any kind of data, in files and jobs."""

import math
import warnings

import numpy as np
import pytest

import orderspn as osp
from clusters.problems import content, learned
from orderspn.core.errors import InvalidValue
from orderspn.scores import BetaBinomial, BGe
from orderspn.scores.structure_prior import log_prior_by_size


def log_mass_of_acyclic_graphs(prior, d):
    """Log of the prior's sum over all pairs of an order and a graph, variable by variable: each order has the same."""
    by_size = np.exp(log_prior_by_size(prior, d))
    each = [math.log(sum(math.comb(k, s) * by_size[s] for s in range(k + 1))) for k in range(d)]
    return math.lgamma(d + 1) + sum(each)


def log_evidence(data, prior, t):
    """Of the data, under a prior that is normalised over pairs of an order and a graph."""
    posterior = osp.learn(data, prior=prior, score=BGe(t=t), check=False)
    return posterior.log_evidence - log_mass_of_acyclic_graphs(prior, len(posterior.variables))


def test_the_mass_of_acyclic_graphs():
    """All pairs of an order and a graph of three variables, one by one: 6 orders with 8 graphs each."""
    prior = BetaBinomial(0.3, 2.5)
    p = np.exp(log_prior_by_size(prior, 3))
    one_order = sum(p[0] * p[b] * p[c + e] for b in (0, 1) for c in (0, 1) for e in (0, 1))
    assert log_mass_of_acyclic_graphs(prior, 3) == pytest.approx(math.log(6 * one_order))


SPARSE = osp.simulate.linear_gaussian(8, 300, rng=1, expected_degree=1).data
DENSE = osp.simulate.linear_gaussian(8, 300, rng=1, expected_degree=5).data


@pytest.mark.parametrize("data", [SPARSE, DENSE], ids=["sparse", "dense"])
def test_no_other_hyperparameters_have_more_evidence(data):
    settings = osp.learn(data, prior="learned", check=False).settings
    found = BetaBinomial(settings["learned_prior"]["mean"], settings["learned_prior"]["concentration"])
    reached = log_evidence(data, found, settings["score"]["t"])
    others = [
        log_evidence(data, BetaBinomial(mean, concentration), t)
        for mean in (0.1, 0.3, 0.6)
        for concentration in (2.0, 20.0, 1000.0)
        for t in (0.2, 1.0, 5.0)
    ]
    assert reached > max(others) - 1.0
    assert reached > log_evidence(data, "fair", 0.5) + 1.0


def test_dense_graphs_have_a_dense_prior():
    means = [
        osp.learn(data, prior="learned", check=False).settings["learned_prior"]["mean"] for data in (SPARSE, DENSE)
    ]
    assert means[0] < 0.3 < means[1]


def test_the_posterior_is_that_of_the_prior_that_was_learned(tmp_path):
    posterior = osp.learn(SPARSE, prior="learned", check=False)
    told = posterior.settings["learned_prior"]
    again = osp.learn(
        SPARSE, prior=BetaBinomial(told["mean"], told["concentration"]), score=BGe(t=posterior.settings["score"]["t"])
    )
    np.testing.assert_allclose(posterior.edge_probabilities(), again.edge_probabilities(), atol=1e-10)
    posterior.save(tmp_path / "p.npz")
    loaded = osp.load(tmp_path / "p.npz")
    assert loaded.settings == posterior.settings
    assert "learned prior" in str(loaded.summary())
    assert loaded.edge_probabilities().equals(posterior.edge_probabilities())


def test_a_given_scale_stays():
    assert osp.learn(SPARSE, prior="learned", score=BGe(t=0.7), check=False).settings["score"]["t"] == 0.7


def test_the_number_of_threads_changes_no_bit():
    one, two = (osp.learn(SPARSE, prior="learned", check=False, n_jobs=n) for n in (1, 2))
    assert one.settings == two.settings


@pytest.mark.parametrize(
    "arguments",
    [
        {"context": ["X1", "X2"]},
        {"knowledge": "X1 -> X2, X3 !-> X4"},
        {"max_parents": 2},
        {"method": osp.methods.Exact(target="dag")},
        {"score": BGe(degree=2)},
        {"score": BGe(degree="auto")},
        {"score": "bic"},
        {"interventions": ["X1"] * 50 + [None] * 250},
    ],
    ids=str,
)
def test_beside_other_arguments(arguments):
    told = osp.learn(SPARSE, prior="learned", check=False, **arguments).settings["learned_prior"]
    assert 0.0 < told["mean"] < 0.6


def test_categories():
    settings = osp.learn(osp.load_asia().data, prior="learned").settings
    assert settings["score"]["equivalent_sample_size"] == 1.0
    assert settings["learned_prior"]["mean"] < 0.5


def test_missing_values():
    data = DENSE.mask(np.random.default_rng(0).random(DENSE.shape) < 0.1)
    posterior = osp.learn(data, prior="learned", imputations=2, check=False)
    assert posterior.settings["learned_prior"]["mean"] > 0.3
    assert {one.settings["score"]["t"] for one in posterior.components} == {
        posterior.components[0].settings["score"]["t"]
    }
    complete = osp.learn(data, prior="learned", missing="drop", check=False)
    assert complete.settings["learned_prior"]["mean"] > 0.3


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["trust", "missing values"])
def test_a_checkpoint_changes_no_bit(name, tmp_path):
    expected = content(learned(name, prior="learned"), tmp_path)
    assert content(learned(name, prior="learned", checkpoint=tmp_path / "parts"), tmp_path) == expected
    assert content(learned(name, prior="learned", checkpoint=tmp_path / "parts"), tmp_path) == expected


@pytest.mark.thorough
def test_a_time_limit_is_for_all_of_it():
    data = osp.simulate.linear_gaussian(30, 200, rng=0).data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of searches that are too short
        posterior = osp.learn(data, prior="learned", time_limit=2.0, check=False)
    assert posterior.settings["time_limit_reached"]
    assert posterior.settings["prior"] == "learned"


def test_elsewhere_it_is_an_error():
    with pytest.raises(InvalidValue, match="prior='learned' is for learn"):
        osp.best_graph(SPARSE, prior="learned")
