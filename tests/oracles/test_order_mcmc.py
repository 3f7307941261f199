"""Order MCMC: its moves, its start, its stationary distribution, and the partitions it adds."""

import itertools
import math

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from oracles.questions import (
    LARGER_QUESTIONS,
    QUESTIONS,
    as_draws,
    as_places,
    exact_probabilities,
    log_score,
    make_question,
    question_of,
    scores,
)
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.oracles.order_mcmc import (
    Chain,
    Chains,
    OrderMCMC,
    _complete,
    _gain,
    _improve,
    _Landscape,
    _locate,
    _move,
    _rank_by_visits,
    _score_exchanges,
    good_order,
)
from reference.lattice import OrderList

SOME_BEFORE = (8, [1, 6], [0, 3, 4, 7], {"seed": 2})
THREE_BEFORE = (7, [1, 3, 6], [0, 2, 4, 5], {"largest": 6})


def rng(seed=0):
    return np.random.default_rng(seed)


def located(order, landscape):
    index, current = np.empty(order.size, dtype=np.int64), np.empty(order.size)
    _locate(order, *landscape.arrays, index, current)
    return index, current


def exact_orders(question):
    """Orders as tuples of places -> probability; impossible ones are left out."""
    variables = question.variables.tolist()
    listed = OrderList(scores(question), question.before.tolist(), variables)
    return {tuple(map(variables.index, order)): p for order, p in zip(listed.orders, listed.p, strict=True) if p > 0.0}


def with_nothing_before(question):
    return question_of(question.tables.families, [], question.variables)


class TestMoves:
    """The gain of a move is the difference of two scores, and the state follows."""

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", ["five, impossible sets", "orders ruled out", "three, two before"])
    def test_every_move(self, name):
        question = make_question(*QUESTIONS[name])
        landscape = _Landscape.of(question)
        start = good_order(landscape)
        for p, q in itertools.permutations(range(start.size), 2):
            moved = start.tolist()
            moved.insert(q, moved.pop(p))
            order, (index, current) = start.copy(), located(start, landscape)
            gain = _gain(order, p, q, index, current, landscape.strides, landscape.log_leaves)
            expected = log_score(question, moved) - log_score(question, start)
            assert gain == pytest.approx(expected, rel=1e-12, abs=1e-10)
            _move(order, p, q, index, current, landscape.strides, landscape.log_leaves)
            assert order.tolist() == moved
            again = located(order, landscape)
            np.testing.assert_array_equal(index, again[0])
            np.testing.assert_array_equal(current, again[1])

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", ["five, impossible sets", "orders ruled out", "two"])
    def test_scores_along_the_walk(self, name):
        question = make_question(*QUESTIONS[name])
        orders, log_scores = Chain(question, 0.5, rng()).walk(40, 5)
        for order, value in zip(orders, log_scores.tolist(), strict=True):
            assert sorted(order.tolist()) == list(range(question.variables.size))
            assert value == pytest.approx(log_score(question, order), rel=1e-12, abs=1e-10)
            assert value > -math.inf

    @pytest.mark.kernels
    def test_a_chain_walks_on_from_where_it_is(self):
        question = make_question(*SOME_BEFORE)
        in_one, in_two = Chain(question, 0.5, rng()), Chain(question, 0.5, rng())
        together = np.concatenate([in_two.walk(10, 7)[0], in_two.walk(10, 7)[0]])
        np.testing.assert_array_equal(in_one.walk(20, 7)[0], together)
        assert Chains((in_one,), 1, 0.0).info(0) == Chains((in_two,), 1, 0.0).info(0)


