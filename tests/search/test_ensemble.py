"""Independent runs: their starts, burn-in, samples, deadlines, and which of them count."""

import itertools
import math

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.chains.runs import PIECES
from orderspn.core.errors import InvalidValue
from orderspn.core.workers import Workers
from orderspn.search.ensemble import BURN_IN_DRAWS, DRAWS_PER_SEGMENT, SEGMENTS, Effort, Ensemble
from orderspn.search.scored_orders import ScoredOrders
from orderspn.search.starting import improved
from search.clocks import LONG_AGO, NEVER, AfterChecks
from search.order_scores import CASES, SOME_BEFORE, make_block, two_modes

SHORT = Effort(runs=3, temperatures=2, burn_in=40, thin=2)


def start(block, effort=SHORT, seed=0, n_jobs=1, starts=None, progress=None):
    return Ensemble.started(
        ScoredOrders.known(block.order_scores), effort, np.random.SeedSequence(seed), Workers(n_jobs, progress), starts
    )


def sample_of(block, n_orders, effort=SHORT, seed=0, n_jobs=1, deadline=NEVER):
    ensemble = start(block, effort, seed, n_jobs)
    ensemble.burn_in("search", deadline)
    return ensemble.sample(n_orders, "orders", deadline)


def assert_valid(block, sample):
    """Possible orders with their scores."""
    for order, value in zip(sample.states.reshape(-1, block.n), sample.log_scores.ravel().tolist(), strict=True):
        assert sorted(order.tolist()) == list(range(block.n))
        assert value == pytest.approx(block.log_score(order), rel=1e-12, abs=block.tolerance)
        assert value > -math.inf


class TestEffort:
    @pytest.mark.parametrize(
        ("n", "factor", "temperatures", "burn_in", "thin"),
        [
            (4, 1.0, 6, 400, 12),
            (64, 1.0, 6, 400, 12),
            (64, 2.5, 6, 1000, 30),
            (64, 0.1, 6, 40, 1),
            (64, 1e-9, 6, 1, 1),
            (256, 1.0, 8, 800, 24),
            (256, 0.5, 8, 400, 12),
            (1024, 1.0, 12, 1600, 48),
        ],
    )
    def test_the_usual(self, n, factor, temperatures, burn_in, thin):
        """More variables and larger factors take longer; of temperatures the number of variables decides."""
        assert Effort.usual(n, factor) == Effort(temperatures=temperatures, burn_in=burn_in, thin=thin)

    def test_by_default(self):
        assert Effort.usual(30) == Effort()


class TestStarts:
    @pytest.mark.parametrize("name", CASES)
    def test_possible_orders_of_which_the_first_is_improved(self, name):
        block = make_block(*CASES[name])
        ensemble = start(block)
        assert len(ensemble.runs) == 3
        assert ensemble.ends.shape == (3, 2, block.n)
        for run in ensemble.runs:
            assert all(block.log_score(order) > -math.inf for order in run.starts)
            best = improved(run.starts[0], block.order_scores)
            assert block.log_score(best) <= block.log_score(run.starts[0]) + 2 * block.tolerance

    def test_they_differ(self):
        ensemble = start(make_block(9, [], range(9), {"largest": 0}), Effort(runs=4, temperatures=3))
        starts = [tuple(order) for order in ensemble.ends.reshape(-1, 9).tolist()]
        assert len(set(starts)) == 12

    def test_given_ones_are_taken(self):
        block = make_block(*SOME_BEFORE)
        starts = np.array([[[0, 1, 2, 3], [3, 2, 1, 0]], [[1, 0, 2, 3], [1, 2, 3, 0]], [[2, 3, 0, 1], [0, 2, 1, 3]]])
        kept = starts.copy()
        ensemble = start(block, starts=starts)
        np.testing.assert_array_equal(ensemble.ends, starts)
        ensemble.burn_in("search", NEVER)
        np.testing.assert_array_equal(starts, kept)

    def test_no_possible_order(self):
        block = make_block(5, [4], range(4), {"required": [(0, 1), (1, 2), (2, 0)]})
        with pytest.raises(InvalidValue, match="no order of 4 of the variables is possible"):
            start(block)


