"""Proposals: valid layerings, proposed as often as the twin says, with the right Hastings ratio and the right gain."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.blocks import SMALL, WIDE
from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.gadget.layers import accept, gain_of, make_layers
from orderspn.gadget.moves import IMPOSSIBLE, propose_exchange, propose_relocation, propose_split_or_merge
from reference.layers import PROPOSALS, all_layerings, is_layering

MOVES = {"split or merge": propose_split_or_merge, "exchange": propose_exchange, "relocation": propose_relocation}

STATES = [name for name in WIDE if "row 0" not in name]
"""Blocks in which the empty set is always possible."""

every_move = pytest.mark.parametrize("kind", MOVES)
pytestmark = pytest.mark.kernels


class TestProposals:
    """All layerings of four variables."""

    @every_move
    def test_how_often_and_the_ratio(self, kind):
        """What is proposed from every layering, and that the way back is as much more probable as the move says."""
        rng, parent_scores = np.random.default_rng(0), SMALL["complete"].parent_scores
        layerings = all_layerings(4)
        exact = {levels: PROPOSALS[kind](levels) for levels in layerings}
        probabilities, drawn = {}, []
        for levels in layerings:
            state = make_layers(np.array(levels), parent_scores)
            probabilities |= {(levels, new): p / len(layerings) for new, p in exact[levels].items()}
            stays = 1.0 - sum(exact[levels].values())
            if stays > 1e-12:
                probabilities[levels, None] = stays / len(layerings)
            for _ in range(100):
                first, _, log_ratio = MOVES[kind](state, rng)
                if first == IMPOSSIBLE:
                    drawn.append((levels, None))
                    continue
                new = tuple(state.new_level.tolist())
                drawn.append((levels, new))
                wanted = math.log(exact[new][levels] / exact[levels][new])
                assert log_ratio == pytest.approx(wanted, abs=1e-12)
        assert chi_square_p(drawn, probabilities) > THRESHOLD

    @every_move
    def test_twin_is_a_distribution_over_other_layerings(self, kind):
        for levels in all_layerings(4):
            found = PROPOSALS[kind](levels)
            assert set(found) <= set(all_layerings(4)) - {levels}
            assert sum(found.values()) <= 1.0 + 1e-12
            assert all(levels in PROPOSALS[kind](new) for new in found)

    def test_only_splits_and_merges_are_not_symmetric(self):
        for kind, symmetric in (("split or merge", False), ("exchange", True), ("relocation", True)):
            ratios = [
                PROPOSALS[kind](new)[levels] / there
                for levels in all_layerings(4)
                for new, there in PROPOSALS[kind](levels).items()
            ]
            assert (np.ptp(ratios) < 1e-12) == symmetric


class TestGain:
    """The layers that a move names are enough."""

    @every_move
    @given(st.sampled_from(STATES), st.lists(st.integers(0, 4), min_size=5, max_size=5), st.integers(0, 2**32 - 1))
    def test_equals_full_recomputation(self, kind, name, heights, seed):
        block, rng = WIDE[name], np.random.default_rng(seed)
        state = make_layers(np.unique(heights, return_inverse=True)[1], block.parent_scores)
        if state.log_mass.sum() == -math.inf:
            state = make_layers(np.zeros(5, dtype=np.int64), block.parent_scores)
        for _ in range(6):
            first, last, _ = MOVES[kind](state, rng)
            if first == IMPOSSIBLE:
                continue
            new_level = state.new_level.copy()
            assert is_layering(new_level.tolist())
            assert new_level.tolist() != state.level.tolist()
            expected = make_layers(new_level, block.parent_scores)
            gain = gain_of(first, last, state, block.parent_scores)
            wanted = expected.log_mass.sum() - state.log_mass.sum()
            assert gain == pytest.approx(wanted, rel=1e-12, abs=1e-9)
            if gain > -math.inf:
                accept(state)
                assert state.level.tolist() == new_level.tolist()
                np.testing.assert_array_equal(state.sizes, expected.sizes)
                np.testing.assert_allclose(state.log_mass, expected.log_mass, rtol=1e-12, atol=1e-9)
