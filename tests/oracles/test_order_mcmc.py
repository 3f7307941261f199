"""Order MCMC as an oracle: the partitions it draws, its runs, and what it says about its work."""

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from oracles.questions import (
    LARGER_QUESTIONS,
    QUESTIONS,
    as_draws,
    as_places,
    exact_probabilities,
    make_question,
    question_of,
)
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.oracles.order_mcmc import OrderMCMC, _draw, _info
from orderspn.search.order_scores import order_scores_of
from orderspn.search.starting import good_order
from search.order_scores import SOME_BEFORE, THREE_BEFORE, two_modes

AN_OUTSIDER = (8, [1, 6], [0, 3, 4, 7], {"seed": 2, "at_once": 1})


def rng(seed=0):
    return np.random.default_rng(seed)


def order_scores(question):
    return order_scores_of(question.tables, question.before, question.variables)


def start(question, n_runs=2, n_temperatures=2, burn_in=400, seed=0):
    """Runs kept after their burn-in, and the mean log scores of all."""
    oracle = OrderMCMC(chains=n_runs, temperatures=n_temperatures, burn_in=burn_in)
    return oracle.burnt_in(order_scores(question), np.random.SeedSequence(seed))


def only(question):
    """The information about a single run without burn-in."""
    oracle = OrderMCMC(chains=1, temperatures=1, burn_in=0, steps=200)
    return oracle.propose(question, 10, rng(), distinct=False).info


class TestDraws:
    """They follow the exact distribution over partitions, given what is before."""

    @pytest.mark.thorough
    @pytest.mark.parametrize("name", QUESTIONS)
    def test_partitions(self, name):
        question = make_question(*QUESTIONS[name])
        draws = OrderMCMC(thin=80).propose(question, 3000, rng(4), distinct=False)
        assert chi_square_p(as_draws(draws), exact_probabilities(question)) > THRESHOLD

    @pytest.mark.parametrize("case", [SOME_BEFORE, AN_OUTSIDER])
    def test_the_check_rejects_a_sampler_that_ignores_what_is_before(self, case):
        question = make_question(*case)
        ignorant = question_of(question.tables.families, [], question.variables)
        draws = OrderMCMC(thin=80).propose(ignorant, 3000, rng(5), distinct=False)
        assert chi_square_p(as_draws(draws), exact_probabilities(question)) < THRESHOLD

    @pytest.mark.thorough
    @pytest.mark.parametrize("name", ["seven", "eight", "eight, an outsider"])
    def test_partitions_of_more_variables(self, name):
        question = make_question(*LARGER_QUESTIONS[name])
        exact = exact_probabilities(question)
        draws = OrderMCMC(thin=300).propose(question, 1500, rng(7), distinct=False)
        assert chi_square_p(as_draws(draws), exact) > THRESHOLD
        frequency = dict(zip(as_places(draws.first), draws.multiplicity / 1500, strict=True))
        assert max(abs(frequency.get(places, 0.0) - p) for places, p in exact.items()) < 0.045

    @pytest.mark.parametrize("distinct", [True, False])
    @pytest.mark.parametrize("kind", [{"required": 1}, {"demanded": 1, "at_once": 1}])
    def test_no_possible_order(self, distinct, kind):
        circle = [(0, 1), (1, 2), (2, 0)]
        options = {name: circle if name in ("required", "demanded") else value for name, value in kind.items()}
        question = make_question(5, [4], [0, 1, 2, 3], options)
        with pytest.raises(InvalidValue, match="no order of 4 of the variables is possible"):
            OrderMCMC().propose(question, 2, rng(), distinct=distinct)


