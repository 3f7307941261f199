"""Chains over orders: what they visit, alone and at several temperatures, and what they count."""

import itertools
import math

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.levels import parameters
from orderspn.leaves.family import Family
from orderspn.search.order_transitions import ADJACENT, FARTHEST, RELOCATION
from search.order_runs import order_run, start_run
from search.order_scores import CASES, SOME_BEFORE, THREE_BEFORE, Block, make_block, two_modes

FLAT = {
    f"{name}, {at_once} outsiders": (*case[:3], {**options, "at_once": at_once})
    for name, case, options in (
        ("some before and outside", SOME_BEFORE, {"seed": 2, "spread": 1.0}),
        ("three before", THREE_BEFORE, {"largest": 6, "spread": 1.0}),
        ("impossible sets", (5, [], range(4)), {"impossible": 0.3, "spread": 1.0, "required": [(3, 1)], "seed": 1}),
    )
    for at_once in (0, 1, 2)
} | {
    "units impossible": (5, [4], range(4), {"largest": 2, "at_once": 2, "demanded": [(3, 1)], "spread": 1.0}),
    "hundreds apart": (5, [4], range(4), {"spread": 300.0, "at_once": 2}),
    "one order left": (5, [0], range(1, 5), {"required": [(0, 3), (3, 1), (1, 4), (4, 2)]}),
}
"""Four variables, whose 24 orders are all visited often, but for two."""

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
    @pytest.mark.parametrize("relocation_share", parameters([0.0, 0.5, 1.0], test=[0.5]))
    @every_flat
    def test_orders(self, name, relocation_share):
        block = make_block(*FLAT[name])
        orders, _ = start_run(block, 1, relocation_share, seed=1).walk(4000, 100)
        assert p_value(orders, block.probabilities()) > THRESHOLD

    @pytest.mark.exhaustive
    @pytest.mark.parametrize(
        ("name", "relocation_share"),
        [(name, 0.5) for name in FLAT]
        + [(f"three before, {k} outsiders", share) for k in (0, 1, 2) for share in (0, 1)],
    )
    def test_orders_at_every_temperature(self, name, relocation_share):
        """A swap every 20 moves, and a draw right after it; only every fifth draw is taken."""
        block = make_block(*FLAT[name])
        run = start_run(block, 3, relocation_share, seed=2, betas=[1.0, 0.6, 0.2])
        orders, log_scores = run.walk_all(10_000, 20)
        assert (run.swaps[:, 0] == 5000).all()
        assert (run.swaps[:, 1] > 500).all()
        for t, beta in enumerate(run.betas.tolist()):
            assert p_value(orders[::5, t], block.probabilities(beta)) > THRESHOLD
        assert log_scores[0, 2] == pytest.approx(block.log_score(orders[0, 2]), rel=1e-12, abs=block.tolerance)

    @pytest.mark.thorough
    def test_swaps_lead_across_a_valley(self):
        """Alone, the chain at 1 stays in the mode it begins with; with others it visits both as often as it should."""
        block = two_modes(20.0, 19.5)
        exact = block.probabilities()
        starts = np.tile([0, 1, 2, 3], (5, 1))
        alone, _ = order_run(block, starts[:1], 0.8).walk(3000, 20)
        assert p_value(alone, exact) < THRESHOLD
        run = order_run(block, starts, 0.8)
        run.walk(100, 20)
        together, _ = run.walk(40_000, 20)
        assert p_value(together[::80], exact) > THRESHOLD

    @pytest.mark.thorough
    @every_flat
    def test_after_the_burn_in(self, name):
        block = make_block(*FLAT[name])
        run = start_run(block, 3, 0.8, seed=4)
        for _ in range(4):
            run.burn_in(10, 40)
        orders, _ = run.walk(2000, 60)
        assert p_value(orders, block.probabilities()) > THRESHOLD

    @pytest.mark.parametrize("at_once", [0, 1, 2])
    def test_the_check_rejects_a_sampler_that_ignores_what_is_before(self, at_once):
        block = make_block(*FLAT[f"some before and outside, {at_once} outsiders"])
        ignorant = Block(block.families, [], block.variables)
        orders, _ = start_run(ignorant, 1, 0.8, seed=5).walk(4000, 100)
        assert p_value(orders, block.probabilities()) < THRESHOLD

    @pytest.mark.parametrize("at_once", [1, 2])
    def test_the_check_rejects_a_sampler_that_ignores_outsiders(self, at_once):
        block = make_block(*FLAT[f"some before and outside, {at_once} outsiders"])
        closed = [f.restricted(np.empty(0, dtype=np.int64), f.outsiders) for f in block.families]
        orders, _ = start_run(Block(closed, block.before, block.variables), 1, 0.8, seed=6).walk(4000, 100)
        assert p_value(orders, block.probabilities()) < THRESHOLD

    @pytest.mark.thorough
    @pytest.mark.parametrize("n_chains", [1, 3])
    def test_odds_of_two_orders(self, n_chains):
        """A known ratio and many draws: temperatures are exact within one or two in a hundred."""
        no_variables = np.empty(0, dtype=np.int64)
        families = [Family(0, no_variables, np.zeros(1)), Family(1, np.array([0]), np.log([1.0, np.e**2 - 1.0]))]
        block = Block(families, [], [0, 1])
        betas = np.array([1.0, 0.5, 0.25])[:n_chains]
        orders, _ = start_run(block, n_chains, 0.5, betas=betas).walk_all(80_000, 10)
        expected = 1.0 / (1.0 + np.exp(-2.0 * betas))
        errors = np.sqrt(expected * (1.0 - expected) / 80_000)
        assert (np.abs((orders[:, :, 0] == 0).mean(axis=0) - expected) < 5.5 * errors).all()

    @pytest.mark.parametrize("beta", [0.85, 1.15])
    def test_the_check_rejects_other_temperatures(self, beta):
        block = make_block(*SOME_BEFORE)
        orders, _ = start_run(block, 1, 0.8, seed=7, betas=[1.0]).walk(6000, 100)
        assert p_value(orders, block.probabilities()) > THRESHOLD
        assert p_value(orders, block.probabilities(beta)) < THRESHOLD
        assert p_value(orders[:, ::-1], block.probabilities()) < THRESHOLD

    @pytest.mark.kernels
    @pytest.mark.parametrize("relocation_share", [0.0, 1.0])
    @pytest.mark.parametrize("moves", [1, 2])
    def test_equal_scores_do_not_make_it_swing(self, relocation_share, moves):
        """Of two variables alike every move is an exchange and accepted: without a rest it would go to and fro."""
        block = make_block(3, [2], [0, 1], {"largest": 0})
        orders, _ = start_run(block, 1, relocation_share).walk(400, moves)
        changes = (orders[1:, 0] != orders[:-1, 0]).mean()
        assert 0.35 < changes < 0.65

    def test_distances_of_relocations(self):
        """Where all is accepted, a distance L is tried with probability log((L + 1) / L) / log(n), both ways alike."""
        n = 7
        block = make_block(n, [], range(n), {"largest": 0})
        draws = 40_000
        run = start_run(block, 1, 1.0, seed=8)
        orders, _ = run.walk(draws, 1)
        orders = np.concatenate([run.starts, orders])
        seen = list(itertools.starmap(_move_between, itertools.pairwise(map(tuple, orders.tolist()))))
        expected = {}
        for p, distance, sign in itertools.product(range(n), range(1, n), (-1, 1)):
            weight = math.log((distance + 1) / distance) / math.log(n) / (2 * n)
            move = _shape_of(p, p + sign * distance, n)
            expected[move] = expected.get(move, 0.0) + weight
        assert sum(expected.values()) == pytest.approx(1.0)
        assert chi_square_p(seen, expected) > THRESHOLD

    def test_the_farthest_relocations(self):
        """Many variables are passed at once, but not all of very many."""
        n = FARTHEST + 30
        block = make_block(n, [], range(n), {"largest": 0})
        run = order_run(block, np.arange(n)[None], 1.0)
        orders, _ = run.walk(3000, 1)
        places = np.argsort(np.concatenate([run.starts, orders]), axis=1)
        distances = np.abs(np.diff(places, axis=0)).max(axis=1)
        assert FARTHEST - 10 < distances.max() < FARTHEST