class TestStationaryDistribution:
    """Draws far enough apart are draws from the exact distribution over orders of S_2 with S_1 before."""

    @pytest.mark.kernels
    def test_orders_by_few_draws(self):
        question = make_question(*SOME_BEFORE)
        orders, _ = Chain(question, 0.8, rng(1)).walk(800, 40)
        assert chi_square_p(map(tuple, orders.tolist()), exact_orders(question)) > THRESHOLD

    @pytest.mark.parametrize("relocation_share", [0.0, 0.5, 0.8, 1.0])
    @pytest.mark.parametrize("case", [SOME_BEFORE, THREE_BEFORE, QUESTIONS["one order left"]])
    def test_orders(self, case, relocation_share):
        question = make_question(*case)
        orders, _ = Chain(question, relocation_share, rng(2)).walk(20_000, 400)
        assert chi_square_p(map(tuple, orders.tolist()), exact_orders(question)) > THRESHOLD

    @pytest.mark.parametrize("name", QUESTIONS)
    def test_partitions(self, name):
        question = make_question(*QUESTIONS[name])
        draws = OrderMCMC(thin=400).propose(question, 10_000, rng(3), distinct=False)
        assert chi_square_p(as_draws(draws), exact_probabilities(question)) > THRESHOLD

    @pytest.mark.parametrize("case", [SOME_BEFORE, THREE_BEFORE])
    def test_the_check_rejects_a_sampler_that_ignores_what_is_before(self, case):
        question = make_question(*case)
        ignorant = with_nothing_before(question)
        orders, _ = Chain(ignorant, 0.8, rng(4)).walk(20_000, 400)
        assert chi_square_p(map(tuple, orders.tolist()), exact_orders(question)) < THRESHOLD
        draws = OrderMCMC(thin=400).propose(ignorant, 10_000, rng(5), distinct=False)
        assert chi_square_p(as_draws(draws), exact_probabilities(question)) < THRESHOLD

    def test_the_check_rejects_orders_backwards(self):
        question = make_question(*SOME_BEFORE)
        orders, _ = Chain(question, 0.8, rng(6)).walk(20_000, 400)
        assert chi_square_p(map(tuple, orders[:, ::-1].tolist()), exact_orders(question)) < THRESHOLD

    @pytest.mark.parametrize("name", ["seven", "eight"])
    def test_partitions_of_more_variables(self, name):
        question = make_question(*LARGER_QUESTIONS[name])
        exact = exact_probabilities(question)
        draws = OrderMCMC(thin=2000).propose(question, 5000, rng(7), distinct=False)
        assert chi_square_p(as_draws(draws), exact) > THRESHOLD
        frequency = dict(zip(as_places(draws.first), draws.multiplicity / 5000, strict=True))
        assert max(abs(frequency.get(places, 0.0) - p) for places, p in exact.items()) < 0.03

    @pytest.mark.kernels
    @pytest.mark.parametrize("relocation_share", [0.0, 1.0])
    @pytest.mark.parametrize("thin", [1, 2])
    def test_equal_scores_do_not_make_it_swing(self, relocation_share, thin):
        """Of two variables alike every move is an exchange and accepted: without a rest it would go to and fro."""
        question = make_question(3, [2], [0, 1], {"largest": 0})
        orders, _ = Chain(question, relocation_share, rng()).walk(400, thin)
        changes = (orders[1:, 0] != orders[:-1, 0]).mean()
        assert 0.35 < changes < 0.65


class TestStart:
    """The chain begins at a good, possible order."""

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", QUESTIONS)
    def test_it_is_possible(self, name):
        question = make_question(*QUESTIONS[name])
        order = good_order(_Landscape.of(question))
        assert sorted(order.tolist()) == list(range(question.variables.size))
        assert log_score(question, order) > -math.inf

    def test_a_chain_of_requirements_is_followed(self):
        question = make_question(*LARGER_QUESTIONS["nine, chained"])
        assert good_order(_Landscape.of(question)).tolist() == list(range(9))

    @pytest.mark.parametrize("seed", range(10))
    def test_it_is_better_than_most_orders(self, seed):
        question = make_question(9, [8], [0, 1, 2, 3, 4, 5, 6, 7], {"seed": seed})
        start = log_score(question, good_order(_Landscape.of(question)))
        others = np.array([log_score(question, rng(s).permutation(8)) for s in range(100)])
        assert (start >= others - 1e-9).mean() >= 0.97

    @pytest.mark.kernels
    def test_no_move_of_one_variable_improves_it(self):
        question = make_question(*QUESTIONS["five, impossible sets"])
        landscape = _Landscape.of(question)
        order = good_order(landscape)
        worse = order[::-1].copy()
        assert log_score(question, worse) > -math.inf
        _improve(worse, *landscape.arrays, 1000)
        for end in (order, worse):
            index, current = located(end, landscape)
            gains = [
                _gain(end, p, q, index, current, landscape.strides, landscape.log_leaves)
                for p, q in itertools.permutations(range(end.size), 2)
            ]
            assert max(gains) <= 1e-12

    @pytest.mark.parametrize("distinct", [True, False])
    def test_no_possible_order(self, distinct):
        circle = make_question(5, [4], [0, 1, 2, 3], {"required": [(0, 1), (1, 2), (2, 0)]})
        with pytest.raises(InvalidValue, match="no order of 4 of the variables is possible"):
            OrderMCMC().propose(circle, 2, rng(), distinct=distinct)


