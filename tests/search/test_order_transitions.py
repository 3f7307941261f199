"""Chains over orders: what they visit, alone and at several temperatures, and what they count."""

import itertools
import math

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.leaves.family import Family
from orderspn.search.times import time_scores_of
from search.order_runs import order_run, start_run
from search.order_scores import CASES, SOME_BEFORE, THREE_BEFORE, WITH_NEEDS, Block, make_block, two_modes

FLAT = (
    {
        f"{name}, {at_once} outsiders": (*case[:3], {**options, "at_once": at_once})
        for name, case, options in (
            ("some before and outside", SOME_BEFORE, {"seed": 2, "spread": 1.0}),
            ("three before", THREE_BEFORE, {"largest": 6, "spread": 1.0}),
            ("impossible sets", (5, [], range(4)), {"impossible": 0.3, "spread": 1.0, "required": [(3, 1)], "seed": 1}),
        )
        for at_once in (0, 1, 2)
    }
    | {
        "units impossible": (5, [4], range(4), {"largest": 2, "at_once": 2, "demanded": [(3, 1)], "spread": 1.0}),
        "hundreds apart": (5, [4], range(4), {"spread": 300.0}),
        "one order left": (5, [0], range(1, 5), {"required": [(0, 3), (3, 1), (1, 4), (4, 2)]}),
    }
    | WITH_NEEDS
)
"""Four variables, whose 24 orders are all visited often, but for two; and five with order constraints."""

every_flat = pytest.mark.parametrize("name", FLAT)


def rng(seed=0):
    return np.random.default_rng(seed)


def p_value(orders, probabilities):
    return chi_square_p(map(tuple, orders.tolist()), probabilities)


