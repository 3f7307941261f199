"""Imputation with methods that search: each search begins where the last one of its chain ended."""

import numpy as np
import pytest

import orderspn as osp
from orderspn.imputation.augmentation import BURN_IN, CHAINS
from orderspn.parents.plan import ROUNDS

IMPUTATIONS = 4
QUICK = osp.methods.Trust(n_orders=400, effort=0.1, block_size=4)

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore:independent searches disagree")]


@pytest.fixture(scope="module")
def gaps():
    data = osp.simulate.linear_gaussian(8, n_rows=200, rng=3).data
    return data.mask(np.random.default_rng(0).random(data.shape) < 0.05)


@pytest.fixture
def problems(monkeypatch):
    """Problems and their solutions, in the order in which they were solved."""
    solved = []
    learn = osp.methods.Trust.learn

    def recorded(self, problem):
        solution = learn(self, problem)
        solved.append((problem, solution))
        return solution

    monkeypatch.setattr(osp.methods.Trust, "learn", recorded)
    return solved


def test_searches_go_on_where_the_last_one_ended(gaps, problems):
    posterior = osp.learn(gaps, method=QUICK, imputations=IMPUTATIONS, candidates=4, check=False, n_jobs=1)
    assert len(problems) == IMPUTATIONS + BURN_IN * CHAINS
    by_turns = [problems[chain::CHAINS] for chain in range(CHAINS)]
    for chain in by_turns:
        assert chain[0][0].resumed is None
        for (problem, _), (_, before) in zip(chain[1:], chain[:-1], strict=True):
            assert problem.resumed is before.state
    assert problems[0][1].report["refinements"] == ROUNDS
    assert problems[-1][1].report["refinements"] == 1
    assert posterior.settings["n_orders"] == 400 // IMPUTATIONS


def test_the_number_of_threads_changes_no_answer(gaps):
    found = [
        osp.learn(gaps, method=QUICK, imputations=2, check=False, n_jobs=n_jobs).edge_probabilities()
        for n_jobs in (1, 3)
    ]
    assert found[0].equals(found[1])


def test_circuits_agree_with_exact_posteriors(gaps):
    few = gaps.fillna(gaps.mean()).mask(np.random.default_rng(1).random(gaps.shape) < 0.01)
    circuits, exact = (osp.learn(few, method=method, imputations=10, check=False) for method in (QUICK, "exact"))
    differences = (circuits.edge_probabilities() - exact.edge_probabilities()).to_numpy()
    assert np.sqrt(np.mean(differences**2)) < 0.04


def test_a_time_limit_is_for_all_searches_together(gaps, problems):
    osp.learn(gaps, method=QUICK, imputations=IMPUTATIONS, check=False, time_limit=40.0, n_jobs=1)
    asked = [problem for problem, _ in problems if problem.d == gaps.shape[1]]
    assert len(asked) == IMPUTATIONS + BURN_IN * CHAINS
    assert all(problem.deadline.left < 40.0 / len(asked) for problem in asked)


def test_gadget_begins_with_refined_candidates(gaps):
    method = osp.methods.Gadget(effort=0.02, n_graphs=400)
    posterior = osp.learn(gaps, method=method, imputations=IMPUTATIONS, candidates=4, check=False)
    assert posterior.settings["refinements"] == 1
    assert posterior.settings["n_graphs"] == 100
