"""Chains from the target over DAGs to that over orders: every one of them samples what its exponents say."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.blocks import DEMANDING, SMALL
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.levels import parameters
from orderspn.chains.run import Run
from orderspn.chains.temperatures import first_betas
from orderspn.gadget.ladder import MOVES, PER_PARENTS, PER_REVERSAL, LadderTransitions, exponents_of
from reference.order_walk import OrderWalks

BLOCKS = SMALL | DEMANDING
BETAS = np.array([1.0, 0.6, 0.3, 0.2])
"""Two chains over pairs and two over orders."""

every_block = pytest.mark.parametrize(
    "name", parameters(BLOCKS, test=["one before", "impossible sets", "outsiders in pairs, two before"])
)


@cache
def twin(block):
    return OrderWalks(block.partitions)


def run_of(block, n_chains, seed=0):
    transitions = LadderTransitions(block.parent_scores, block.order_scores)
    rng = np.random.default_rng(seed)
    start = transitions.start(np.array(twin(block).pairs[0][1]), rng)
    return Run(transitions, np.tile(start, (n_chains, 1)), rng)


def layering_probabilities(block, rho, beta):
    """Of layerings, by pairs: over DAGs and orders with the exponent rho, or over orders at a temperature."""
    pairs, found = twin(block), {}
    log_masses = {order: pairs.log_mass(order) for order in {order for _, order in pairs.pairs}}
    for dag, order in pairs.pairs:
        log_weight = block.partitions.log_score(dag) + rho * pairs.log_probability(dag, order)
        log_weight += (beta - 1.0) * log_masses[order]
        layers = pairs.layers(dag)
        found[layers] = found.get(layers, 0.0) + math.exp(log_weight)
    total = sum(found.values())
    return {layers: weight / total for layers, weight in found.items()}


@pytest.mark.thorough
class TestTargets:
    """All chains of a run, against all pairs of a DAG and an order."""

    @every_block
    def test_every_chain(self, name):
        block = BLOCKS[name]
        run = run_of(block, BETAS.size)
        run.betas = BETAS
        run.walk(10, 100)
        levels, log_scores = run.walk_all(2500, 60)
        rhos, betas = exponents_of(BETAS)
        targets = [(rho, 1.0) for rho in rhos] + [(0.0, beta) for beta in betas]
        for t, (rho, beta) in enumerate(targets):
            drawn = list(map(tuple, levels[:, t].tolist()))
            assert chi_square_p(drawn, layering_probabilities(block, rho, beta)) > THRESHOLD, (rho, beta)
            exact = [block.partitions.log_masses[one] for one in drawn]
            np.testing.assert_allclose(log_scores[:, t], exact, atol=1e-9)
        assert (run.swaps[:, 1] > 0.1 * run.swaps[:, 0]).all()
        assert (run.swaps[:, 1] < run.swaps[:, 0]).any()

    def test_the_first_is_the_target_over_dags(self):
        block = BLOCKS["complete"]
        exact = dict(zip(block.partitions.layerings, block.partitions.probabilities().tolist(), strict=True))
        of_pairs = layering_probabilities(block, 1.0, 1.0)
        np.testing.assert_allclose([of_pairs[one] for one in exact], list(exact.values()), atol=1e-12)

    def test_other_targets_are_told_apart(self):
        block = BLOCKS["complete"]
        run = run_of(block, 2)
        levels, _ = run.walk_all(2500, 60)
        own, other = layering_probabilities(block, 1.0, 1.0), layering_probabilities(block, 0.0, 1.0)
        for t, exact in enumerate((own, other)):
            drawn = list(map(tuple, levels[:, t].tolist()))
            assert chi_square_p(drawn, exact) > THRESHOLD
            assert chi_square_p(drawn, (other, own)[t]) < 1e-3 * THRESHOLD

    def test_one_chain(self):
        block = BLOCKS["one before"]
        levels, _ = run_of(block, 1).walk(2500, 60)
        exact = layering_probabilities(block, 1.0, 1.0)
        assert chi_square_p(map(tuple, levels.tolist()), exact) > THRESHOLD


@pytest.mark.kernels
class TestRuns:
    """What a run keeps."""

    @pytest.mark.parametrize("n_chains", [1, 2, 5])
    def test_counts(self, n_chains):
        run = run_of(BLOCKS["one before"], n_chains)
        levels, log_scores = run.walk(6, 32)
        n_swaps = 6 * 32 // PER_PARENTS  # pieces of at least so many moves
        assert levels.shape == (6, 3)
        assert log_scores.shape == (6,)
        assert run.swaps[:, 0].tolist() == [n_swaps // 2] * (n_chains - 1)
        assert run.transitions.kinds == MOVES
        assert run.tally[:, 0].tolist() == [6 * 32, 6 * 32 // PER_PARENTS, 6 * 32 // PER_REVERSAL]
        assert (run.tally[:, 1] <= run.tally[:, 0]).all()

    @pytest.mark.parametrize("name", ["some in neither", "no roots but two"])
    def test_states_are_pairs(self, name):
        """An order of the DAG, for chains over pairs; and the layers of all."""
        block = BLOCKS[name]
        run = run_of(block, 5)
        run.walk(3, 20)
        n, pairs = block.partitions.n, twin(block)
        dags = block.as_dags(run.states[:, n:])
        for dag, order in list(zip(dags, run.states[:, :n].tolist(), strict=True))[:3]:
            assert pairs.log_probability(dag, tuple(order)) > -math.inf
        assert [tuple(levels) for levels in run.transitions.layers(run.states).tolist()] == list(
            map(pairs.layers, dags)
        )

    def test_seeds(self):
        first, second, other = (run_of(BLOCKS["some in neither"], 4, seed).walk(6, 10)[0] for seed in (0, 0, 1))
        np.testing.assert_array_equal(first, second)
        assert (first != other).any()


class TestExponents:
    """Gaps of any width."""

    @given(st.integers(1, 30), st.integers(1, 300))
    def test_of_first_temperatures(self, n_chains, n):
        rhos, betas = exponents_of(first_betas(n_chains, n))
        assert (rhos.size, betas.size) == ((n_chains + 1) // 2, n_chains // 2)
        assert rhos[0] == 1.0
        assert (betas[:1] == 1.0).all()
        for exponents in (np.append(rhos, 0.0), np.append(betas, 0.0)):
            assert (np.diff(exponents) < 0.0).all()

    @given(st.lists(st.floats(0.02, 0.7), min_size=1, max_size=20), st.data())
    def test_a_wider_gap_is_wider(self, gaps, data):
        """And leaves ends where they are."""
        which = data.draw(st.integers(0, len(gaps) - 1))
        wider = [gap * 1.5 if i == which else gap for i, gap in enumerate(gaps)]
        before, after = (np.exp(-np.concatenate([[0.0], np.cumsum(some)])) for some in (gaps, wider))
        n_pairs = (len(gaps) + 2) // 2
        place, at = (0, which) if which < n_pairs else (1, which - n_pairs)
        first, second = exponents_of(before)[place], exponents_of(after)[place]
        if place == 0 and n_pairs > 1:
            widths = [-np.diff(np.append(rhos, 0.0))[at] for rhos in (first, second)]
            assert widths[1] > widths[0] - 1e-12
        elif place == 1:
            assert second[at] / second[at + 1] > first[at] / first[at + 1]