class TestStationaryDistribution:
    """Draws far enough apart are draws from the exact distribution over orders of S_2 with S_1 before."""

    @pytest.mark.kernels
    @pytest.mark.parametrize("at_once", [0, 2])
    def test_orders_by_few_draws(self, at_once):
        block = make_block(*FLAT[f"some before and outside, {at_once} outsiders"])
        orders, _ = start_run(block, betas=[1.0]).walk(400, 25)
        assert p_value(orders, block.probabilities()) > THRESHOLD

    @pytest.mark.thorough
    @pytest.mark.parametrize("moves", [1, 5, 25])
    @every_flat
    def test_orders(self, name, moves):
        """A draw every hundred moves, whether they are corrected one by one or many at once."""
        block = make_block(*FLAT[name])
        orders, _ = start_run(block, 1, seed=1).walk(400_000 // moves, moves)
        assert p_value(orders[:: 100 // moves], block.probabilities()) > THRESHOLD

    @pytest.mark.exhaustive
    @every_flat
    def test_orders_at_every_temperature(self, name):
        """A swap every sweep, and a draw right after it; only every 25th draw is taken."""
        block = make_block(*FLAT[name])
        run = start_run(block, 3, seed=2, betas=[1.0, 0.6, 0.2])
        orders, log_scores = run.walk_all(50_000, block.n)
        assert (run.swaps[:, 0] == 25_000).all()
        assert (run.swaps[:, 1] > 2500).all()
        for t, beta in enumerate(run.betas.tolist()):
            assert p_value(orders[::25, t], block.probabilities(beta)) > THRESHOLD
        assert log_scores[0, 2] == pytest.approx(block.log_score(orders[0, 2]), rel=1e-12, abs=block.tolerance)

    @pytest.mark.thorough
    def test_swaps_lead_across_a_valley(self):
        """Alone, the chain at 1 stays in the mode it begins with; with others it visits both as often as it should."""
        block = two_modes(20.0, 19.5)
        exact = block.probabilities()
        starts = np.tile([0, 1, 2, 3], (5, 1))
        alone, _ = order_run(block, starts[:1]).walk(3000, 20)
        assert p_value(alone, exact) < THRESHOLD
        run = order_run(block, starts)
        run.walk(100, 20)
        together, _ = run.walk(40_000, 20)
        assert p_value(together[::80], exact) > THRESHOLD

    @pytest.mark.thorough
    @every_flat
    def test_after_the_burn_in(self, name):
        block = make_block(*FLAT[name])
        run = start_run(block, 3, seed=4)
        for _ in range(4):
            run.burn_in(10, 40)
        orders, _ = run.walk(2000, 60)
        assert p_value(orders, block.probabilities()) > THRESHOLD

    @pytest.mark.parametrize("at_once", [0, 1, 2])
    def test_the_check_rejects_a_sampler_that_ignores_what_is_before(self, at_once):
        block = make_block(*FLAT[f"some before and outside, {at_once} outsiders"])
        ignorant = Block(block.families, [], block.variables)
        orders, _ = start_run(ignorant, 1, seed=5).walk(4000, 100)
        assert p_value(orders, block.probabilities()) < THRESHOLD

    @pytest.mark.parametrize("at_once", [1, 2])
    def test_the_check_rejects_a_sampler_that_ignores_outsiders(self, at_once):
        block = make_block(*FLAT[f"some before and outside, {at_once} outsiders"])
        closed = [f.restricted(np.empty(0, dtype=np.int64), f.outsiders) for f in block.families]
        orders, _ = start_run(Block(closed, block.before, block.variables), 1, seed=6).walk(4000, 100)
        assert p_value(orders, block.probabilities()) < THRESHOLD

    @pytest.mark.thorough
    @pytest.mark.parametrize("n_chains", [1, 3])
    def test_odds_of_two_orders(self, n_chains):
        """A known ratio and many draws: temperatures are exact within one or two in a hundred."""
        no_variables = np.empty(0, dtype=np.int64)
        families = [Family(0, no_variables, np.zeros(1)), Family(1, np.array([0]), np.log([1.0, np.e**2 - 1.0]))]
        block = Block(families, [], [0, 1])
        betas = np.array([1.0, 0.5, 0.25])[:n_chains]
        orders, _ = start_run(block, n_chains, betas=betas).walk_all(80_000, 10)
        expected = 1.0 / (1.0 + np.exp(-2.0 * betas))
        errors = np.sqrt(expected * (1.0 - expected) / 80_000)
        assert (np.abs((orders[:, :, 0] == 0).mean(axis=0) - expected) < 5.5 * errors).all()

    @pytest.mark.parametrize("beta", [0.85, 1.15])
    def test_the_check_rejects_other_temperatures(self, beta):
        block = make_block(*SOME_BEFORE)
        orders, _ = start_run(block, 1, seed=7, betas=[1.0]).walk(6000, 100)
        assert p_value(orders, block.probabilities()) > THRESHOLD
        assert p_value(orders, block.probabilities(beta)) < THRESHOLD
        assert p_value(orders[:, ::-1], block.probabilities()) < THRESHOLD

    @pytest.mark.thorough
    @pytest.mark.parametrize("name", ["some before and outside, 1 outsiders", "needs, 0 at once"])
    def test_many_short_walks(self, name):
        """Times are drawn anew at the beginning of each walk."""
        block = make_block(*FLAT[name])
        run = start_run(block, 2, seed=9, betas=[1.0, 0.5])
        for beta, t in ((1.0, 0), (0.5, 1)):
            orders = np.array([[run.walk_all(1, 6)[0][0, t] for _ in range(8)][-1] for _ in range(3000)])
            assert p_value(orders, block.probabilities(beta)) > THRESHOLD

    @pytest.mark.kernels
    @pytest.mark.parametrize(("moves", "expected"), [(1, 1 / 3), (2, 5 / 12)])
    def test_two_variables_alike(self, moves, expected):
        """Their order changes if the time of the other one is between the old one and the new one."""
        block = make_block(3, [2], [0, 1], {"largest": 0})
        run = start_run(block)
        orders = np.array([run.walk(1, moves)[0][0, 0] for _ in range(2000)])
        changes = (orders[1:] != orders[:-1]).mean()
        assert changes == pytest.approx(expected, abs=5.0 * math.sqrt(0.25 / 2000))

    def test_moves_of_unrelated_variables(self):
        """To each place with probability 1 / (n + 1), to its own with twice that: its interval is longer on average."""
        n = 5
        block = make_block(n, [], range(n), {"largest": 0})
        run = start_run(block, seed=8)
        orders = [tuple(run.walk(1, 1)[0][0].tolist()) for _ in range(10_000)]
        seen = list(itertools.starmap(_move_between, itertools.pairwise(orders)))
        expected = {}
        for p, q in itertools.product(range(n), repeat=2):
            move = _shape_of(p, q, n)
            expected[move] = expected.get(move, 0.0) + (1 + (p == q)) / (n * (n + 1))
        assert sum(expected.values()) == pytest.approx(1.0)
        assert chi_square_p(seen, expected) > THRESHOLD


def _shape_of(p, q, n):
    """A move by the resulting order of places."""
    places = list(range(n))
    places.insert(q, places.pop(p))
    return tuple(places)


def _move_between(before, after):
    return tuple(before.index(v) for v in after)


class TestWalks:
    """Draws along the way, and the state of a run between walks."""

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", ["five, impossible sets", "orders ruled out", "two", "one", "units impossible"])
    @pytest.mark.parametrize("n_chains", [1, 3])
    def test_scores_along_the_walk(self, name, n_chains):
        block = make_block(*CASES[name])
        orders, log_scores = start_run(block, n_chains).walk_all(15, 25)
        assert orders.shape == (15, n_chains, block.n)
        assert log_scores.shape == (15, n_chains)
        for order, value in zip(orders.reshape(-1, block.n), log_scores.ravel().tolist(), strict=True):
            assert sorted(order.tolist()) == list(range(block.n))
            assert value == pytest.approx(block.log_score(order), rel=1e-12, abs=block.tolerance)
            assert value > -math.inf

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("name", [name for name in CASES if "hundreds" not in name])
    def test_scores_do_not_drift(self, name):
        """After many thousands of moves, each of which changed a state in place."""
        block = make_block(*CASES[name])
        orders, log_scores = start_run(block, 3).walk_all(2, 60_000)
        for order, value in zip(orders[-1], log_scores[-1].tolist(), strict=True):
            assert value == pytest.approx(block.log_score(order), rel=1e-12, abs=block.tolerance)

    @pytest.mark.kernels
    @pytest.mark.parametrize("n_chains", [1, 3])
    @pytest.mark.parametrize("name", ["four, some before, some outside", "few candidates"])
    def test_a_run_walks_on_from_where_it_is(self, name, n_chains):
        block = make_block(*CASES[name])
        run = start_run(block, n_chains)
        draws, _ = run.walk_all(10, 7)
        np.testing.assert_array_equal(run.states, draws[-1])
        without_moves, _ = run.walk_all(1, 0)
        assert sorted(map(tuple, without_moves[0].tolist())) == sorted(map(tuple, draws[-1].tolist()))

    @pytest.mark.kernels
    @pytest.mark.parametrize("n_chains", [1, 3])
    @pytest.mark.parametrize("name", ["four, some before, some outside", "few candidates", "needs, 2 at once"])
    def test_same_seed_same_walks(self, name, n_chains):
        block = make_block(*(CASES | WITH_NEEDS)[name])
        one, two, other = (start_run(block, n_chains, seed) for seed in (3, 3, 4))
        for length in (6, 4):
            draws, log_scores = one.walk_all(length, 7)
            again, same_log_scores = two.walk_all(length, 7)
            np.testing.assert_array_equal(draws, again)
            np.testing.assert_array_equal(log_scores, same_log_scores)
            assert not np.array_equal(draws, other.walk_all(length, 7)[0])
        for field in ("states", "tally", "swaps"):
            np.testing.assert_array_equal(getattr(one, field), getattr(two, field))

    @pytest.mark.kernels
    def test_a_walk_shows_the_chain_at_temperature_1(self):
        block = make_block(*CASES["few candidates"])
        orders, log_scores = start_run(block, 3).walk(8, 20)
        all_orders, all_log_scores = start_run(block, 3).walk_all(8, 20)
        np.testing.assert_array_equal(orders, all_orders[:, 0])
        np.testing.assert_array_equal(log_scores, all_log_scores[:, 0])

    def test_starts_are_left_as_they_are(self):
        block = make_block(*SOME_BEFORE)
        run = start_run(block, 3)
        starts = run.starts.copy()
        np.testing.assert_array_equal(run.states, starts)
        run.walk(5, 50)
        np.testing.assert_array_equal(run.starts, starts)

    @pytest.mark.kernels
    def test_no_moves_only_swap(self):
        """What chains hold is passed on, and nothing else happens."""
        block = make_block(*SOME_BEFORE)
        run = start_run(block, 4, betas=[1.0, 0.9, 0.8, 0.7])
        orders, _ = run.walk_all(20, 0)
        begin = sorted(map(tuple, run.starts.tolist()))
        assert all(sorted(map(tuple, draw.tolist())) == begin for draw in orders)
        assert any(not np.array_equal(draw, run.starts) for draw in orders)
        assert run.tally.sum() == 0
        assert run.swaps.sum() > 0

    @pytest.mark.kernels
    @pytest.mark.parametrize(
        ("moves", "swaps", "corrections"),
        [(1, 1, 1), (4, 1, 1), (5, 1, 2), (7, 2, 2), (20, 5, 5), (26, 6, 6 + 2)],  # a piece of five is two parts
    )
    def test_number_of_moves(self, moves, swaps, corrections):
        """As many as asked for, in nearly equal parts between swaps: about a sweep each."""
        block = make_block(4, [], range(4), {"largest": 0})
        run, same = start_run(block, 2), rng()
        run.walk(3, moves)
        # Where nothing is ever refused a move needs two random numbers, a variable and a time; and each chain begins
        # with as many as it has times and one more.
        same.bit_generator.advance(2 * (4 + 1) + 2 * (3 * 2 * moves))
        assert run.rng.random() == same.random()
        assert run.tally.tolist() == [[3 * corrections, 3 * corrections]]
        assert run.swaps[0, 0] == -(-3 * swaps // 2)

    @pytest.mark.kernels
    def test_neighbours_take_turns_in_swapping(self):
        """The first pair and the third, then the second and the fourth."""
        block = make_block(4, [], range(4), {"largest": 0})
        run = start_run(block, 5)
        for n_draws, expected in ((1, [1, 0, 1, 0]), (2, [2, 1, 2, 1]), (3, [4, 2, 4, 2])):
            run.walk(n_draws, 4)
            assert run.swaps[:, 0].tolist() == expected


class TestTally:
    """Corrections of the chain at temperature 1: the moves between two swaps are accepted together or not at all."""

    @pytest.mark.kernels
    def test_corrections_are_counted(self):
        run = start_run(make_block(*CASES["few candidates"]), 2)
        assert run.tally.shape == (len(run.transitions.kinds), 2) == (1, 2)
        run.walk(30, 10)
        assert run.tally[0, 0] == 30 * 2
        assert 0 < run.tally[0, 1] < run.tally[0, 0]

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", ["five, impossible sets", "orders ruled out", "needs, 0 at once", "two"])
    def test_without_outsiders_all_is_accepted(self, name):
        run = start_run(make_block(*(CASES | WITH_NEEDS)[name]), 3)
        run.walk(20, 20)
        assert run.tally[0, 0] == run.tally[0, 1] > 0

    @pytest.mark.kernels
    def test_equal_scores_are_always_accepted(self):
        run = start_run(make_block(*CASES["no candidates at all"]), 3)
        run.walk(10, 20)
        np.testing.assert_array_equal(run.tally[:, 0], run.tally[:, 1])
        np.testing.assert_array_equal(run.swaps[:, 0], run.swaps[:, 1])

    def test_what_is_rejected_is_as_it_was(self):
        """Of four variables only one order is possible, so every other proposal is rejected."""
        block = make_block(*CASES["one order by outsiders"])
        (only,) = {order[:4] for order in block.possible_orders() if order[4] == 4}
        run = order_run(block, np.array([[*only, 4]]))
        orders, log_scores = run.walk(300, 2)
        assert all(tuple(v for v in order if v != 4) == only for order in orders.tolist())
        assert 0 < run.tally[0, 1] < run.tally[0, 0]
        expected = [block.log_score(order) for order in orders]
        np.testing.assert_allclose(log_scores, expected, rtol=1e-12, atol=block.tolerance)

    def test_only_corrections_at_temperature_1_are_counted(self):
        block = make_block(*CASES["few candidates"])
        cold, alone = start_run(block, 3, betas=[1.0, 0.1, 0.01]), start_run(block, 1)
        cold.walk(2000, block.n)
        alone.walk(2000, block.n)
        assert cold.tally[0, 0] == alone.tally[0, 0] == 2000
        assert cold.tally[0, 1] == pytest.approx(alone.tally[0, 1], rel=0.15)


def test_times_are_made_once():
    transitions = start_run(make_block(*SOME_BEFORE)).transitions
    assert transitions.time_scores is transitions.time_scores
    again = time_scores_of(transitions.orders.here)
    for one, two in zip(transitions.time_scores, again, strict=True):
        np.testing.assert_array_equal(one, two)
