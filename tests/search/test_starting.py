"""Orders to begin with: greedy ones, and those improved variable by variable."""

import itertools
import math

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.core.errors import InvalidValue
from orderspn.search.moves import gain_of, make_state
from orderspn.search.starting import (
    NO_GAIN,
    good_order,
    greedy_order,
    improved,
    possible_order,
    random_possible_orders,
)
from search.order_scores import CASES, Block, make_block, make_families, random_orders

every_case = pytest.mark.parametrize("name", CASES)

CHAIN = [(v, v + 1) for v in range(8)]
CIRCLE = [(0, 1), (1, 2), (2, 0)]


def rng(seed=0):
    return np.random.default_rng(seed)


def greedy_by_listing(block, first):
    """Place next the variable that loses least by having no later one before it; None if none is possible."""
    variables = range(block.n)
    crowded = [block.log_masses([*(k for k in variables if k != j), j])[j] for j in variables]
    order = []
    while len(order) < block.n:
        rest = [j for j in variables if j not in order]
        waiting = [j for j in rest if first[j]] or rest
        now = {j: block.log_masses([*order, j, *(k for k in rest if k != j)])[j] for j in waiting}
        possible = [j for j in waiting if now[j] > -math.inf]
        if not possible:
            return None
        order.append(min(possible, key=lambda j: crowded[j] - now[j]))
    return order


class TestGreedyOrders:
    @pytest.mark.kernels
    @every_case
    def test_it_places_whom_it_costs_least(self, name):
        """Costs closer than single precision would be a tie; these cases have none."""
        block = make_block(*CASES[name])
        variables = np.ones(block.n, dtype=bool)
        found = greedy_order(block.order_scores, variables)
        if "no candidates at all" not in name:
            assert found.tolist() == greedy_by_listing(block, variables)
        assert sorted(found.tolist()) == list(range(block.n))
        assert block.log_score(found) > -math.inf

    @pytest.mark.kernels
    @every_case
    def test_who_is_marked_comes_first(self, name):
        block = make_block(*CASES[name])
        possible = block.possible_orders()
        for marks in itertools.product([False, True], repeat=block.n):
            first = np.array(marks)
            found = greedy_order(block.order_scores, first)
            allowed = [order for order in possible if first[list(order[: first.sum()])].all()]
            assert (found is None) == (not allowed)
            if found is not None:
                assert tuple(found.tolist()) in allowed

    def test_a_chain_of_requirements_is_followed(self):
        for kind in ({"required": CHAIN}, {"demanded": CHAIN, "at_once": 1}, {"demanded": CHAIN, "at_once": 2}):
            block = make_block(9, [], range(9), kind)
            assert greedy_order(block.order_scores, np.ones(9, dtype=bool)).tolist() == list(range(9))
            assert good_order(block.order_scores).tolist() == list(range(9))

    @pytest.mark.parametrize("kind", [{"required": CIRCLE}, {"demanded": CIRCLE, "at_once": 1}])
    def test_no_possible_order(self, kind):
        block = make_block(5, [4], [0, 1, 2, 3], kind)
        assert greedy_order(block.order_scores, np.ones(4, dtype=bool)) is None
        assert good_order(block.order_scores) is None
        with pytest.raises(InvalidValue, match="no order of 4 of the variables is possible"):
            possible_order(np.arange(4), block.order_scores)

    def test_outsiders_that_are_neither_before_nor_in_the_block(self):
        """A required one makes all orders of the block impossible."""
        families = make_families(5, 4, at_once=1, demanded=[(4, 2)])
        assert good_order(Block(families, [], [0, 1, 2, 3]).order_scores) is None
        assert good_order(Block(families, [4], [0, 1, 2, 3]).order_scores) is not None


