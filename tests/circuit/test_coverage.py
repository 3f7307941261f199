"""How much of the order mass a circuit covers, by listing orders."""

import itertools
import math

import numpy as np
import pytest

import orderspn as osp
import orderspn.circuit.coverage
from helpers.circuits import families_without_candidates, full_expansion, grow, unshared
from helpers.data import gaussian_data, letters
from orderspn.circuit.coverage import covers, short_effort
from orderspn.search.ensemble import Effort, Ensemble
from reference.circuit import way


@pytest.mark.parametrize(
    ("d", "block_size", "expansion"),
    [(2, 1, [1]), (4, 1, [4, 1]), (5, 1, [5, 2, 1]), (5, 2, [4, 2]), (5, 3, [6]), (6, 1, [9, 2, 2]), (6, 6, [])],
)
@pytest.mark.parametrize("share", [True, False], ids=["shared", "tree"])
def test_orders_one_by_one(d, block_size, expansion, share):
    structure = grow(families_without_candidates(d), expansion, block_size, seed=1)
    structure = structure if share else unshared(structure)
    orders = list(itertools.permutations(range(d)))
    expected = [way(structure, order) is not None for order in orders]
    assert covers(structure, np.array(orders)).tolist() == expected
    assert any(expected)
    assert all(expected) == (expansion == [])


def learn(expansion, weights="elbo", **arguments):
    return osp.learn(
        gaussian_data(6, 15, seed=3),
        variables=letters(6),
        method=osp.methods.Trust(expansion=expansion, block_size=2, weights=weights, oracle="random"),
        rng=0,
        n_jobs=1,
        **arguments,
        standardize=False,
    )


@pytest.fixture(scope="module")
def exact():
    return osp.learn(gaussian_data(6, 15, seed=3), variables=letters(6), n_jobs=1, standardize=False)


@pytest.mark.parametrize("weights", ["elbo", "uniform"])
def test_share_of_the_mass(exact, weights):
    posterior = learn([12, 2], weights)
    coverage = posterior.coverage()
    assert coverage.log_covered == posterior.log_evidence
    assert coverage.share == pytest.approx(math.exp(posterior.log_evidence - exact.log_evidence), rel=1e-9)
    assert 0.1 < coverage.share < 0.9
    assert (coverage.standard_error, coverage.basis) == (0.0, "exact")
    if weights == "elbo":
        assert coverage.elbo == pytest.approx(coverage.log_covered, rel=0, abs=1e-10)
    else:
        assert coverage.elbo < coverage.log_covered - 1e-3


def test_all_and_exact_cover_everything(exact):
    assert learn(full_expansion(6, 2)).coverage().share == pytest.approx(1.0, abs=1e-10)
    coverage = exact.coverage()
    assert (coverage.share, coverage.standard_error, coverage.basis) == (1.0, 0.0, "exact")
    assert coverage.elbo == coverage.log_covered == exact.log_evidence


def test_evidence_does_not_change_it():
    posterior = learn([12, 2])
    assert posterior.given("A !-> B").given("C !-> D").coverage() == posterior.coverage()


@pytest.mark.exhaustive
def test_share_of_sampled_orders(monkeypatch):
    """Where the mass of all orders is out of reach, orders of an independent chain are counted."""
    posterior = learn([12, 2])
    share = posterior.coverage().share
    monkeypatch.setattr(orderspn.circuit.coverage, "EXACT_UP_TO", 5)
    sampled = posterior.coverage(4000, rng=1)
    assert sampled.basis == "sampled orders"
    assert sampled.log_covered == posterior.log_evidence
    cautious = (sampled.share * 4000 + 1) / 4002  # one more of either kind, so that it is never 0
    assert sampled.standard_error == pytest.approx(math.sqrt(cautious * (1 - cautious) / 4000), rel=1e-9)
    assert abs(sampled.share - share) < 8 * sampled.standard_error  # orders of a chain are correlated
    assert posterior.coverage(4000, rng=1) == sampled
    assert posterior.coverage(50, rng=2).standard_error > sampled.standard_error


def test_the_search_is_shorter_than_that_of_learning(monkeypatch):
    """Burn-ins that grow with the square of the number of variables would take minutes."""
    posterior = learn([12, 2])
    started = []
    original = Ensemble.started.__func__

    def note(cls, order_scores, effort, *rest):
        started.append(effort)
        return original(cls, order_scores, effort, *rest)

    monkeypatch.setattr(orderspn.circuit.coverage, "EXACT_UP_TO", 5)
    monkeypatch.setattr(Ensemble, "started", classmethod(note))
    posterior.coverage(20, rng=0)
    assert started == [short_effort(6)]
    usual = Effort.usual(6)
    assert (started[0].burn_in, started[0].thin) == (usual.burn_in // 4, usual.thin // 8)
    assert min(started[0].burn_in, started[0].thin) >= 1