class TestRuns:
    """Several runs, of which those that found the best region share the work."""

    @pytest.mark.parametrize(("n_runs", "n_temperatures"), [(1, 1), (2, 1), (3, 4)])
    @pytest.mark.parametrize("name", ["five, impossible sets", "orders ruled out by outsiders", "two"])
    def test_numbers(self, name, n_runs, n_temperatures):
        question = make_question(*QUESTIONS[name])
        runs, means = start(question, n_runs, n_temperatures)
        assert 1 <= len(runs) <= n_runs == means.size
        assert all(run.states.shape == (n_temperatures, question.variables.size) for run in runs)
        assert all(run.betas[0] == 1.0 for run in runs)

    def test_the_first_begins_at_a_good_order(self):
        question = make_question(*LARGER_QUESTIONS["eight"])
        runs, _ = start(question, 3, 2, burn_in=0)
        best = good_order(order_scores(question)).tolist()
        first, *others = runs
        assert first.starts[0].tolist() == best
        assert all(run.starts[0].tolist() != best for run in others)

    def test_a_burn_in_of_nothing(self):
        runs, _ = start(make_question(*LARGER_QUESTIONS["eight"]), 2, 1, burn_in=0)
        assert all(np.array_equal(run.states, run.starts) for run in runs)

    @pytest.mark.parametrize(("count", "n_runs"), [(1, 3), (2, 3), (3, 3), (10, 3), (7, 1)])
    def test_they_share_the_draws(self, count, n_runs):
        question = make_question(*QUESTIONS["no candidates at all"])
        runs, _ = start(question, n_runs)
        orders, log_scores = _draw(runs, count, 5)
        assert count <= len(orders) == len(log_scores) < count + n_runs
        proposal = OrderMCMC(chains=n_runs, burn_in=40, steps=100).propose(question, count, rng(), distinct=False)
        assert proposal.multiplicity.sum() == count

    def test_those_stuck_below_are_dropped(self):
        """Of two modes a hundred nats apart, random starts lead to either."""
        block = two_modes(400.0, 300.0)
        question = question_of(block.families, [], range(4))
        seen = set()
        for seed in range(12):
            runs, means = start(question, 3, 1, seed=seed)
            gap = means.max() - means.min()
            assert all(set(run.states[0, :2].tolist()) == {0, 1} for run in runs)
            assert (gap > 150.0) == (len(runs) < 3)
            assert _info(runs, means, 5)["chains_kept"] == len(runs) / 3
            assert _info(runs, means, 5)["score_gap"] == gap >= 0.0
            seen.add(len(runs))
        assert len(seen) > 1

    def test_burning_in_is_not_counted(self):
        question = make_question(*QUESTIONS["no candidates at all"])
        runs, means = start(question, 2, 2)
        assert _info(runs, means, 3)["acceptance"] == 0.0
        _draw(runs, 4, 50)
        assert _info(runs, means, 3)["acceptance"] == 1.0


class TestDistinctPartitions:
    """The most visited first; how they are completed is tested in `test_completion.py`."""

    @pytest.mark.thorough
    @pytest.mark.parametrize("case", [SOME_BEFORE, THREE_BEFORE, AN_OUTSIDER, LARGER_QUESTIONS["seven"]])
    def test_the_most_probable_are_chosen(self, case):
        question = make_question(*case)
        exact = exact_probabilities(question)
        ranked = sorted(exact, key=lambda places: -exact[places])
        chosen = as_places(OrderMCMC(steps=200_000).propose(question, 3, rng(), distinct=True).first)
        assert chosen[0] == ranked[0]
        # Frequencies are estimates: a neighbour in the ranking may take a place, a much lighter one may not.
        assert sum(exact[places] for places in chosen) >= 0.98 * sum(exact[places] for places in ranked[:3])

    def test_few_are_seen_and_all_are_delivered(self):
        question = make_question(*LARGER_QUESTIONS["twelve, scores hundreds apart"])
        proposal = OrderMCMC().propose(question, 500, rng(), distinct=True)
        assert proposal.info["distinct"] < 500
        assert len(set(as_places(proposal.first))) == 500


class TestInfo:
    @pytest.mark.parametrize("distinct", [True, False])
    def test_acceptance(self, distinct):
        question = make_question(*LARGER_QUESTIONS["eight, an outsider"])
        info = OrderMCMC().propose(question, 10, rng(), distinct=distinct).info
        assert set(info) == {"acceptance", "distinct", "chains_kept", "score_gap"}
        assert 0.0 < info["acceptance"] < 1.0
        assert info["distinct"] >= 1

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", ["no candidates at all", "five, impossible sets", "two"])
    def test_without_outsiders_all_is_accepted(self, name):
        assert only(make_question(*QUESTIONS[name]))["acceptance"] == 1.0


class TestParameters:
    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            ({"steps": 0}, InvalidValue),
            ({"steps": 2.5}, InvalidType),
            ({"burn_in": -1}, InvalidValue),
            ({"thin": 0}, InvalidValue),
            ({"thin": "5"}, InvalidType),
            ({"chains": 0}, InvalidValue),
            ({"chains": None}, InvalidType),
            ({"temperatures": 0}, InvalidValue),
            ({"temperatures": 1.5}, InvalidType),
        ],
    )
    def test_wrong_ones_are_named(self, wrong, error):
        (name,) = wrong
        with pytest.raises(error, match=f"{name} must be"):
            OrderMCMC(**wrong)

    def test_settings(self):
        oracle = OrderMCMC(steps=1000, burn_in=0, thin=7, chains=3, temperatures=5)
        assert OrderMCMC(**{k: v for k, v in oracle.settings().items() if k != "name"}) == oracle