class TestImprovedOrders:
    @pytest.mark.kernels
    @every_case
    def test_the_score_never_falls(self, name):
        block = make_block(*CASES[name])
        for start in random_orders(block, 5, seed=1):
            kept = start.copy()
            scores = [block.log_score(start)]
            scores += [block.log_score(improved(start, block.order_scores, sweeps)) for sweeps in (0, 1, 2, 10)]
            assert (np.diff(scores) >= -2 * block.tolerance).all()
            np.testing.assert_array_equal(start, kept)

    @pytest.mark.kernels
    @every_case
    def test_no_move_of_one_variable_improves_it(self, name):
        block = make_block(*CASES[name])
        starts = [*random_orders(block, 3, seed=2), good_order(block.order_scores)]
        for start in starts:
            end = improved(start, block.order_scores, 1000)
            assert sorted(end.tolist()) == list(range(block.n))
            score = block.log_score(end)
            for p, q in itertools.permutations(range(block.n), 2):
                neighbour = end.tolist()
                neighbour.insert(q, neighbour.pop(p))
                assert block.log_score(neighbour) <= score + NO_GAIN + block.tolerance
                state = make_state(end, block.order_scores)
                assert gain_of(p, q, state, block.order_scores, np.empty(0)) <= 2 * NO_GAIN

    @pytest.mark.kernels
    def test_each_variable_takes_its_best_place(self):
        """In one sweep, the first variable first; by listing all its places."""
        for name in ("five, impossible sets", "few candidates", "scores hundreds apart"):
            block = make_block(*CASES[name])
            (start,) = random_orders(block, 1, seed=3)
            order = start.tolist()
            for variable in range(block.n):
                rest = [v for v in order if v != variable]
                places = [[*rest[:place], variable, *rest[place:]] for place in range(block.n)]
                best = max(places, key=block.log_score)
                if block.log_score(best) > block.log_score(order) + NO_GAIN:
                    order = best
            assert improved(start, block.order_scores, 1).tolist() == order

    @pytest.mark.parametrize("at_once", [0, 1, 2])
    @pytest.mark.parametrize("seed", range(5))
    def test_it_is_better_than_most_orders(self, seed, at_once):
        block = make_block(9, [8], range(8), {"seed": seed, "at_once": at_once})
        start = block.log_score(good_order(block.order_scores))
        others = np.array([block.log_score(rng(s).permutation(8)) for s in range(100)])
        assert (start >= others - 1e-9).mean() >= 0.97


class TestPossibleOrders:
    @pytest.mark.kernels
    @every_case
    def test_possible_ones_stay(self, name):
        block = make_block(*CASES[name])
        for order in itertools.islice(itertools.permutations(range(block.n)), 30):
            found = possible_order(np.array(order), block.order_scores)
            if block.log_score(order) > -math.inf:
                assert found.tolist() == list(order)
            else:
                assert found.tolist() == good_order(block.order_scores).tolist()
                assert block.log_score(found) > -math.inf


def random_order_probabilities(block):
    """Each next variable is uniformly distributed among the possible ones."""
    ends, begun = {}, {(): 1.0}
    while begun:
        order, probability = begun.popitem()
        rest = [j for j in range(block.n) if j not in order]
        if not rest:
            ends[order] = probability
            continue
        possible = [j for j in rest if block.log_masses([*order, j, *(k for k in rest if k != j)])[j] > -math.inf]
        begun |= {(*order, j): probability / len(possible) for j in possible}
    return ends


class TestRandomOrders:
    @pytest.mark.kernels
    @pytest.mark.parametrize("required", [(), [(0, 1)], [(0, 1), (1, 2), (0, 3)]])
    def test_next_variables_are_uniform_among_the_possible(self, required):
        block = Block(make_families(4, 4, required=required, seed=1), [], range(4))
        expected = random_order_probabilities(block)
        assert sum(expected.values()) == pytest.approx(1.0)
        assert len(expected) == math.factorial(4) if not required else 1 < len(expected) < math.factorial(4)
        orders = random_possible_orders(block.order_scores, 2000, rng())
        assert chi_square_p([tuple(order) for order in orders.tolist()], expected) > THRESHOLD

    def test_nobody_can_come_first(self):
        block = Block(make_families(3, 3, required=CIRCLE), [], range(3))
        assert random_possible_orders(block.order_scores, 5, rng()) is None
