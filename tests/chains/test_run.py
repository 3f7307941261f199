"""Runs of tempered chains: what every kind of state must keep to, swaps, and when temperatures change."""

import math

import numpy as np
import pytest

from chains.toy import TARGET, PlainTransitions
from gadget.blocks import SMALL
from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.chains.run import FEW_ACCEPTED, MANY_ACCEPTED, Run, acceptance_rates
from orderspn.chains.temperatures import ADAPTATION, NARROWEST, WANTED_SWAPS, WIDEST, swap_neighbours
from orderspn.gadget.partition_transitions import PartitionTransitions
from orderspn.search.order_transitions import OrderTransitions
from orderspn.search.scored_orders import ScoredOrders
from search.order_runs import order_run, start_run
from search.order_scores import CASES, SOME_BEFORE, make_block, two_modes

KINDS = {
    "orders": lambda: (OrderTransitions(ScoredOrders.known(make_block(*SOME_BEFORE).order_scores)), np.arange(4)),
    "partitions": lambda: (PartitionTransitions(SMALL["complete"].parent_scores), np.zeros(4, dtype=np.int64)),
    "plain Python": lambda: (PlainTransitions(), np.array([2])),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def rng(seed=0):
    return np.random.default_rng(seed)


def run_of(kind, n_chains=4, seed=0):
    transitions, start = KINDS[kind]()
    return Run(transitions, np.tile(start, (n_chains, 1)), rng(seed))


@pytest.mark.kernels
@every_kind
class TestEveryKindOfState:
    def test_draws(self, kind):
        run = run_of(kind)
        draws, log_scores = run.walk_all(6, 10)
        assert draws.shape == (6, 4, run.transitions.n)
        assert log_scores.shape == (6, 4)
        assert np.isfinite(log_scores).all()
        np.testing.assert_array_equal(run.states, draws[-1])
        assert run.tally.shape == (len(run.transitions.kinds), 2)
        assert (run.tally[:, 0] >= run.tally[:, 1]).all()

    @pytest.mark.parametrize("n_temperatures", [1, 3, 9])
    def test_the_coldest_of_them(self, kind, n_temperatures):
        every, some = run_of(kind).walk_all(6, 10), run_of(kind).walk_all(6, 10, n_temperatures)
        for whole, part in zip(every, some, strict=True):
            np.testing.assert_array_equal(part, whole[:, :n_temperatures])
        for whole, part in zip(every, run_of(kind).walk(6, 10), strict=True):
            np.testing.assert_array_equal(part, whole[:, 0])

    def test_starts_are_left_as_they_are(self, kind):
        run = run_of(kind)
        starts = run.starts.copy()
        run.walk(5, 20)
        np.testing.assert_array_equal(run.starts, starts)
        assert not np.array_equal(run.states, starts)

    def test_neighbours_take_turns_in_swapping(self, kind):
        """Even pairs first."""
        run = run_of(kind, 5)
        run.walk(1, run.transitions.moves_between_swaps)
        assert run.swaps[:, 0].tolist() == [1, 0, 1, 0]
        run.walk(2, run.transitions.moves_between_swaps)
        assert run.swaps[:, 0].tolist() == [2, 1, 2, 1]

    def test_swaps_come_between_nearly_equal_parts(self, kind):
        run = run_of(kind, 2)
        between = run.transitions.moves_between_swaps
        for moves in (0, 1, between, 7 * between, 7 * between + 1, 100 * between + between // 2):
            pieces = run._pieces(moves)
            assert pieces.sum() == moves
            assert np.ptp(pieces) <= 1
            assert abs(pieces.size - max(1, moves / between)) <= 0.5
        assert run_of(kind, 1)._pieces(50).tolist() == [50]

    def test_a_burn_in_forgets_its_counts(self, kind):
        run = run_of(kind, 3)
        assert run.burn_in(5, 20).shape == (5,)
        assert run.swaps.sum() == run.tally.sum() == 0


class TestSwaps:
    @pytest.mark.thorough
    @pytest.mark.parametrize("at", [[1.0, 0.5, 0.2], [1.0, 1.0, 1.0]])
    def test_every_temperature_has_its_distribution(self, at):
        """States are few, and moves so rare that it is swaps that carry them."""
        run = Run(PlainTransitions(), np.array([[0], [2], [4]]), rng(1))
        run.betas = np.array(at)
        draws, _ = run.walk_all(20_000, 2)
        for t, beta in enumerate(at):
            weights = np.exp(beta * TARGET)
            exact = dict(enumerate((weights / weights.sum()).tolist()))
            assert chi_square_p(draws[::20, t, 0].tolist(), exact) > THRESHOLD

    @pytest.mark.kernels
    def test_accepted_ones_exchange_chains_and_scores(self):
        """A better state always moves to the colder chain; one that is impossibly worse never does."""
        chain_at, log_scores = np.array([0, 1, 2, 3]), np.array([-5.0, -3.0, 0.0, -1e6])
        swaps = np.zeros((3, 2), dtype=np.int64)
        swap_neighbours(0, chain_at, log_scores, np.array([1.0, 0.7, 0.5, 0.3]), swaps, rng())
        assert chain_at.tolist() == [1, 0, 2, 3]
        assert log_scores.tolist() == [-3.0, -5.0, 0.0, -1e6]
        assert swaps.tolist() == [[1, 1], [0, 0], [1, 0]]
        swap_neighbours(1, chain_at, log_scores, np.array([1.0, 0.7, 0.5, 0.3]), swaps, rng())
        assert chain_at.tolist() == [1, 2, 0, 3]
        assert swaps.tolist() == [[1, 1], [1, 1], [1, 0]]

    def test_rates(self):
        assert acceptance_rates(np.array([[8, 2], [0, 0], [3, 3]])).tolist() == [0.25, 0.0, 1.0]


def hopeless():
    """Three chains of which each is stuck at the best order or at one hundreds of nats below."""
    return order_run(two_modes(400.0, 300.0), np.array([[0, 1, 2, 3], [2, 3, 0, 1], [2, 3, 0, 1]]))


class TestTemperatures:
    """Adapted during the burn-in, and only then."""

    @pytest.mark.parametrize(("n", "lowest"), [(4, 0.1), (64, 0.1), (256, 0.1**0.5)])
    def test_the_first_ones(self, n, lowest):
        block = make_block(n, [], range(n), {"largest": 0})
        for n_chains in (2, 5):
            betas = order_run(block, np.tile(np.arange(n), (n_chains, 1))).betas
            assert betas[0] == 1.0
            assert betas[-1] == pytest.approx(lowest)
            np.testing.assert_allclose(betas[1:] / betas[:-1], betas[1])

    @pytest.mark.kernels
    def test_a_walk_keeps_them(self):
        run = start_run(make_block(*SOME_BEFORE), 4)
        betas = run.betas.copy()
        run.walk(10, 40)
        run.walk_all(10, 40)
        np.testing.assert_array_equal(run.betas, betas)
        assert run.swaps.sum() > 0

    @pytest.mark.kernels
    @pytest.mark.parametrize("n_chains", [1, 2, 4])
    def test_a_burn_in_follows_the_rate_of_swaps(self, n_chains):
        """The same walk without adaptation says how many swaps succeeded."""
        block = make_block(*SOME_BEFORE)
        run, same = start_run(block, n_chains), start_run(block, n_chains)
        log_scores = run.burn_in(30, 20)
        np.testing.assert_array_equal(same.walk(30, 20)[1], log_scores)
        rates = same.swaps[:, 1] / same.swaps[:, 0]
        gaps = -np.diff(np.log(same.betas)) * np.exp(ADAPTATION * (rates - WANTED_SWAPS))
        expected = np.exp(-np.cumsum([0.0, *np.clip(gaps, NARROWEST, WIDEST)]))
        np.testing.assert_allclose(run.betas, expected, rtol=1e-12)
        assert (n_chains == 1) == np.array_equal(run.betas, same.betas)
        assert run.swaps.sum() == run.tally.sum() == 0

    def test_earlier_walks_do_not_count(self):
        block = make_block(*SOME_BEFORE)
        runs = [start_run(block, 6), start_run(block, 6)]
        runs[0].walk(31, 20)
        runs[0].swaps[:] = [10**6, 0]
        runs[1].walk(31, 20)
        runs[1].swaps[:] = 0
        for run in runs:
            run.burn_in(10, 20)
        np.testing.assert_array_equal(runs[0].betas, runs[1].betas)

    @pytest.mark.parametrize("n_chains", [2, 3])
    def test_gaps_widen_where_all_swaps_succeed(self, n_chains):
        run = start_run(make_block(*CASES["no candidates at all"]), n_chains)
        gaps = -np.diff(np.log(run.betas))
        for _ in range(3):
            run.burn_in(4, 4)
            gaps = np.minimum(gaps * math.exp(ADAPTATION * (1.0 - WANTED_SWAPS)), WIDEST)
            np.testing.assert_allclose(-np.diff(np.log(run.betas)), gaps)
        for _ in range(20):
            run.burn_in(4, 4)
        np.testing.assert_allclose(run.betas, np.exp(-WIDEST * np.arange(n_chains)))

    def test_gaps_narrow_where_none_does(self):
        run = hopeless()
        gaps = -np.diff(np.log(run.betas))[0]
        for _ in range(3):
            run.burn_in(4, 4)
            gaps = min(gaps * math.exp(-ADAPTATION * WANTED_SWAPS), WIDEST)
            assert -np.diff(np.log(run.betas))[0] == pytest.approx(gaps)
        for _ in range(100):
            run.burn_in(2, 1)
        assert -np.diff(np.log(run.betas))[0] == pytest.approx(NARROWEST)

    def test_the_wanted_rate_is_approached(self):
        block = make_block(24, [], range(24), {"spread": 4.0})
        run = order_run(block, np.array([rng(s).permutation(24) for s in range(4)]))
        for _ in range(60):
            run.burn_in(20, 120)
        run.walk(500, 120)
        gaps = -np.diff(np.log(run.betas))
        rates = run.swaps[:, 1] / run.swaps[:, 0]
        assert ((gaps > NARROWEST) & (gaps < WIDEST)).all()
        assert (np.abs(rates - WANTED_SWAPS) < 0.15).all()


class TestTogether:
    """The number of moves that are accepted together: adapted during the burn-in, and only then."""

    @staticmethod
    def bad_candidates(n=12):
        """Strong causes are outsiders, so that moves without them are worth little."""
        return make_block(n, [], range(n), {"largest": 2, "spread": 8.0, "at_once": 1})

    def test_at_first_all_between_two_swaps(self):
        run = start_run(make_block(*SOME_BEFORE), 3)
        assert run.together == run.transitions.moves_between_swaps == 4

    def test_fewer_where_few_are_accepted(self):
        run = order_run(self.bad_candidates(), np.tile(np.arange(12), (3, 1)))
        seen = [int(run.together)]
        for _ in range(5):
            run.burn_in(20, 24)
            seen.append(int(run.together))
        assert seen[0] == 12
        assert seen[-1] < 6
        kept = run.together
        run.walk(20, 24)
        assert run.together == kept

    def test_all_of_them_without_outsiders(self):
        run = start_run(make_block(*CASES["five, impossible sets"]), 2)
        run.together = np.array(1)
        for expected in (2, 4, 5, 5):
            run.burn_in(3, 10)
            assert run.together == expected

    @pytest.mark.parametrize(
        ("counts", "before", "after"),
        [
            ([0, 0], 4, 4),
            ([100, 0], 4, 2),
            ([100, 0], 1, 1),
            ([100, round(100 * FEW_ACCEPTED) - 1], 8, 4),
            ([100, round(100 * FEW_ACCEPTED)], 8, 8),
            ([100, round(100 * MANY_ACCEPTED)], 8, 8),
            ([100, round(100 * MANY_ACCEPTED) + 1], 4, 8),
            ([100, 100], 8, 12),
        ],
    )
    def test_steps(self, counts, before, after):
        run = order_run(self.bad_candidates(), np.arange(12)[None])
        run.together, run.tally[:] = np.array(before), counts
        assert run._adapted_together() == after

    def test_it_is_part_of_the_state(self):
        block = self.bad_candidates()
        run, other = (order_run(block, np.tile(np.arange(12), (2, 1)), seed) for seed in (0, 1))
        for _ in range(4):
            run.burn_in(10, 24)
        other.resume(run.state)
        assert other.together == run.together < 12
        other.rng = np.random.default_rng(5)
        run.rng = np.random.default_rng(5)
        np.testing.assert_array_equal(run.walk(5, 30)[0], other.walk(5, 30)[0])
