"""Exact masses of partitions, and what is chosen by them."""

import math

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from oracles.questions import (
    QUESTIONS,
    as_draws,
    as_places,
    exact_log_masses,
    exact_probabilities,
    make_question,
    question_of,
)
from orderspn.core.errors import InvalidValue
from orderspn.leaves.family import Family
from orderspn.oracles.enumeration import Enumeration, log_partition_mass
from orderspn.oracles.partitions import partition_masks, rows_of_masks


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.kernels
@pytest.mark.parametrize("name", QUESTIONS)
def test_masses_equal_recursion_over_subsets(name):
    question = make_question(*QUESTIONS[name])
    masks = partition_masks(question)
    answer = dict(
        zip(as_places(rows_of_masks(question, masks)), log_partition_mass(question, masks).tolist(), strict=True)
    )
    expected = exact_log_masses(question)
    assert set(answer) == set(expected)
    for places, log_mass in expected.items():
        assert answer[places] == pytest.approx(log_mass, rel=1e-12, abs=1e-10)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "name",
    [
        "four, some before, some outside",
        "four, an outsider",
        "orders ruled out",
        "orders ruled out by outsiders",
        "scores hundreds apart",
    ],
)
def test_the_heaviest_come_first(name):
    question = make_question(*QUESTIONS[name])
    masses = exact_log_masses(question)
    ranked = sorted(masses, key=lambda places: -masses[places])
    chosen = as_places(Enumeration().propose(question, 5, rng(), distinct=True).first)
    possible = [places for places in ranked[:5] if masses[places] > -math.inf]
    assert chosen[: len(possible)] == possible


def test_equally_heavy_ones_are_chosen_alike_whatever_the_seed():
    question = make_question(*QUESTIONS["no candidates at all"])
    chosen = [as_places(Enumeration().propose(question, 3, rng(s), distinct=True).first) for s in range(3)]
    assert chosen[0] == chosen[1] == chosen[2]


@pytest.mark.kernels
@pytest.mark.parametrize("name", QUESTIONS)
def test_draws_follow_the_masses(name):
    question = make_question(*QUESTIONS[name])
    draws = as_draws(Enumeration().propose(question, 3000, rng(1), distinct=False))
    assert chi_square_p(draws, exact_probabilities(question)) > THRESHOLD


def test_too_many_variables_are_refused():
    question = make_question(22, [0], list(range(1, 22)))
    with pytest.raises(InvalidValue, match="at most 20 variables; got 21 variables with 352716 partitions"):
        Enumeration().propose(question, 3, rng(), distinct=True)


@pytest.mark.parametrize("distinct", [True, False])
def test_no_possible_order(distinct):
    families = list(make_question(4, [], [0, 1, 2, 3]).tables.families)
    families[2] = Family(2, families[2].candidates, np.full_like(families[2].log_score, -np.inf))
    with pytest.raises(InvalidValue, match="no order of 4 of the variables is possible"):
        Enumeration().propose(question_of(families, [], [0, 1, 2, 3]), 3, rng(), distinct=distinct)
