"""The state of a chain and its one move, against scores by listing parent sets."""

import itertools
import math

import numpy as np
import pytest

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.search.moves import (
    LEAST,
    MOST,
    empty_state,
    gain_of,
    log_mass,
    log_scores,
    make_move,
    make_state,
    put_before,
)
from orderspn.search.order_scores import all_order_scores
from search.order_scores import CASES, WITH_OUTSIDERS, Block, make_block, random_orders

NO_GAINS = np.empty(0)

every_case = pytest.mark.parametrize("name", CASES)


def moved(order, p, q):
    order = list(order)
    order.insert(q, order.pop(p))
    return order


def copied(state):
    return type(state)(*(array.copy() for array in state))


def assert_same(state, other, tolerance):
    """Same order and predecessors; the same masses up to the order of additions."""
    for name in ("order", "masks", "lacking", "opened"):
        np.testing.assert_array_equal(getattr(state, name), getattr(other, name), err_msg=name)
    np.testing.assert_allclose(state.current, other.current, rtol=1e-12, atol=tolerance)
    np.testing.assert_allclose(state.totals, other.totals, rtol=tolerance, atol=1e-30)


class TestState:
    """Masses of the variables of an order."""

    @pytest.mark.kernels
    @every_case
    def test_masses(self, name):
        block = make_block(*CASES[name])
        for order in random_orders(block, 4):
            state = make_state(order, block.order_scores)
            assert state.order.tolist() == order.tolist()
            np.testing.assert_allclose(state.current, block.log_masses(order), rtol=1e-12, atol=block.tolerance)

    @pytest.mark.kernels
    @every_case
    def test_every_order(self, name):
        """Impossible orders included."""
        block = make_block(*CASES[name])
        rng = np.random.default_rng(1)
        orders = np.array([rng.permutation(block.n) for _ in range(12)])
        expected = [block.log_score(order) for order in orders]
        np.testing.assert_allclose(log_scores(orders, block.order_scores), expected, rtol=1e-12, atol=block.tolerance)

    def test_some_orders_are_impossible(self):
        for name in ("orders ruled out", "orders ruled out, 2 at once", "units impossible"):
            block = make_block(*CASES[name])
            n_orders = math.factorial(block.n)
            assert 0 < len(block.possible_orders()) < n_orders

    @pytest.mark.kernels
    @every_case
    def test_who_comes_before_is_put_there_and_taken_away_exactly(self, name):
        block = make_block(*CASES[name])
        state, begin = empty_state(block.order_scores), empty_state(block.order_scores)
        pairs = list(itertools.permutations(range(block.n), 2))
        chosen = [pairs[i] for i in np.random.default_rng(2).permutation(len(pairs))]
        states = []
        for j, other in chosen:
            states.append(copied(state))
            put_before(j, other, 1, state, block.order_scores)
        for (j, other), old in zip(reversed(chosen), reversed(states), strict=True):
            put_before(j, other, -1, state, block.order_scores)
            for field in ("masks", "lacking", "opened"):
                np.testing.assert_array_equal(getattr(state, field), getattr(old, field))
        np.testing.assert_array_equal(state.opened, begin.opened)

    @pytest.mark.kernels
    @every_case
    def test_any_predecessors(self, name):
        """Not only those of an order: what greedy orders and edges ask for."""
        block = make_block(*CASES[name])
        rng = np.random.default_rng(3)
        for j in range(block.n):
            before = [k for k in range(block.n) if k != j and rng.random() < 0.5]
            state = empty_state(block.order_scores)
            for k in before:
                put_before(j, k, 1, state, block.order_scores)
            rest = [k for k in range(block.n) if k != j and k not in before]
            expected = block.log_masses([*before, j, *rest])[j]
            assert log_mass(j, state, block.order_scores) == pytest.approx(expected, rel=1e-12, abs=block.tolerance)

    @pytest.mark.kernels
    def test_order_scores_are_left_as_it_is(self):
        block = make_block(*CASES["units impossible"])
        before = [array.copy() for array in block.order_scores]
        state = make_state(random_orders(block, 1)[0], block.order_scores)
        gain_of(0, block.n - 1, state, block.order_scores, NO_GAINS)
        for old, new in zip(before, block.order_scores, strict=True):
            np.testing.assert_array_equal(old, new)


