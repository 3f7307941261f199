"""What every oracle promises, whatever its method."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from oracles.questions import LARGER_QUESTIONS, QUESTIONS, as_draws, as_places, exact_log_masses, make_question
from orderspn.oracles.default import EnumerateOrSample
from orderspn.oracles.dibs import Dibs
from orderspn.oracles.enumeration import Enumeration
from orderspn.oracles.gadget import Gadget
from orderspn.oracles.order_mcmc import OrderMCMC
from orderspn.oracles.random_partitions import RandomPartitions
from orderspn.oracles.registry import check_proposal

GUIDE = Path(__file__).parents[2] / "docs" / "adding-an-oracle.md"


def of_the_guide():
    """What the code of the guide defines."""
    namespace = {}
    for code in re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        exec(compile(code, str(GUIDE), "exec"), namespace)
    return namespace


SHORT = OrderMCMC(steps=60, burn_in=20, thin=4)

ORACLES = {
    "enumeration": Enumeration(),
    "random": RandomPartitions(),
    "order-mcmc": OrderMCMC(),
    "order-mcmc, short": SHORT,
    "order-mcmc, one temperature": OrderMCMC(temperatures=1),
    "gadget": Gadget(),
    "gadget, short": Gadget(runs=2, chains=2, iterations=40),
    "dibs, short": Dibs(steps=20),
    "auto": EnumerateOrSample(),
    "auto, short": EnumerateOrSample(small=3, sampler=SHORT),
    "the guide's skeleton": of_the_guide()["MyOracle"](),
}
KNOW_THE_SCORES = set(ORACLES) - {"random", "dibs, short", "the guide's skeleton"}
QUICK = {"enumeration", "random", "order-mcmc, short", "gadget, short", "auto, short"}
"""Quick even where kernels are not compiled."""
LONG = {
    "dibs, short": {"four, some before, some outside"},
    "gadget": {"two", "five, impossible sets", "orders ruled out by outsiders"},
}
"""Oracles that take long, JAX because it compiles a program for every size: the level `test` asks few questions."""
FEW = {"two, others before and outside", "five, impossible sets", "orders ruled out by outsiders"}
"""Questions of the level `quick`."""


def marks(oracle, question=None):
    if oracle in LONG and question is not None and question not in LONG[oracle]:
        return [pytest.mark.exhaustive]
    if question is not None and question not in FEW:
        return [pytest.mark.thorough]
    return [pytest.mark.kernels] if oracle in QUICK else [pytest.mark.thorough]


def parameters(names):
    return [pytest.param(name, marks=marks(name)) for name in ORACLES if name in names]


def pairs(questions):
    """Every oracle with every question."""
    return pytest.mark.parametrize(
        ("oracle", "name"),
        [pytest.param(oracle, name, marks=marks(oracle, name)) for oracle in ORACLES for name in questions],
        indirect=["oracle"],
    )


@pytest.fixture
def oracle(request):
    return ORACLES[request.param]


every_oracle = pytest.mark.parametrize("oracle", parameters(ORACLES), indirect=True)


def rng(seed=0):
    return np.random.default_rng(seed)


def assert_partitions(question, proposal):
    n = question.variables.size
    assert proposal.first.dtype == np.bool_
    assert proposal.first.shape == (proposal.multiplicity.size, n)
    assert (proposal.first.sum(axis=1) == n // 2).all()
    assert len(set(as_places(proposal.first))) == len(proposal.first)
    assert np.issubdtype(proposal.multiplicity.dtype, np.integer)
    assert (proposal.multiplicity >= 1).all()
    assert all(isinstance(value, float) for value in proposal.info.values())


@pairs(QUESTIONS)
def test_distinct_partitions(oracle, name):
    question = make_question(*QUESTIONS[name])
    for count in {1, 2, question.n_partitions - 1, question.n_partitions, question.n_partitions + 5}:
        proposal = oracle.propose(question, count, rng(), distinct=True)
        assert_partitions(question, proposal)
        assert len(proposal.first) == min(count, question.n_partitions)
        assert (proposal.multiplicity == 1).all()
        check_proposal(question, proposal, count, True)


@pairs(QUESTIONS)
def test_draws(oracle, name):
    question = make_question(*QUESTIONS[name])
    for count in (1, 5, 60):
        proposal = oracle.propose(question, count, rng(), distinct=False)
        assert_partitions(question, proposal)
        assert proposal.multiplicity.sum() == count
        check_proposal(question, proposal, count, False)


@pytest.mark.thorough
@pairs(LARGER_QUESTIONS)
def test_larger_questions(oracle, name):
    question = make_question(*LARGER_QUESTIONS[name])
    for count in (1, 20, question.n_partitions // 2, question.n_partitions):
        for distinct in (True, False):
            proposal = oracle.propose(question, count, rng(), distinct=distinct)
            assert_partitions(question, proposal)
            check_proposal(question, proposal, count, distinct)


@pytest.mark.parametrize("distinct", [True, False])
@every_oracle
def test_the_seed_decides(oracle, distinct):
    question = make_question(*QUESTIONS["four, some before, some outside"])
    answers = [oracle.propose(question, 4, rng(7), distinct=distinct) for _ in range(2)]
    np.testing.assert_array_equal(answers[0].first, answers[1].first)
    np.testing.assert_array_equal(answers[0].multiplicity, answers[1].multiplicity)
    assert answers[0].info == answers[1].info


@every_oracle
def test_different_seeds_draw_differently(oracle):
    question = make_question(*QUESTIONS["no candidates at all"])  # all orders alike
    drawn = {tuple(sorted(as_draws(oracle.propose(question, 20, rng(s), distinct=False)))) for s in range(5)}
    assert len(drawn) > 1


@every_oracle
def test_questions_are_left_as_they_are(oracle):
    question = make_question(*QUESTIONS["five, impossible sets"])
    before = [question.before.copy(), question.variables.copy(), question.tables.log_mass.copy()]
    oracle.propose(question, 3, rng(), distinct=True)
    for old, new in zip(before, [question.before, question.variables, question.tables.log_mass], strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("name", ["orders ruled out", "one order left"])
@pytest.mark.parametrize("oracle", parameters(KNOW_THE_SCORES), indirect=True)
def test_possible_partitions_come_first(oracle, name):
    question = make_question(*QUESTIONS[name])
    possible = {places for places, m in exact_log_masses(question).items() if m > -math.inf}
    assert 0 < len(possible) < question.n_partitions
    assert set(as_draws(oracle.propose(question, 50, rng(), distinct=False))) <= possible
    chosen = as_places(oracle.propose(question, len(possible), rng(), distinct=True).first)
    assert set(chosen) == possible


@every_oracle
def test_settings_can_be_saved(oracle):
    settings = oracle.settings()
    assert json.loads(json.dumps(settings)) == settings
    assert isinstance(settings["name"], str)


def test_a_graph_of_the_guide_is_followed():
    """The linear extensions of the guide keep every edge, and reach every order that does."""
    graph = np.zeros((5, 5), dtype=bool)
    graph[4, 1] = graph[1, 0] = graph[4, 3] = graph[2, 4] = True
    random_extension, generator = of_the_guide()["random_extension"], rng()
    orders = {tuple(random_extension(graph, np.array([0, 1, 3, 4]), generator).tolist()) for _ in range(200)}
    # Places of 4, 1, 0 and 3 in [0, 1, 3, 4] are 3, 1, 0 and 2: the last two edges leave 3 three places.
    assert orders == {(3, 2, 1, 0), (3, 1, 2, 0), (3, 1, 0, 2)}
