"""The oracle made of DiBS: what its particles know, within which budget."""

import math

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from oracles.questions import LARGER_QUESTIONS, QUESTIONS, as_places, exact_log_masses, make_question
from orderspn.core.errors import InvalidValue
from orderspn.oracles.dibs import AT_ROOT, LEAST_STEPS, MOST_PARTICLES, Dibs
from orderspn.oracles.protocol import Question


def rng(seed=0):
    return np.random.default_rng(seed)


def mass_of(proposal, exact):
    """Share of the exact mass of all partitions that those proposed have."""
    total = np.logaddexp.reduce(list(exact.values()))
    return sum(math.exp(exact[places] - total) for places in as_places(proposal.first))


@pytest.mark.exhaustive
def test_partitions_have_much_of_the_mass():
    """More than as many taken at random would have, and no more than the best have."""
    name = "eight"
    question = make_question(*LARGER_QUESTIONS[name])
    exact = exact_log_masses(question)
    proposal = Dibs(steps=1000).propose(question, 8, rng(), distinct=True)
    best = sorted(exact.values())[-8:]
    most = math.exp(np.logaddexp.reduce(best) - np.logaddexp.reduce(list(exact.values())))
    assert 2 * 8 / question.n_partitions < mass_of(proposal, exact) <= most + 1e-12


@pytest.mark.thorough
def test_no_edge_leads_into_the_variables_before():
    question = make_question(*QUESTIONS["four, some before, some outside"])
    graphs, info = Dibs(steps=200)._graphs(question, 16, rng())
    n = question.variables.size
    assert graphs.shape == (16, n, n)
    assert info["steps"] <= 200
    assert not np.linalg.matrix_power(graphs.astype(float), n).any()


def with_share(question, share):
    return Question(question.tables, question.before, question.variables, share)


def test_a_layer_has_one_budget():
    question = make_question(*LARGER_QUESTIONS["eight"])
    d, n = len(question.tables.families), question.variables.size
    whole = Dibs(steps=3000)._settings(question, AT_ROOT, 1)
    assert whole.steps == 3000  # never more, however small the node is
    shared = Dibs(steps=3000)._settings(with_share(question, n**2 / d**2 / 5), AT_ROOT, 1)
    assert shared.steps == 600
    fewer = Dibs(steps=3000)._settings(with_share(question, n**2 / d**2 / 5), AT_ROOT // 2, 1)
    assert fewer.steps == 1200
    assert Dibs(steps=3000)._settings(with_share(question, 1e-6), AT_ROOT, 1).steps == LEAST_STEPS
    assert Dibs(steps=20)._settings(with_share(question, 1e-6), AT_ROOT, 1).steps == 20


@pytest.mark.thorough
def test_more_than_fit_together_are_moved_in_groups():
    question = make_question(*QUESTIONS["four, some before, some outside"])
    proposal = Dibs(steps=5).propose(question, MOST_PARTICLES + 30, rng(), distinct=False)
    assert proposal.multiplicity.sum() == MOST_PARTICLES + 30


@pytest.mark.exhaustive
def test_circuits_ask_with_shares():
    asked = []

    class Recording(Dibs):
        def propose(self, question, count, rng, *, distinct):
            asked.append((question.variables.size, question.share))
            return super().propose(question, count, rng, distinct=distinct)

    data = gaussian_data(8, 40, seed=1)
    posterior = osp.learn(
        data,
        method=osp.methods.Trust(oracle=Recording(steps=50), expansion=[5, 3], block_size=2),
        n_jobs=1,
        candidates=7,
        standardize=False,
    )
    assert sorted(asked) == [(4, 0.1)] * 10 + [(8, 1.0)]
    assert posterior.settings["weights"] == "elbo"
    assert posterior.settings["oracle"] == {"name": "dibs", "steps": 50}
    assert 0.0 < posterior.coverage().share <= 1.0


@pytest.mark.parametrize("steps", [0, -1])
def test_steps_are_checked(steps):
    with pytest.raises(InvalidValue, match="steps must be"):
        Dibs(steps=steps)