class TestMoves:
    """The gain of a move is the difference of two scores, and the state follows."""

    @pytest.mark.kernels
    @every_case
    def test_every_move(self, name):
        block = make_block(*CASES[name])
        for start in random_orders(block, 2, seed=4):
            begin = make_state(start, block.order_scores)
            begin_score = block.log_score(start)
            for p, q in itertools.permutations(range(block.n), 2):
                after = moved(start, p, q)
                expected = block.log_masses(after)
                state = copied(begin)
                gain = gain_of(p, q, state, block.order_scores, NO_GAINS)
                assert gain == pytest.approx(expected.sum() - begin_score, rel=1e-10, abs=block.tolerance)
                for field in ("order", "masks", "lacking", "opened", "current", "totals"):
                    np.testing.assert_array_equal(getattr(state, field), getattr(begin, field), err_msg=field)
                make_move(p, q, state, block.order_scores)
                assert state.order.tolist() == after
                assert_same(state, make_state(np.array(after), block.order_scores), block.tolerance)

    @pytest.mark.kernels
    @every_case
    def test_gains_of_all_places_on_the_way(self, name):
        block = make_block(*CASES[name])
        (start,) = random_orders(block, 1, seed=5)
        begin_score = block.log_score(start)
        for p, q in itertools.permutations(range(block.n), 2):
            state = make_state(start, block.order_scores)
            gains = np.full(block.n, np.nan)
            last = gain_of(p, q, state, block.order_scores, gains)
            assert gains[q] == last
            step = 1 if q > p else -1
            way = list(range(p + step, q + step, step))
            expected = [block.log_score(moved(start, p, place)) - begin_score for place in way]
            np.testing.assert_allclose(gains[way], expected, rtol=1e-10, atol=block.tolerance)
            assert np.isnan(np.delete(gains, way)).all()

    @pytest.mark.kernels
    @pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("one")])
    def test_a_long_way(self, name):
        """Many moves in a row leave the state of the last order."""
        block = make_block(*CASES[name])
        (start,) = random_orders(block, 1, seed=6)
        state = make_state(start, block.order_scores)
        rng = np.random.default_rng(7)
        made = 0
        for _ in range(200):
            p, q = rng.choice(block.n, size=2, replace=False)
            if gain_of(p, q, state, block.order_scores, NO_GAINS) > -np.inf:
                make_move(p, q, state, block.order_scores)
                made += 1
        assert_same(state, make_state(state.order, block.order_scores), block.tolerance)
        assert state.current.sum() == pytest.approx(block.log_score(state.order), rel=1e-12, abs=block.tolerance)
        assert made > 0


