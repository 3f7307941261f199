"""Orders as times: scores, masks and the draw of one time, against plain sums over sets and lists of intervals."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.leaves.family import Family
from orderspn.search.moves import log_scores
from orderspn.search.times import (
    ALWAYS,
    LEAST,
    MOST,
    NEVER,
    _openers,
    draw_times,
    fill_masks,
    log_score_of_row_0,
    make_moves,
    time_scores_of,
    true_log_score,
)
from reference import times as slow
from search.order_scores import CASES, WITH_NEEDS, WITH_OUTSIDERS, Block, make_block, random_orders

ALL = CASES | WITH_NEEDS

every_case = pytest.mark.parametrize("name", ALL)

UNSEEN = {
    "outsiders that never come before": (8, [1], [0, 3, 5], {"largest": 1, "at_once": 2}),
    "outsiders that always come before": (8, [1, 2, 4, 6, 7], [0, 3, 5], {"largest": 1, "at_once": 2}),
    "single outsiders that never come before": (8, [1], [0, 3, 5], {"largest": 1, "at_once": 1}),
}


def rng(seed=0):
    return np.random.default_rng(seed)


class Timed:
    """A block with times in a given order, and the masks that belong to them."""

    def __init__(self, block, order, seed=0):
        self.block = block
        self.scores = time_scores_of(block.order_scores)
        self.times, self.masks = np.empty(block.n + 2), np.empty(block.n, dtype=np.int64)
        draw_times(np.asarray(order, dtype=np.int64), rng(seed), self.times)
        self.fill()

    def fill(self):
        fill_masks(self.times, self.scores, self.masks)

    @property
    def plain(self):
        """What the slow twins are given, after the times."""
        block = self.block
        return [block.families[v] for v in block.variables], block.variables.tolist(), block.before.tolist()

    def move(self, count, beta, generator):
        make_moves(count, beta, self.times, self.masks, self.scores, generator)

    @property
    def order(self):
        return slow.order_of(self.times[: self.block.n].tolist())

    @property
    def log_score(self):
        return true_log_score(self.times, self.masks, self.scores)


class TestDrawnTimes:
    """Uniform, given their order."""

    @pytest.mark.kernels
    @pytest.mark.parametrize("n", [1, 2, 7])
    def test_they_have_the_order(self, n):
        times = np.empty(n + 2)
        for seed in range(10):
            order = rng(seed).permutation(n)
            draw_times(order, rng(seed), times)
            assert slow.order_of(times[:n].tolist()) == order.tolist()
            assert (times[:n] > 0.0).all()
            assert (times[:n] < 1.0).all()
            assert times[n:].tolist() == [NEVER, ALWAYS]

    @pytest.mark.parametrize("n", [1, 3, 6])
    def test_each_has_the_distribution_of_its_rank(self, n):
        """The k-th smallest of n uniform numbers has a Beta(k, n + 1 - k) distribution, the gaps Beta(1, n)."""
        order, generator = rng(1).permutation(n), rng(2)
        drawn = np.empty((4000, n + 2))
        for times in drawn:
            draw_times(order, generator, times)
        by_rank = drawn[:, order]
        for k in range(n):
            assert stats.kstest(by_rank[:, k], stats.beta(k + 1, n - k).cdf).pvalue > THRESHOLD
        gaps = np.diff(by_rank, axis=1, prepend=0.0, append=1.0)
        for gap in gaps.T:
            assert stats.kstest(gap, stats.beta(1, n).cdf).pvalue > THRESHOLD

    def test_the_check_rejects_times_at_equal_distances(self):
        assert stats.kstest(np.full(100, 0.5), stats.beta(2, 2).cdf).pvalue < THRESHOLD


class TestScores:
    """Masks and scores given times are those of their order."""

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", [*ALL, *UNSEEN])
    def test_every_order(self, name):
        """Impossible orders included."""
        block = make_block(*(ALL | UNSEEN)[name])
        orders = list(itertools.permutations(range(block.n)))
        orders = orders if len(orders) <= 24 else [rng(1).permutation(block.n) for _ in range(24)]
        slow_scores = [block.log_score(order) for order in orders]
        with_places = log_scores(np.array(orders), block.order_scores)
        found = [Timed(block, order, seed).log_score for seed, order in enumerate(orders)]
        np.testing.assert_allclose(found, slow_scores, rtol=1e-12, atol=block.tolerance)
        np.testing.assert_allclose(found, with_places, rtol=1e-12, atol=block.tolerance)

    def test_some_of_these_orders_are_impossible(self):
        for name in ("orders ruled out, 2 at once", "units impossible", *WITH_NEEDS):
            block = make_block(*ALL[name])
            assert 0 < len(block.possible_orders()) < math.factorial(block.n)

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", [*ALL, *UNSEEN])
    def test_masks_and_units(self, name):
        block = make_block(*(ALL | UNSEEN)[name])
        for seed in range(6):
            timed = Timed(block, rng(seed).permutation(block.n), seed)
            families, variables, known = timed.plain
            times = timed.times[: block.n].tolist()
            placed = [slow.before(j, times, variables, known) for j in range(block.n)]
            assert timed.masks.tolist() == list(map(slow.mask_of, families, placed))
            expected = slow.log_score_of_units(times, *timed.plain)
            assert log_score_of_row_0(timed.masks, timed.scores) == pytest.approx(expected, rel=1e-12, abs=1e-10)

    @pytest.mark.kernels
    def test_without_outsiders_units_are_all(self):
        block = make_block(*CASES["five, impossible sets"])
        for order in random_orders(block, 5):
            timed = Timed(block, order)
            assert log_score_of_row_0(timed.masks, timed.scores) == timed.log_score

    @pytest.mark.parametrize("name", [*WITH_OUTSIDERS, *UNSEEN])
    def test_openers(self, name):
        """The variables that a row waits for; one that is always there for none, one that never comes if hopeless."""
        block = make_block(*(WITH_OUTSIDERS | UNSEEN)[name])
        openers, starts = _openers(block.order_scores)
        variables, known, n = block.variables.tolist(), set(block.before.tolist()), block.n
        for j, v in enumerate(variables):
            rows = block.families[v].outsider_rows.tolist()
            for row, outsiders in enumerate(rows):
                lacking = {k for k in outsiders if k >= 0} - known
                expected = {variables.index(k) if k in variables else n for k in lacking}
                assert set(openers[starts[j] + row].tolist()) - {n + 1} == expected

    def test_openers_that_never_or_always_come_are_met(self):
        seen = set()
        for case in UNSEEN.values():
            block = make_block(*case)
            openers, _ = _openers(block.order_scores)
            seen |= set((openers[:, -1] - block.n)[openers[:, -1] >= block.n].tolist())
        assert seen == {0, 1}


class TestSumsOfShares:
    """Shares are summed within bounds, logarithms beyond; rows of one outsider and of two are summed apart."""

    LOG_ROWS = (
        [0.0, 1.0, 2.0, 3.0],
        [0.0, 68.0, 69.0, 70.0],  # just below MOST, just above, beyond
        [0.0, 74.0, 90.0, 700.0],  # about where shares are cut off, and far beyond
        [0.0, -60.0, -200.0, -1000.0],  # lost beside the unit
        [-np.inf, 0.0, -57.0, -58.0],  # no unit: just above LEAST, just below
        [-np.inf, 0.0, -88.0, -101.0],  # of which single precision keeps a few bits
        [-np.inf, -500.0, -90.0, 0.0],
        [-np.inf, 5.0, -np.inf, -800.0],
        [-np.inf, -np.inf, -np.inf, 3.0],
        [-np.inf, -np.inf, -np.inf, -np.inf],
        [0.0, -np.inf, -np.inf, -np.inf],
        [-800.0, -np.inf, -1600.0, -400.0],
    )

    @staticmethod
    def block_of(log_rows, outsiders):
        lonely = [Family(v, np.empty(0, dtype=np.int64), np.zeros(1)) for v in range(3)]
        last = Family(3, np.empty(0, dtype=np.int64), np.array(log_rows), outsider_rows=np.array(outsiders))
        return Block([*lonely, last], [], range(4))

    @pytest.mark.kernels
    @pytest.mark.parametrize("outsiders", [[[0], [1], [2]], [[0, -1], [1, 2], [0, 2]]], ids=["single", "pairs"])
    @pytest.mark.parametrize("log_rows", LOG_ROWS, ids=str)
    def test_each_side_of_the_bounds(self, log_rows, outsiders):
        block = self.block_of(log_rows, outsiders)
        for order in itertools.permutations(range(4)):
            assert Timed(block, order).log_score == pytest.approx(block.log_score(order), rel=1e-7, abs=1e-6)

    def test_both_bounds_are_crossed(self):
        units = {sum(math.exp(min(v, 75.0)) for v in rows) for rows in self.LOG_ROWS}
        assert any(value < LEAST for value in units)
        assert any(LEAST < value < MOST for value in units)
        assert any(value > MOST for value in units)


class TestMoves:
    """One time is drawn anew from its distribution given the others, by the scores without outsiders."""

    @pytest.mark.kernels
    @every_case
    def test_masks_follow_the_times(self, name):
        block = make_block(*ALL[name])
        (start,) = random_orders(block, 1, seed=3)
        timed, generator = Timed(block, start), rng(4)
        for _ in range(15):
            before = timed.times.copy()
            timed.move(1, 0.7, generator)
            masks = timed.masks.copy()
            timed.fill()
            np.testing.assert_array_equal(masks, timed.masks)
            assert (timed.times != before).sum() == 1
            assert timed.times[block.n :].tolist() == [NEVER, ALWAYS]
            assert ((timed.times[: block.n] > 0.0) & (timed.times[: block.n] < 1.0)).all()
            assert log_score_of_row_0(timed.masks, timed.scores) > -math.inf
        timed.move(200, 0.7, generator)
        masks = timed.masks.copy()
        timed.fill()
        np.testing.assert_array_equal(masks, timed.masks)

    @pytest.mark.kernels
    @pytest.mark.parametrize("beta", [1.0, 0.3])
    @every_case
    def test_the_place_by_few_draws(self, name, beta):
        self.check_places(name, beta, 150)

    @pytest.mark.thorough
    @pytest.mark.parametrize("beta", [1.0, 0.3])
    @every_case
    def test_the_place(self, name, beta):
        self.check_places(name, beta, 20_000)

    @staticmethod
    def check_places(name, beta, draws):
        """Which variable moves, between which others, and where in between."""
        block = make_block(*ALL[name])
        (start,) = random_orders(block, 1, seed=5)
        timed, generator = Timed(block, start, 6), rng(7)
        times, masks = timed.times.copy(), timed.masks.copy()
        exact = {j: slow.intervals(j, times[: block.n].tolist(), *timed.plain, beta) for j in range(block.n)}
        expected = {(j, i): own[2] / block.n for j, intervals in exact.items() for i, own in enumerate(intervals)}
        seen, within = [], []
        for _ in range(draws):
            timed.times[:], timed.masks[:] = times, masks
            timed.move(1, beta, generator)
            (j,) = np.flatnonzero(timed.times != times).tolist()
            ((i, begin, end),) = (
                (i, begin, end) for i, (begin, end, _) in enumerate(exact[j]) if begin < timed.times[j] < end
            )
            seen.append((j, i))
            within.append((timed.times[j] - begin) / (end - begin))
        assert chi_square_p(seen, expected) > THRESHOLD
        assert stats.kstest(within, "uniform").pvalue > THRESHOLD

    @pytest.mark.parametrize("name", ["orders ruled out", "needs, 1 at once", "one order by outsiders"])
    def test_where_places_are_impossible(self, name):
        """The cases above have places of probability 0, but for those that are impossible by outsiders alone."""
        block = make_block(*ALL[name])
        (start,) = random_orders(block, 1, seed=5)
        timed = Timed(block, start, 6)
        times = timed.times[: block.n].tolist()
        exact = [own[2] for j in range(block.n) for own in slow.intervals(j, times, *timed.plain, 1.0)]
        assert (min(exact) == 0.0) == (name != "one order by outsiders")

    @pytest.mark.kernels
    def test_same_seed_same_times(self):
        block = make_block(*CASES["few candidates"])
        (start,) = random_orders(block, 1)
        one, two, other = (Timed(block, start) for _ in range(3))
        for timed, seed in ((one, 1), (two, 1), (other, 2)):
            timed.move(50, 1.0, rng(seed))
        np.testing.assert_array_equal(one.times, two.times)
        assert not np.array_equal(one.times, other.times)

    @pytest.mark.kernels
    def test_scores_are_left_as_they_are(self):
        block = make_block(*CASES["units impossible"])
        timed = Timed(block, random_orders(block, 1)[0])
        before = [array.copy() for array in timed.scores]
        timed.move(50, 1.0, rng())
        for old, new in zip(before, timed.scores, strict=True):
            np.testing.assert_array_equal(old, new)

    @pytest.mark.thorough
    @pytest.mark.parametrize("name", ["three, two before", "five, impossible sets", "needs, 0 at once"])
    def test_many_moves_have_the_scores_without_outsiders(self, name):
        """And times that are uniform given their order."""
        block = make_block(*ALL[name])
        timed, generator = Timed(block, random_orders(block, 1)[0]), rng(8)
        orders, first = [], []
        for _ in range(4000):
            timed.move(12 * block.n, 1.0, generator)
            orders.append(tuple(timed.order))
            first.append(timed.times[: block.n].min())
        assert chi_square_p(orders, block.probabilities()) > THRESHOLD
        assert stats.kstest(first, stats.beta(1, block.n).cdf).pvalue > THRESHOLD
