"""Parent sets drawn with a last parent: exactly distributed, and never impossible."""

import math

import numpy as np
import pytest

from gadget.blocks import WIDE, situations
from gadget.test_parent_mass import RARE_LEVELS, SHARES, family_after, rare, roots
from gadget.walking import draw_many, highest, lowest
from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.gadget.parent_draws import draw_parents

every_block = pytest.mark.parametrize("name", WIDE)


def rng(seed=0):
    return np.random.default_rng(seed)


def p_value(block, j, levels, must, count, seed=0):
    listed = block.parent_sets(j, levels, levels[j], must)
    log_total = block.log_tau(j, levels, levels[j], must)
    drawn = draw_many(j, levels, levels[j], must, count, rng(seed), block.parent_scores).tolist()
    if not listed:
        return 1.0 if set(drawn) == {-1} else 0.0
    return chi_square_p(drawn, {number: math.exp(s - log_total) for number, s in listed.items()})


class TestDistribution:
    """Chi-square against exact probabilities."""

    @pytest.mark.thorough
    @every_block
    def test_draws(self, name):
        for j, levels, must in situations(WIDE[name], 12):
            assert p_value(WIDE[name], j, levels, must, 3000) > THRESHOLD

    @pytest.mark.kernels
    @every_block
    def test_few_draws(self, name):
        for j, levels, must in situations(WIDE[name], 2, seed=1):
            assert p_value(WIDE[name], j, levels, must, 150) > THRESHOLD

    @pytest.mark.kernels
    @pytest.mark.parametrize("with_row", [False, True])
    @pytest.mark.parametrize("share", SHARES)
    def test_rare_sets(self, share, with_row):
        assert p_value(rare(share, with_row=with_row), 3, RARE_LEVELS, True, 400) > THRESHOLD

    @pytest.mark.kernels
    @pytest.mark.parametrize("share", SHARES)
    def test_rare_sets_of_several_rows(self, share):
        log_score = rng(2).normal(size=(3, 2))
        log_score[:, 1] += math.log(share)
        block = family_after(roots(), log_score.ravel(), [2], np.array([[0, -1], [0, 1]]))
        assert p_value(block, 3, RARE_LEVELS, True, 400) > THRESHOLD

    @pytest.mark.kernels
    @pytest.mark.parametrize("depth", [50.0, 590.0, 720.0, 3000.0])
    def test_rows_far_apart(self, depth):
        """The row that is far above row 0 without the last candidate, and is as probable as it with it."""
        block = family_after(roots(), [-depth, 0.0, 0.0, 0.0], [2], np.array([[0]]))
        assert p_value(block, 3, RARE_LEVELS, True, 400) > THRESHOLD


class TestPossible:
    """Whatever the generator gives."""

    @pytest.mark.kernels
    @every_block
    def test_extreme_numbers(self, name):
        block = WIDE[name]
        for extreme in (lowest, highest):
            for j, levels, must in situations(block, 20, seed=2):
                drawn = draw_parents(j, levels, levels[j], must, extreme(), block.parent_scores)
                listed = block.parent_sets(j, levels, levels[j], must)
                assert drawn in listed if listed else drawn == -1

    def test_generators_are_extreme(self):
        assert lowest().random(5).tolist() == [0.0] * 5
        assert highest().random(5).tolist() == [1.0 - 2.0**-53] * 5

    @pytest.mark.kernels
    def test_last_row_that_only_rounding_makes_possible(self):
        """Its sets have no last parent, so that its mass is a difference of equals."""
        found = rng(3)
        for _ in range(60):
            log_score = np.array([[*found.normal(size=2)], [found.normal(), -np.inf]])
            block = family_after(roots(), log_score.ravel(), [2], np.array([[0]]))
            assert draw_parents(3, RARE_LEVELS, 2, True, highest(), block.parent_scores) == 1

    @pytest.mark.kernels
    def test_nobody_last(self):
        block = WIDE["5 candidates, rows of 2"]
        levels = np.array([5, 0, 0, 0, 0])
        assert draw_parents(0, levels, 5, True, rng(), block.parent_scores) == -1
        assert draw_parents(0, levels, 5, False, rng(), block.parent_scores) >= 0