class TestSumsOfShares:
    """Shares are summed in single precision within bounds, logarithms beyond; rows may be impossible."""

    @staticmethod
    def block_of(log_rows):
        """Variable 3 with no candidates and a row for each of the others, the last with both 0 and 1."""
        outsiders = np.array([[0, -1], [1, -1], [2, -1], [0, 1]])
        lonely = [Family(v, np.empty(0, dtype=np.int64), np.zeros(1)) for v in range(3)]
        families = [*lonely, Family(3, np.empty(0, dtype=np.int64), np.array(log_rows), outsider_rows=outsiders)]
        return Block(families, [], range(4))

    @pytest.mark.kernels
    @pytest.mark.parametrize(
        "log_rows",
        [
            [0.0, 1.0, 2.0, 3.0, 4.0],
            [0.0, 60.0, 68.0, 69.0, 70.0],  # within the bounds, just below MOST, just above, beyond
            [0.0, 74.0, 76.0, 90.0, 700.0],  # about where shares are cut off, and far beyond
            [0.0, -60.0, -90.0, -200.0, -1000.0],  # lost in single precision beside the unit
            [-np.inf, 0.0, -57.0, -58.0, -3.0],  # no unit: just above LEAST, just below
            [-np.inf, 0.0, -80.0, -88.0, -110.0],  # shares near the smallest number, and below
            [-np.inf, 0.0, -98.0, -100.0, -101.0],  # of which single precision keeps a few bits
            [-np.inf, -500.0, -90.0, -700.0, 0.0],
            [-np.inf, 5.0, -np.inf, -800.0, -np.inf],
            [-np.inf, -np.inf, -np.inf, -np.inf, 3.0],
            [-np.inf, -np.inf, -np.inf, -np.inf, -np.inf],
            [0.0, -np.inf, -np.inf, -np.inf, -np.inf],
            [-800.0, -np.inf, -np.inf, -1600.0, -400.0],
        ],
    )
    def test_each_side_of_the_bounds(self, log_rows):
        block = self.block_of(log_rows)
        for size in range(4):
            for before in itertools.permutations(range(3), size):
                order = [*before, 3, *(v for v in range(3) if v not in before)]
                state = make_state(np.array(order), block.order_scores)
                expected = block.log_masses(order)[3]
                assert state.current[3] == pytest.approx(expected, rel=1e-7, abs=1e-6)

    def test_the_bounds_are_met_by_these_cases(self):
        """Of the random cases some sums are within the bounds, below, above, and zero."""
        seen = set()
        for name in WITH_OUTSIDERS:
            block = make_block(*CASES[name])
            order_scores = block.order_scores
            for order in random_orders(block, 10):
                state = make_state(order, order_scores)
                for j in range(block.n):
                    _, n_rows, first = order_scores.lines[j]
                    if n_rows > 1:
                        start = first + state.masks[j] * n_rows
                        shares = order_scores.share[start : start + n_rows] * state.opened[j, :n_rows]
                        total = float(shares.sum())
                        seen.add("below" if total <= LEAST else "above" if total >= MOST else "within")
        assert seen == {"below", "above", "within"}

    @pytest.mark.kernels
    def test_hundreds_of_large_shares_do_not_overflow(self):
        """All shares at their bound at once."""
        d = 300
        outsiders = np.arange(1, d)[:, None]
        no_variables = np.empty(0, dtype=np.int64)
        first = Family(0, no_variables, np.concatenate([[0.0], np.full(d - 1, 500.0)]), outsider_rows=outsiders)
        families = [first, *(Family(v, no_variables, np.zeros(1)) for v in range(1, d))]
        order_scores = all_order_scores(LeafTables.of(families, Workers(1)))
        state = make_state(np.roll(np.arange(d), -1), order_scores)
        assert state.current[0] == pytest.approx(500.0 + math.log(d - 1), rel=1e-12)

    @staticmethod
    def with_outsiders(log_rows):
        """Variable 0 with no candidates and a row for each of the others."""
        d = len(log_rows)
        no_variables = np.empty(0, dtype=np.int64)
        first = Family(0, no_variables, np.array(log_rows), outsider_rows=np.arange(1, d)[:, None])
        return Block([first, *(Family(v, no_variables, np.zeros(1)) for v in range(1, d))], [], range(d))

    @pytest.mark.kernels
    @pytest.mark.parametrize("ratio", [2.0, 10.0, 20.0, 50.0, 98.0, 102.0, 1e4])
    @pytest.mark.parametrize("largest_first", [True, False])
    def test_rows_closed_one_after_the_other_leave_no_rounding(self, ratio, largest_first):
        """Each has a large part of the sum that is left; together they have nearly all of the first one."""
        block = self.with_outsiders(math.log(ratio) * np.arange(14 if ratio < 1e3 else 7))
        n = block.n
        closing = range(n - 1, 0, -1) if largest_first else range(1, n)
        state = make_state(np.array([*reversed(closing), 0]), block.order_scores)
        for left in range(n - 1, 0, -1):
            # The last of those before 0 goes to the end.
            assert state.order[left - 1] != 0
            gain_of(left - 1, n - 1, state, block.order_scores, NO_GAINS)
            make_move(left - 1, n - 1, state, block.order_scores)
            assert state.current[0] == pytest.approx(block.log_masses(state.order)[0], rel=1e-6, abs=1e-5)

    @pytest.mark.kernels
    @pytest.mark.parametrize("ratio", [10.0, 50.0, 98.0])
    def test_rows_opened_and_closed_many_times_leave_no_rounding(self, ratio):
        block = self.with_outsiders(math.log(ratio) * np.arange(12))
        state = make_state(np.arange(12), block.order_scores)
        rng = np.random.default_rng(8)
        for _ in range(300):
            p, q = rng.choice(12, size=2, replace=False)
            gain_of(p, q, state, block.order_scores, NO_GAINS)
            make_move(p, q, state, block.order_scores)
            assert state.current[0] == pytest.approx(block.log_masses(state.order)[0], rel=1e-6, abs=1e-5)