class TestDistinctPartitions:
    """The most visited first; then the best ones an exchange away."""

    @pytest.mark.parametrize("case", [SOME_BEFORE, THREE_BEFORE, LARGER_QUESTIONS["seven"]])
    def test_the_most_probable_are_chosen(self, case):
        question = make_question(*case)
        exact = exact_probabilities(question)
        ranked = sorted(exact, key=lambda places: -exact[places])
        chosen = as_places(OrderMCMC(steps=2_000_000).propose(question, 3, rng(), distinct=True).first)
        assert chosen[0] == ranked[0]
        # Frequencies are estimates: a neighbour in the ranking may take a place, a much lighter one may not.
        assert sum(exact[places] for places in chosen) >= 0.98 * sum(exact[places] for places in ranked[:3])

    def test_ranking(self):
        orders = np.array([[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3], [3, 1, 0, 2]])
        log_scores = np.array([-5.0, -4.0, -3.0, -6.0, -1.0, -2.0])
        # Two partitions seen twice, the better order first, each by its best order; then those seen once.
        assert _rank_by_visits(orders, log_scores).tolist() == [
            [1, 0, 2, 3],
            [2, 3, 0, 1],
            [0, 2, 1, 3],
            [3, 1, 0, 2],
        ]

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", ["five, impossible sets", "orders ruled out", "two", "three"])
    def test_scores_of_exchanges(self, name):
        question = make_question(*QUESTIONS[name])
        landscape = _Landscape.of(question)
        orders = np.stack([good_order(landscape), np.arange(question.variables.size)])
        answer = _score_exchanges(orders, *landscape.arrays)
        n_first = question.n_first
        assert answer.shape == (2, n_first, question.variables.size - n_first)
        for which, p, q in np.ndindex(*answer.shape):
            order = orders[which].tolist()
            order[p], order[n_first + q] = order[n_first + q], order[p]
            assert answer[which, p, q] == pytest.approx(log_score(question, order), rel=1e-12, abs=1e-10)

    @pytest.mark.kernels
    def test_a_concentrated_posterior_is_completed_by_the_best_exchanges(self):
        question = make_question(7, [6], [0, 1, 2, 3, 4, 5], {"spread": 300.0})
        landscape = _Landscape.of(question)
        start = good_order(landscape)
        expected = []
        for p, q in itertools.product(range(3), range(3, 6)):
            order = start.tolist()
            order[p], order[q] = order[q], order[p]
            expected.append((-log_score(question, order), tuple(sorted(order[:3]))))
        orders = _complete(start[None], landscape, 20)
        parts = [tuple(sorted(order[:3].tolist())) for order in orders]
        assert parts[0] == tuple(sorted(start[:3].tolist()))
        assert parts[1:10] == [part for _, part in sorted(expected)]
        assert len(set(parts)) == 20

    def test_few_are_seen_and_all_are_delivered(self):
        question = make_question(*LARGER_QUESTIONS["twelve, scores hundreds apart"])
        proposal = OrderMCMC().propose(question, 500, rng(), distinct=True)
        assert proposal.info["distinct"] < 500
        assert len(set(as_places(proposal.first))) == 500


class TestInfo:
    @pytest.mark.parametrize("distinct", [True, False])
    def test_acceptance(self, distinct):
        question = make_question(*LARGER_QUESTIONS["eight"])
        info = OrderMCMC(relocation_share=0.5).propose(question, 10, rng(), distinct=distinct).info
        assert set(info) == {
            "acceptance",
            "acceptance_adjacent",
            "acceptance_relocation",
            "distinct",
            "chains_kept",
            "score_gap",
        }
        rates = [info["acceptance_adjacent"], info["acceptance"], info["acceptance_relocation"]]
        assert all(0.0 < rate < 1.0 for rate in rates)
        assert min(rates) < info["acceptance"] < max(rates)
        assert info["distinct"] >= 1

    @pytest.mark.kernels
    @pytest.mark.parametrize(("share", "never"), [(0.0, "acceptance_relocation"), (1.0, "acceptance_adjacent")])
    def test_moves_never_tried(self, share, never):
        chain = Chain(make_question(*SOME_BEFORE), share, rng())
        chain.walk(1, 100)
        assert Chains((chain,), 1, 0.0).info(0)[never] == 0.0
        assert Chains((chain,), 1, 0.0).info(0)["acceptance"] > 0.0

    @pytest.mark.kernels
    def test_equal_scores_are_always_accepted(self):
        chain = Chain(make_question(*QUESTIONS["no candidates at all"]), 0.5, rng())
        chain.walk(1, 200)
        assert Chains((chain,), 1, 0.0).info(0)["acceptance"] == 1.0


class TestParameters:
    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            ({"steps": 0}, InvalidValue),
            ({"steps": 2.5}, InvalidType),
            ({"burn_in": -1}, InvalidValue),
            ({"thin": 0}, InvalidValue),
            ({"thin": "5"}, InvalidType),
            ({"relocation_share": -0.1}, InvalidValue),
            ({"relocation_share": 1.5}, InvalidValue),
            ({"relocation_share": math.nan}, InvalidValue),
            ({"relocation_share": True}, InvalidType),
            ({"relocation_share": None}, InvalidType),
        ],
    )
    def test_wrong_ones_are_named(self, wrong, error):
        (name,) = wrong
        with pytest.raises(error, match=f"{name} must be"):
            OrderMCMC(**wrong)

    def test_settings(self):
        oracle = OrderMCMC(steps=1000, burn_in=0, thin=7, relocation_share=0.25)
        assert OrderMCMC(**{k: v for k, v in oracle.settings().items() if k != "name"}) == oracle
