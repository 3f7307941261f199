"""Oracles by name, the rule that chooses between two, and the check of what an oracle answers."""

import re

import numpy as np
import pytest

from oracles.questions import make_question
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.oracles.default import EnumerateOrSample
from orderspn.oracles.dibs import Dibs
from orderspn.oracles.enumeration import Enumeration
from orderspn.oracles.gadget import Gadget
from orderspn.oracles.order_mcmc import OrderMCMC
from orderspn.oracles.protocol import Proposal
from orderspn.oracles.random_partitions import RandomPartitions
from orderspn.oracles.registry import ORACLES, check_proposal, make_oracle


class Recorder:
    """An oracle that notes what it is asked."""

    def __init__(self):
        self.asked = []

    def propose(self, question, count, rng, *, distinct):
        self.asked.append((question.variables.size, count))
        return RandomPartitions().propose(question, count, rng, distinct=distinct)

    def settings(self):
        return {"name": "recorder"}


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("auto", EnumerateOrSample()),
        ("enumeration", Enumeration()),
        ("random", RandomPartitions()),
        ("order-mcmc", OrderMCMC()),
        ("gadget", Gadget()),
        ("dibs", Dibs()),
    ],
)
def test_names(name, oracle):
    assert make_oracle(name) == oracle
    assert make_oracle(name).settings()["name"] == name


def test_every_name_is_tested():
    assert set(ORACLES) == {"auto", "enumeration", "random", "order-mcmc", "gadget", "dibs"}


def test_objects_pass_through():
    recorder = Recorder()
    assert make_oracle(recorder) is recorder


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(
        InvalidValue, match="'auto', 'enumeration', 'random', 'order-mcmc', 'gadget', 'dibs'; got 'mcmc'"
    ):
        make_oracle("mcmc")


@pytest.mark.parametrize("wrong", [None, 3, {}, OrderMCMC])
def test_what_is_no_oracle(wrong):
    with pytest.raises(InvalidType, match="or an object with methods `propose` and `settings`; got"):
        make_oracle(wrong)


@pytest.mark.parametrize(
    ("small", "n", "count", "sampled"),
    [
        (4, 4, 1, False),
        (4, 5, 9, True),
        (4, 5, 10, False),  # all ten are asked for
        (6, 6, 2, False),
        (0, 2, 1, True),
        (4, 14, 3432, False),
        (4, 15, 6435, True),  # all, but too many
    ],
)
def test_few_variables_are_enumerated_and_others_sampled(small, n, count, sampled):
    recorder = Recorder()
    question = make_question(n + 1, [n], list(range(n)))
    oracle = EnumerateOrSample(small=small, sampler=recorder)
    proposal = oracle.propose(question, count, np.random.default_rng(0), distinct=True)
    assert recorder.asked == [(n, count)] * sampled
    check_proposal(question, proposal, count, True)


@pytest.mark.parametrize("small", [-1, 21])
def test_small_is_checked(small):
    with pytest.raises(InvalidValue, match="small must be an integer from 0 to 20"):
        EnumerateOrSample(small=small)


ROWS = np.array([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 1]], dtype=bool)
ONES = np.ones(3, dtype=np.int64)

BROKEN = {
    "not boolean": (ROWS.astype(int), ONES, 3, True, "must hold booleans; got values of type int64"),
    "one row only": (ROWS[0], ONES, 3, True, "must have shape (m, 5), a column for each variable; got (5,)"),
    "a column too few": (ROWS[:, :4], ONES, 3, True, "must have shape (m, 5)"),
    "all variables of the data": (np.pad(ROWS, ((0, 0), (0, 1))), ONES, 3, True, "got (3, 6)"),
    "unbalanced": (~ROWS, ONES, 3, True, "must put 2 of 5 variables first; row 0 puts 3"),
    "repeated": (ROWS[[0, 1, 0]], ONES, 3, True, "must differ; 1 of 3 repeat another"),
    "too few": (ROWS, ONES, 4, True, "4 distinct partitions are required (4 requested, 10 exist); got 3"),
    "too many": (ROWS, ONES, 2, True, "2 distinct partitions are required (2 requested, 10 exist); got 3"),
    "fewer than exist": (ROWS, ONES, 50, True, "10 distinct partitions are required"),
    "none": (ROWS[:0], ONES[:0], 3, True, "got 0"),
    "too few draws": (ROWS, ONES, 4, False, "must sum to the 4 requested draws; got 3"),
    "too many draws": (ROWS, 2 * ONES, 4, False, "must sum to the 4 requested draws; got 6"),
    "never drawn": (ROWS, np.array([0, 1, 2]), 3, False, "at least 1; got 0"),
    "drawn less than never": (ROWS, np.array([-1, 2, 2]), 3, False, "at least 1; got -1"),
    "multiplicities of other rows": (ROWS, ONES[:2], 2, False, "must have shape (3,)"),
    "sums that overflow": (ROWS, np.array([2**62, 2**62, 2**63 + 3], dtype=np.uint64), 3, False, "must be at most"),
    "too often": (ROWS, np.array([1, 1, 2**62]), 3, True, "must be at most 9007199254740992; got 4611686018427387904"),
    "fractions": (ROWS, np.full(3, 1.0), 3, False, "must hold integers; got values of type float64"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_proposals_are_the_fault_of_the_oracle(name):
    first, multiplicity, count, distinct, message = BROKEN[name]
    question = make_question(6, [5], [0, 1, 2, 3, 4])
    with pytest.raises(InvalidValue, match="the oracle broke its protocol: .*" + re.escape(message)):
        check_proposal(question, Proposal(first, multiplicity), count, distinct)


@pytest.mark.parametrize(("multiplicity", "count", "distinct"), [(ONES, 3, True), (np.array([4, 1, 2]), 7, False)])
def test_good_proposals_pass(multiplicity, count, distinct):
    question = make_question(6, [5], [0, 1, 2, 3, 4])
    check_proposal(question, Proposal(ROWS, multiplicity), count, distinct)


@pytest.mark.parametrize(
    "info", [None, [("rate", 1.0)], {"rate": np.nan}, {"rate": np.inf}, {"rate": "high"}, {"rate": [1.0]}, {1: 1.0}]
)
def test_what_cannot_be_saved_is_no_info(info):
    question = make_question(6, [5], [0, 1, 2, 3, 4])
    with pytest.raises(InvalidValue, match="the oracle broke its protocol: `info` must"):
        check_proposal(question, Proposal(ROWS, ONES, info), 3, True)


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "settings",
    [None, {}, {"name": 3}, {"name": "a", "rate": np.nan}, {"name": "a", 1: 2}, {"name": "a", "b": nested(10**5)}],
)
def test_settings_that_cannot_be_saved(settings):
    class Teller(Recorder):
        def settings(self):
            return settings

    with pytest.raises(InvalidType, match=r"oracle.settings\(\) must be a dictionary of JSON values with a 'name'"):
        make_oracle(Teller())
