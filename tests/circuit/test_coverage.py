"""How much of the order mass a circuit covers, and what the summary says about it."""

import itertools
import math

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.circuit import coverage
from orderspn.circuit.coverage import covers
from reference.circuit import way


def learn(d, seed=0, **settings):
    return osp.learn(
        gaussian_data(d, 40, seed=seed), variables=letters(d), method="trust", rng=seed, n_jobs=1, **settings
    )


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("d", "settings"),
    [
        (4, {"expansion": [3, 1], "block_size": 1, "oracle": "random"}),
        (5, {"expansion": [4], "block_size": 3}),
        (5, {"expansion": [3, 2, 1], "block_size": 1, "oracle": "random"}),
        (6, {"expansion": [5, 2], "block_size": 2, "weights": "elbo"}),
    ],
)
def test_covered_orders_are_those_with_a_way_through(d, settings):
    structure = learn(d, **settings)._orders.prior.structure
    orders = np.array(list(itertools.permutations(range(d))))
    expected = [way(structure, tuple(order)) is not None for order in orders.tolist()]
    assert covers(structure, orders).tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_the_share_is_that_of_the_exact_mass():
    posterior = learn(7, expansion=[6], block_size=4, weights="elbo")
    exact = osp.learn(gaussian_data(7, 40, seed=0), variables=letters(7), method="exact")
    found = posterior.coverage()
    assert found.share == pytest.approx(math.exp(posterior.log_evidence - exact.log_evidence), rel=1e-9)
    assert 0.0 < found.share < 1.0
    assert (found.standard_error, found.basis) == (0.0, "exact")
    assert found.elbo == pytest.approx(found.log_covered, abs=1e-9)
    assert found.log_covered == pytest.approx(posterior.log_evidence, abs=1e-9)
    assert posterior.given("A !-> B").coverage() == found  # evidence does not change what is covered
    uniform = learn(7, expansion=[6], block_size=4, weights="uniform").coverage()
    assert uniform.elbo < uniform.log_covered


def test_the_share_of_sampled_orders_agrees_with_the_exact_one(monkeypatch):
    posterior = learn(8, expansion=[12], block_size=4, seed=3)
    exact = posterior.coverage().share
    monkeypatch.setattr(coverage, "EXACT_UP_TO", 0)
    estimate = posterior.coverage(n_orders=2000, rng=1)
    assert estimate.basis == "sampled orders"
    assert 0.0 < estimate.standard_error < 0.02
    assert estimate.share == pytest.approx(exact, abs=6 * estimate.standard_error)
    assert posterior.coverage(n_orders=2000, rng=1) == estimate


def test_exact_posteriors_cover_everything():
    posterior = osp.learn(gaussian_data(4, 30, seed=0), variables=letters(4))
    assert posterior.coverage().share == 1.0
    assert posterior.coverage().elbo == posterior.log_evidence
    assert "covered              all orders" in posterior.summary()


def test_the_summary_says_what_the_circuit_is():
    posterior = learn(7, expansion=[6], block_size=4, weights="elbo")
    text = posterior.summary()
    found = posterior.coverage()
    assert f"{100 * found.share:.3g}% of the mass of all orders; ELBO {found.elbo:.4f}" in text
    assert "auto, expansion [6], elbo weights" in text
    structure = posterior._orders.prior.structure
    assert f"{structure.n_regions + structure.n_partitions:,} nodes" in text
    assert f"{len(structure.blocks):,} blocks of up to 4" in text


def test_bad_arguments():
    posterior = osp.learn(gaussian_data(4, 30, seed=0), variables=letters(4))
    with pytest.raises(ValueError, match="n_orders must be a whole number at least 1; got 0"):
        posterior.coverage(n_orders=0)
