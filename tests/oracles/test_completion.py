"""Distinct partitions of sampled orders: the most visited first, then the best ones an exchange away."""

import itertools

import numpy as np
import pytest

from oracles.questions import QUESTIONS, log_score, make_question
from orderspn.oracles.completion import _score_exchanges, complete, rank_by_visits
from orderspn.search.order_scores import order_scores_of
from orderspn.search.starting import good_order


def order_scores(question):
    return order_scores_of(question.tables, question.before, question.variables)


def test_ranking():
    orders = np.array([[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3], [3, 1, 0, 2]])
    log_scores = np.array([-5.0, -4.0, -3.0, -6.0, -1.0, -2.0])
    # Two partitions seen twice, the better order first, each by its best order; then those seen once.
    assert rank_by_visits(orders, log_scores).tolist() == [
        [1, 0, 2, 3],
        [2, 3, 0, 1],
        [0, 2, 1, 3],
        [3, 1, 0, 2],
    ]


@pytest.mark.kernels
@pytest.mark.parametrize("name", QUESTIONS)
def test_scores_of_exchanges(name):
    question = make_question(*QUESTIONS[name])
    own = order_scores(question)
    orders = np.stack([good_order(own), np.arange(question.variables.size)])
    answer = _score_exchanges(orders, own)
    tolerance = 1e-10 if question.tables.shared else 1e-5
    n_first = question.n_first
    assert answer.shape == (2, n_first, question.variables.size - n_first)
    for which, p, q in np.ndindex(*answer.shape):
        order = orders[which].tolist()
        order[p], order[n_first + q] = order[n_first + q], order[p]
        assert answer[which, p, q] == pytest.approx(log_score(question, order), rel=1e-12, abs=tolerance)


@pytest.mark.kernels
@pytest.mark.parametrize("at_once", [0, 2])
def test_a_concentrated_posterior_is_completed_by_the_best_exchanges(at_once):
    question = make_question(7, [6], [0, 1, 2, 3, 4, 5], {"spread": 300.0, "at_once": at_once})
    own = order_scores(question)
    start = good_order(own)
    expected = []
    for p, q in itertools.product(range(3), range(3, 6)):
        order = start.tolist()
        order[p], order[q] = order[q], order[p]
        expected.append((-log_score(question, order), tuple(sorted(order[:3]))))
    orders = complete(start[None], own, 20)
    parts = [tuple(sorted(order[:3].tolist())) for order in orders]
    assert parts[0] == tuple(sorted(start[:3].tolist()))
    assert parts[1:10] == [part for _, part in sorted(expected)]
    assert len(set(parts)) == 20
