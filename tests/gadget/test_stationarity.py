"""Each kind of move alone leaves the distribution over layerings as it is, at temperature 1 and at others."""

from functools import cache

import numpy as np
import pytest

from gadget.blocks import DEMANDING, SMALL
from gadget.walking import wander_from
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.levels import parameters
from orderspn.gadget.partition_transitions import BUNCH, MOVES
from reference.order_walk import OrderWalks

BLOCKS = SMALL | DEMANDING
BETAS = (1.0, 0.5)
LISTED = [name for name, block in BLOCKS.items() if block.partitions.n < 4]
"""Blocks of which all pairs of a DAG and an order are few enough for the slow twin of order walks."""
MOVES_MADE = 3
STARTS = 3_000

every_move = pytest.mark.parametrize("kind", MOVES)
every_block = pytest.mark.parametrize("name", BLOCKS)
LARGE = "outsiders in pairs, two before"
"""The slow twin of order walks takes seconds for this one."""


def with_twin(name, kind):
    """A block and a kind of move as parameters."""
    return pytest.param(name, kind, marks=pytest.mark.exhaustive if (name, kind) == (LARGE, "order walk") else ())


every_twin = pytest.mark.parametrize(
    ("name", "kind"),
    [with_twin(name, kind) for name in BLOCKS for kind in MOVES if name in LISTED or kind != "order walk"],
)
every_beta = pytest.mark.parametrize("beta", BETAS)


def only(kind):
    """Cumulated shares by which all moves are of one kind."""
    return np.cumsum([float(kind == other) for other in MOVES])


def drawn_starts(block, beta, count, rng):
    """Numbers of layerings from their exact distribution."""
    return rng.choice(len(block.partitions.layerings), size=count, p=block.partitions.probabilities(beta))


def p_stationary(block, beta, ends):
    exact = dict(zip(block.partitions.layerings, block.partitions.probabilities(beta).tolist(), strict=True))
    return chi_square_p(ends, exact)


def p_after_moves(name, kind, beta, count, moves, seed):
    """p value of layerings some moves after ones drawn exactly; and all scores must be those of the layerings."""
    block, rng = BLOCKS[name], np.random.default_rng(seed)
    starts = np.array(block.partitions.layerings)[drawn_starts(block, beta, count, rng)]
    ends, log_scores = wander_from(starts, moves, only(kind), beta, rng, block.parent_scores)
    assert (ends != starts).any()
    ends = list(map(tuple, ends.tolist()))
    np.testing.assert_allclose(log_scores, [block.partitions.log_masses[levels] for levels in ends], atol=1e-9)
    return p_stationary(block, beta, ends)


@cache
def transitions(name, kind, beta, count=1, **wrong):
    """Matrix of one proposal of a kind; of so many on the same DAG, where it is one between DAGs."""
    partitions = BLOCKS[name].partitions
    if kind == "edge reversal":
        return partitions.reversals(beta, steps=count, **wrong)
    if kind == "order walk":
        return OrderWalks(partitions, beta).transitions(count, **wrong)
    return partitions.transitions(kind, beta, **wrong)


def p_of_steps(name, kind, beta, count, seed):
    """p value of pairs of layerings, one step apart, by the exact matrix of steps."""
    block, rng = BLOCKS[name], np.random.default_rng(seed)
    numbers = drawn_starts(block, beta, count, rng)
    layerings = np.array(block.partitions.layerings)
    ends, _ = wander_from(layerings[numbers], 1, only(kind), beta, rng, block.parent_scores)
    matrix = transitions(name, kind, beta, BUNCH)
    joint = block.partitions.probabilities(beta)[:, None] * matrix
    exact = {
        (a, levels): float(joint[a, b])
        for a in range(len(layerings))
        for b, levels in enumerate(block.partitions.layerings)
        if joint[a, b] > 1e-15
    }
    return chi_square_p(zip(numbers.tolist(), map(tuple, ends.tolist()), strict=True), exact)


@pytest.mark.thorough
class TestMoves:
    """The chains of the package."""

    @every_move
    @pytest.mark.parametrize("beta", parameters(BETAS, test=[1.0]))
    @every_block
    def test_distribution_stays(self, name, beta, kind):
        assert p_after_moves(name, kind, beta, STARTS, MOVES_MADE, seed=0) > THRESHOLD

    @pytest.mark.parametrize("beta", parameters(BETAS, test=[0.5]))
    @every_twin
    def test_steps(self, name, beta, kind):
        """Not only where the chain goes in the end: each step is as probable as the slow twin says."""
        assert p_of_steps(name, kind, beta, STARTS, seed=1) > THRESHOLD


@pytest.mark.kernels
@every_move
@every_beta
@pytest.mark.parametrize(
    "name", parameters(["one before", "some in neither", "no roots but two"], quick=["some in neither"])
)
def test_few_moves(name, beta, kind):
    assert p_after_moves(name, kind, beta, 150, MOVES_MADE, seed=2) > THRESHOLD
    if name in LISTED or kind != "order walk":
        assert p_of_steps(name, kind, beta, 150, seed=3) > THRESHOLD


@pytest.mark.thorough
class TestPower:
    """The same check finds steps that are wrong on purpose, drawn from their exact matrix."""

    def p_of_wrong(self, name, kind, beta, **wrong):
        block, rng = BLOCKS[name], np.random.default_rng(4)
        matrix = np.linalg.matrix_power(transitions(name, kind, beta, **wrong), MOVES_MADE)
        after = np.maximum(block.partitions.probabilities(beta) @ matrix, 0.0)
        ends = rng.choice(len(after), size=STARTS, p=after / after.sum())
        return p_stationary(block, beta, [block.partitions.layerings[end] for end in ends])

    @every_beta
    @every_twin
    def test_twin_is_stationary(self, name, beta, kind):
        p = BLOCKS[name].partitions.probabilities(beta)
        np.testing.assert_allclose(p @ transitions(name, kind, beta), p, atol=1e-13)
        assert self.p_of_wrong(name, kind, beta) > THRESHOLD

    @pytest.mark.parametrize("kind", ["split or merge", "edge reversal"])
    @every_beta
    @every_block
    def test_forgotten_ratio_of_proposals_is_found(self, name, beta, kind):
        assert self.p_of_wrong(name, kind, beta, hastings=0.0) < 1e-3 * THRESHOLD

    @every_beta
    @pytest.mark.parametrize(
        "name", [pytest.param(name, marks=pytest.mark.exhaustive if name == LARGE else ()) for name in LISTED]
    )
    def test_orders_that_are_no_more_than_proposed_are_found(self, name, beta):
        """Without the probabilities of orders a graph would count once for each of them."""
        assert self.p_of_wrong(name, "order walk", beta, exponent=0.0) < 1e-3 * THRESHOLD

    @pytest.mark.parametrize(
        ("name", "kind"),
        [with_twin(name, kind) for name in ("one before", "some in neither", LARGE) for kind in MOVES],
    )
    @every_beta
    def test_factor_that_is_not_symmetric_is_found(self, name, beta, kind):
        assert self.p_of_wrong(name, kind, beta, tilt=0.7) < 1e-3 * THRESHOLD