class TestBurnIn:
    @pytest.mark.parametrize("effort", [SHORT, Effort(runs=2, temperatures=1, burn_in=1), Effort(1, 3, 400)])
    def test_log_scores_on_the_way(self, effort):
        block = make_block(*SOME_BEFORE)
        ensemble = start(block, effort)
        trace = ensemble.burn_in("search", NEVER)
        assert trace.shape == (effort.runs, BURN_IN_DRAWS)
        possible = np.array([block.log_score(order) for order in itertools.permutations(range(block.n))])
        assert np.abs(trace[:, :, None] - possible).min(axis=2).max() < 1e-8

    def test_temperatures_are_adapted_now_and_fixed_later(self):
        ensemble = start(make_block(*SOME_BEFORE))
        first = [run.betas.copy() for run in ensemble.runs]
        ensemble.burn_in("search", NEVER)
        then = [run.betas.copy() for run in ensemble.runs]
        ensemble.sample(20, "orders", NEVER)
        ensemble.coldest_draws(2, 3, NEVER)
        for run, begin, end in zip(ensemble.runs, first, then, strict=True):
            assert not np.array_equal(begin, end)
            np.testing.assert_array_equal(run.betas, end)

    @pytest.mark.parametrize(("passed", "segments"), [(1, 1), (3, 3), (SEGMENTS + 1, SEGMENTS)])
    def test_it_stops_at_the_deadline(self, passed, segments):
        trace = start(make_block(*SOME_BEFORE)).burn_in("search", AfterChecks(passed))
        assert trace.shape == (3, segments * DRAWS_PER_SEGMENT)

    def test_moves_in_all(self):
        """The given number of sweeps: two random numbers for each move, and in each walk one for each gap of times."""
        block = make_block(4, [], range(4), {"largest": 0})
        ensemble = start(block, Effort(runs=1, temperatures=1, burn_in=100, thin=3))
        (run,) = ensemble.runs
        same = np.random.Generator(np.random.PCG64())
        same.bit_generator.state = run.rng.bit_generator.state
        ensemble.burn_in("search", NEVER)
        same.bit_generator.advance(SEGMENTS * 5 + 2 * 100 * 4)
        assert run.rng.bit_generator.state["state"] == same.bit_generator.state["state"]
        ensemble.sample(25, "orders", NEVER)
        n_walks = -(-25 // (25 // PIECES))
        same.bit_generator.advance(n_walks * 5 + 2 * 25 * 3 * 4)
        assert run.rng.bit_generator.state["state"] == same.bit_generator.state["state"]


class TestSamples:
    @pytest.mark.parametrize(
        "name", ["five, impossible sets", "orders ruled out, 1 at once", "units impossible", "two"]
    )
    def test_orders_and_scores(self, name):
        block = make_block(*CASES[name])
        sample = sample_of(block, 40)
        assert sample.states.shape == (3, 14, block.n)
        assert_valid(block, sample)

    @pytest.mark.parametrize(
        ("runs", "n_orders", "n_draws"), [(1, 1, 4), (1, 4, 4), (3, 12, 4), (3, 13, 5), (4, 1024, 256), (7, 99, 15)]
    )
    def test_as_many_of_each_run(self, runs, n_orders, n_draws):
        block = make_block(*SOME_BEFORE)
        sample = sample_of(block, n_orders, Effort(runs, 1, 1, 1))
        assert sample.states.shape == (runs, n_draws, 4)
        assert sample.log_scores.shape == (runs, n_draws)
        assert_valid(block, sample)

    @pytest.mark.parametrize("at_once", [0, 1, 2])
    def test_they_follow_the_posterior(self, at_once):
        block = make_block(*SOME_BEFORE[:3], {"seed": 2, "spread": 1.0, "at_once": at_once})
        sample = sample_of(block, 3000, Effort(3, 3, 100, 15), seed=1)
        orders = sample.states.reshape(-1, 4)
        assert chi_square_p(map(tuple, orders.tolist()), block.probabilities()) > THRESHOLD

    @pytest.mark.parametrize("name", ["few candidates", "five, impossible sets"])
    def test_the_seed_decides_and_threads_do_not(self, name):
        block = make_block(*CASES[name])
        one, two, other = (sample_of(block, 60, seed=s, n_jobs=j) for s, j in ((5, 1), (5, 2), (6, 1)))
        np.testing.assert_array_equal(one.states, two.states)
        np.testing.assert_array_equal(one.log_scores, two.log_scores)
        assert not np.array_equal(one.states, other.states)
        assert not np.array_equal(one.states[0], one.states[1])

    @pytest.mark.parametrize(
        ("n_orders", "passed", "found"),
        [
            (12, 1, 4),
            (90, 1, 6),  # pieces of three
            (300, 1, 10),  # pieces of ten
            (3000, 1, 100),
            (300, 3, 30),
            (300, 10, 100),
            (300, 99, 100),
        ],
    )
    def test_they_stop_at_the_deadline(self, n_orders, passed, found):
        """After the piece in which it passed, but not before there are four."""
        block = make_block(*SOME_BEFORE)
        sample = start(block).sample(n_orders, "orders", AfterChecks(passed))
        assert sample.states.shape == (3, found, 4)
        assert_valid(block, sample)
        whole = start(block).sample(n_orders, "orders", NEVER)
        np.testing.assert_array_equal(sample.states, whole.states[:, :found])

    def test_a_deadline_long_ago(self):
        block = make_block(*CASES["few candidates"])
        sample = sample_of(block, 1000, deadline=LONG_AGO)
        assert sample.states.shape[1] >= 4
        assert_valid(block, sample)

    def test_progress(self):
        told = []
        ensemble = start(make_block(*SOME_BEFORE), n_jobs=2, progress=lambda *step: told.append(step))
        ensemble.burn_in("search", NEVER)
        ensemble.sample(100, "orders", NEVER)
        total = SEGMENTS * 3
        assert told[:total] == [("search", done + 1, total) for done in range(total)]
        last = told[-1]
        assert last[0] == "orders"
        assert last[1] == last[2] == len(told) - total


class TestColdestChains:
    @pytest.mark.parametrize(("n_temperatures", "seen"), [(1, 1), (2, 2), (4, 2)])
    def test_orders_of_the_coldest_chains(self, n_temperatures, seen):
        block = make_block(*CASES["few candidates"])
        orders = start(block).coldest_draws(n_temperatures, 5, NEVER)
        assert orders.shape == (3 * 5 * seen, block.n)
        walked = [run.walk_all(5, max(1, SHORT.thin * block.n // 4))[0] for run in start(block).runs]
        expected = np.concatenate([run[:, :seen] for run in walked]).reshape(-1, block.n)
        np.testing.assert_array_equal(orders, expected)

    def test_ends(self):
        ensemble = start(make_block(*SOME_BEFORE))
        ensemble.sample(30, "orders", NEVER)
        for end, run in zip(ensemble.ends, ensemble.runs, strict=True):
            np.testing.assert_array_equal(end, run.states)


class TestStuckRuns:
    """Runs far below the best do not count."""

    def test_runs_in_a_worse_mode(self):
        """Chains that cannot leave an order hundreds of nats below."""
        block = two_modes(400.0, 300.0)
        starts = np.array([[[2, 3, 0, 1]], [[0, 1, 2, 3]], [[0, 1, 3, 2]]])
        sample = self.stuck(starts, block).sample(30, "orders", NEVER)
        assert sample.kept.tolist() == [False, True, True]
        assert all({0, 1} == set(order[:2]) for order in sample.all_states.tolist())

    ONE_OF_THREE = np.array([[[2, 3, 0, 1]], [[0, 1, 2, 3]], [[0, 1, 3, 2]]])
    TWO_OF_THREE = np.array([[[2, 3, 0, 1]], [[0, 1, 2, 3]], [[2, 3, 1, 0]]])

    @staticmethod
    def stuck(starts, block=None, progress=None):
        """Runs of which those that begin with 2 and 3 stay there."""
        block = two_modes(400.0, 300.0) if block is None else block
        ensemble = start(block, Effort(3, 1, 10, 2), starts=starts, progress=progress)
        ensemble.burn_in("search", NEVER)
        return ensemble

    @pytest.mark.parametrize(
        ("starts", "n_orders", "kept", "n_draws"),
        [
            (ONE_OF_THREE, 30, 2, 15),
            (ONE_OF_THREE, 31, 2, 16),
            (TWO_OF_THREE, 30, 1, 30),
            (TWO_OF_THREE, 3, 1, 4),
            (ONE_OF_THREE, 9, 2, 5),
        ],
    )
    def test_the_others_walk_on_for_them(self, starts, n_orders, kept, n_draws):
        """As far as all of them together would have."""
        block = two_modes(400.0, 300.0)
        sample = self.stuck(starts, block).sample(n_orders, "orders", NEVER)
        assert sample.states.shape == (kept, n_draws, 4)
        assert sample.means.shape == (3,)
        assert len(sample.all_states) == kept * n_draws >= n_orders
        assert_valid(block, sample)
        again = self.stuck(starts, block).sample(n_orders, "orders", NEVER)
        np.testing.assert_array_equal(sample.states, again.states)

    @pytest.mark.parametrize(("passed", "n_draws"), [(3, 30), (10, 100), (11, 100), (12, 105), (14, 115), (99, 150)])
    def test_not_beyond_the_deadline(self, passed, n_draws):
        """Ten pieces of ten draws of all three, then ten of five of the two that count."""
        sample = self.stuck(self.ONE_OF_THREE).sample(300, "orders", AfterChecks(passed))
        assert sample.states.shape == (2, n_draws, 4)
        assert sample.log_scores.shape == (2, n_draws)

    def test_their_progress(self):
        told = []
        ensemble = self.stuck(self.ONE_OF_THREE, progress=lambda *step: told.append(step))
        told.clear()
        ensemble.sample(300, "orders", NEVER)
        assert told[:30] == [("orders", done + 1, 30) for done in range(30)]
        assert told[30:] == [("more orders", done + 1, 20) for done in range(20)]
