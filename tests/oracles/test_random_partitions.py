"""Uniformly random partitions, and the helpers that draw, gather and complete them."""

import itertools
from collections import Counter

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from oracles.questions import as_draws, as_places, make_question
from orderspn.oracles.partitions import distinct_rows, fill_up, gather, partition_masks, rows_of_masks, split_orders
from orderspn.oracles.random_partitions import RandomPartitions


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def question():
    return make_question(6, [3], [0, 1, 2, 4, 5])


@pytest.fixture(scope="module")
def uniform(question):
    return dict.fromkeys(itertools.combinations(range(5), 2), 1 / question.n_partitions)


def test_every_partition_is_listed_once(question, uniform):
    assert set(as_places(rows_of_masks(question, partition_masks(question)))) == set(uniform)


def test_draws_are_uniform(question, uniform):
    draws = as_draws(RandomPartitions().propose(question, 3000, rng(), distinct=False))
    assert chi_square_p(draws, uniform) > THRESHOLD


@pytest.mark.parametrize("count", [2, 7])  # drawn until they differ, chosen from a list
def test_distinct_ones_are_uniform(question, uniform, count):
    generator = rng(1)
    seen = Counter()
    for _ in range(600):
        seen.update(as_places(RandomPartitions().propose(question, count, generator, distinct=True).first))
    # Without replacement the counts vary less than a chi-square test allows for, never more.
    assert chi_square_p(seen.elements(), uniform) > THRESHOLD


@pytest.mark.parametrize("n", [9, 30, 100])
def test_any_number_of_variables(n):
    question = make_question(n, [], list(range(n)), {"largest": 2})
    proposal = RandomPartitions().propose(question, 100, rng(), distinct=True)
    assert len(set(as_places(proposal.first))) == 100
    assert (proposal.first.sum(axis=1) == n // 2).all()


@pytest.mark.parametrize("count", [3, 6, 10, 50])
def test_chosen_partitions_stay_in_front(question, count):
    chosen = rows_of_masks(question, partition_masks(question))[[8, 2, 8, 5]]
    filled = as_places(fill_up(question, chosen, count, rng()))
    assert filled[:3] == as_places(chosen[[0, 1, 3]])
    assert len(filled) == len(set(filled)) == min(count, 10)


def test_orders_are_split_in_the_middle():
    first = split_orders(np.array([[2, 0, 1, 4, 3], [4, 3, 2, 1, 0]]))
    assert as_places(first) == [(0, 2), (3, 4)]


def test_gathering_counts_and_puts_the_most_frequent_first():
    drawn = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    proposal = gather(drawn)
    assert as_places(proposal.first) == [(2,), (1,), (0,)]
    assert proposal.multiplicity.tolist() == [2, 2, 1]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 70])
def test_distinct_rows_equal_those_of_numpy(n):
    rows = rng(n).random((300, n)) < 0.02
    places, counts = distinct_rows(rows)
    expected, expected_places, expected_counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    np.testing.assert_array_equal(rows[places], expected)
    np.testing.assert_array_equal(places, expected_places)
    np.testing.assert_array_equal(counts, expected_counts)
