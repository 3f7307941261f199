"""Masses of parent sets with a last parent, against listing the sets; most of all where they are tiny shares."""

import math

import numpy as np
import pytest

from gadget.blocks import WIDE, Block, situations
from helpers.families import random_families
from orderspn.gadget.parent_mass import log_row_mass, log_tau, masks_of
from orderspn.leaves.family import Family
from orderspn.scores.local import NO_OUTSIDERS
from reference.enumeration import log_sum_exp

pytestmark = pytest.mark.kernels

SHARES = [1e-3, 3e-6, 0.9e-6, 1e-6, 1.1e-6, 1e-9, 1e-12, 1e-20, 1e-300]


def family_after(families, log_score, candidates, outsiders=NO_OUTSIDERS):
    """A block of four variables, the last of which has a given family."""
    child = Family(3, np.array(candidates), np.array(log_score, dtype=float), 0.0, outsiders)
    return Block([*families, child], [], [0, 1, 2, 3])


def roots():
    return random_families(np.random.default_rng(0), [[], [], []])


def rare(share, scale=0.0, with_row=False):
    """Variable 3 after 0 and 1, which are before, and 2, which is last: sets with 2 have so small a share of all.

    With a row of its own for the outsider 2, or with 2 as a candidate.
    """
    rng = np.random.default_rng(1)
    common, few = rng.normal(size=4), math.log(share) + rng.normal(size=4)
    common -= np.log(np.exp(common).sum())
    few += math.log(share) - np.log(np.exp(few).sum())
    candidates, outsiders = ([0, 1], np.array([[2]])) if with_row else ([0, 1, 2], NO_OUTSIDERS)
    return family_after(roots(), np.concatenate([common, few]) + scale, candidates, outsiders)


RARE_LEVELS = np.array([0, 0, 1, 2])


class TestAgainstLists:
    """Any families and levels."""

    @pytest.mark.parametrize("name", WIDE)
    def test_masses(self, name):
        block = WIDE[name]
        for j, levels, must in situations(block, 40):
            expected = block.log_tau(j, levels, levels[j], must)
            found = log_tau(j, levels, levels[j], must, block.parent_scores)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-10)

    @pytest.mark.parametrize("name", WIDE)
    def test_rows(self, name):
        """Each row apart, summed and, but where its shares are beyond bounds, by differences."""
        block = WIDE[name]
        for j, levels, must in situations(block, 20, seed=1):
            before, last = masks_of(j, levels, levels[j], block.parent_scores)
            family, listed = block.families[block.variables[j]], block.parent_sets(j, levels, levels[j], must)
            for row in range(family.n_rows):
                arguments = j, row, before, last, levels, levels[j], must
                expected = log_sum_exp([s for number, s in listed.items() if number // family.n_masks == row])
                assert log_row_mass(*arguments, True, block.parent_scores) == pytest.approx(
                    expected, rel=1e-12, abs=1e-10
                )
                if "apart" not in name:
                    found = math.exp(log_row_mass(*arguments, False, block.parent_scores))
                    whole = math.exp(block.log_tau(j, levels, levels[j], False))
                    assert found == pytest.approx(math.exp(expected), rel=1e-12, abs=1e-12 * whole)

    def test_situations_are_of_all_kinds(self):
        """Impossible ones among them, and ones with variables of S_1 that matter."""
        block = WIDE["impossible sets, rows of 0"]
        masses = [block.log_tau(j, levels, levels[j], must) for j, levels, must in situations(block, 40)]
        assert -math.inf in masses
        assert sum(np.isfinite(masses)) > 10
        for name in ("5 candidates, rows of 0", "5 candidates, rows of 2"):
            block = WIDE[name]
            without = Block(block.families, [], block.variables)
            assert any(
                block.log_tau(j, levels, levels[j], must) != without.log_tau(j, levels, levels[j], must)
                for j, levels, must in situations(block, 40)
            )


class TestRareSets:
    """Where sets with a last parent are a small share of all, to six digits at least."""

    @pytest.mark.parametrize("scale", [0.0, -700.0, -5000.0])
    @pytest.mark.parametrize("with_row", [False, True])
    @pytest.mark.parametrize("share", SHARES)
    def test_relative_error(self, share, with_row, scale):
        block = rare(share, scale, with_row)
        found = log_tau(3, RARE_LEVELS, 2, True, block.parent_scores)
        assert found - scale == pytest.approx(math.log(share), abs=1e-6)

    @pytest.mark.parametrize("share", [1e-9, 1e-12, 1e-20, 1e-300])
    def test_subtraction_would_not_do(self, share):
        """Without the careful sum the test above would fail."""
        log_mass = rare(share, -5000.0).families[3].log_mass
        difference = 1.0 - math.exp(log_mass[0b011] - log_mass[0b111])
        assert abs(difference / share - 1.0) > 1e-5

    def test_several_rows_that_nearly_cancel(self):
        """Most of the mass is in rows whose sets have no last parent."""
        rng = np.random.default_rng(2)
        for share in SHARES:
            log_score = rng.normal(size=(3, 2))
            log_score[:, 1] += math.log(share)  # sets with the candidate 2, which is last
            block = family_after(roots(), log_score.ravel(), [2], np.array([[0, -1], [0, 1]]))
            expected = np.log(np.exp(log_score[:, 1]).sum())
            assert log_tau(3, RARE_LEVELS, 2, True, block.parent_scores) == pytest.approx(expected, abs=1e-6)


class TestFarApart:
    """Rows whose masses are hundreds of nats apart, in other ways with the last candidates than without."""

    @pytest.mark.parametrize("depth", [50.0, 99.0, 101.0, 590.0, 610.0, 720.0, 3000.0])
    def test_unit_is_tiny_without_the_last(self, depth):
        """Row 0 without the last candidate is so far below the row of an outsider, and equal to it with it."""
        block = family_after(roots(), [-depth, 0.0, 0.0, 0.0], [2], np.array([[0]]))
        assert log_tau(3, RARE_LEVELS, 2, True, block.parent_scores) == pytest.approx(math.log(2.0), abs=1e-12)

    @pytest.mark.parametrize("depth", [50.0, 99.0, 101.0, 590.0, 610.0, 720.0, 3000.0])
    def test_unit_is_of_another_row_without_the_last(self, depth):
        """Row 0 is impossible without the last candidate, and with it far below the row of an outsider."""
        block = family_after(roots(), [-np.inf, -depth, 0.0, -1.0], [2], np.array([[0]]))
        expected = np.logaddexp(-depth, -1.0)
        assert log_tau(3, RARE_LEVELS, 2, True, block.parent_scores) == pytest.approx(expected, abs=1e-12)
        closed = np.array([3, 0, 1, 2])
        assert log_tau(3, closed, 2, True, block.parent_scores) == pytest.approx(-depth, rel=1e-14)

    @pytest.mark.parametrize("depth", [50.0, 590.0, 720.0, 3000.0])
    def test_only_an_outsider_is_last(self, depth):
        """Its row is so far below row 0, which has no last outsider."""
        block = family_after(roots(), [0.0, 0.0, -depth, -depth], [0], np.array([[2]]))
        found = log_tau(3, RARE_LEVELS, 2, True, block.parent_scores)
        assert found == pytest.approx(math.log(2.0) - depth, rel=1e-14)