def _shape_of(p, q, n):
    """A move by the resulting order of places; staying where it leads outside."""
    places = list(range(n))
    if 0 <= q < n:
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
        orders, log_scores = start_run(block, n_chains, 0.5).walk_all(15, 25)
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
        orders, log_scores = start_run(block, 3, 0.5).walk_all(2, 60_000)
        for order, value in zip(orders[-1], log_scores[-1].tolist(), strict=True):
            assert value == pytest.approx(block.log_score(order), rel=1e-12, abs=block.tolerance)

    @pytest.mark.kernels
    @pytest.mark.parametrize("n_chains", [1, 3])
    @pytest.mark.parametrize("name", ["four, some before, some outside", "few candidates"])
    def test_a_run_walks_on_from_where_it_is(self, name, n_chains):
        block = make_block(*CASES[name])
        in_one, in_two = start_run(block, n_chains), start_run(block, n_chains)
        together = np.concatenate([in_two.walk_all(10, 7)[0], in_two.walk_all(10, 7)[0]])
        np.testing.assert_array_equal(in_one.walk_all(20, 7)[0], together)
        np.testing.assert_array_equal(in_one.states, in_two.states)
        np.testing.assert_array_equal(in_one.states, together[-1])
        np.testing.assert_array_equal(in_one.tally, in_two.tally)
        np.testing.assert_array_equal(in_one.swaps, in_two.swaps)

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
    @pytest.mark.parametrize(("moves", "swaps"), [(1, 1), (20, 1), (29, 1), (31, 2), (100, 5), (130, 6)])
    def test_number_of_moves(self, moves, swaps):
        """As many as asked for, in nearly equal parts between swaps: about five sweeps each."""
        block = make_block(4, [], range(4), {"largest": 0})
        run, same = start_run(block, 2, 0.0), rng()
        run.walk(3, moves)
        # Where nothing is ever refused a move needs three random numbers: its kind, a place, a direction.
        same.bit_generator.advance(3 * (3 * 2 * moves))
        assert run.rng.random() == same.random()
        assert run.swaps[0, 0] == -(-3 * swaps // 2)

    @pytest.mark.kernels
    def test_neighbours_take_turns_in_swapping(self):
        """The first pair and the third, then the second and the fourth."""
        block = make_block(4, [], range(4), {"largest": 0})
        run = start_run(block, 5)
        for n_draws, expected in ((1, [1, 0, 1, 0]), (2, [2, 1, 2, 1]), (3, [4, 2, 4, 2])):
            run.walk(n_draws, 20)
            assert run.swaps[:, 0].tolist() == expected


class TestTally:
    @pytest.mark.kernels
    @pytest.mark.parametrize(("share", "kind", "other"), [(0.0, ADJACENT, RELOCATION), (1.0, RELOCATION, ADJACENT)])
    def test_kinds_of_moves(self, share, kind, other):
        run = start_run(make_block(*SOME_BEFORE), 2, share)
        run.walk(1, 100)
        assert run.tally[kind, 0] >= run.tally[kind, 1] > 0
        assert run.tally[other].sum() == 0

    def test_the_share_of_relocations(self):
        run = order_run(make_block(8, [], range(8), {"largest": 0}), np.arange(8)[None], 0.25)
        run.walk(1, 40_000)
        # Of adjacent moves one in eight leads outside; of relocations by L, L in eight.
        length = np.arange(1, 8)
        outside = (np.log((length + 1) / length) / math.log(8) * length).sum() / 8
        assert run.tally[RELOCATION, 0] == pytest.approx(10_000 * (1 - outside), abs=500)
        assert run.tally[ADJACENT, 0] == pytest.approx(30_000 * 7 / 8, abs=500)

    @pytest.mark.kernels
    def test_equal_scores_are_always_accepted(self):
        run = start_run(make_block(*CASES["no candidates at all"]), 3, 0.5)
        run.walk(10, 20)
        np.testing.assert_array_equal(run.tally[:, 0], run.tally[:, 1])
        np.testing.assert_array_equal(run.swaps[:, 0], run.swaps[:, 1])

    def test_only_moves_at_temperature_1_are_counted(self):
        block = make_block(*SOME_BEFORE)
        cold, alone = start_run(block, 3, betas=[1.0, 0.1, 0.01]), start_run(block, 1)
        cold.walk(200, 20)
        alone.walk(200, 20)
        assert cold.tally[:, 0].sum() == pytest.approx(alone.tally[:, 0].sum(), rel=0.1)
        assert cold.tally[:, 1].sum() == pytest.approx(alone.tally[:, 1].sum(), rel=0.15)
