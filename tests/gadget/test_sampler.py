"""Whole runs: tempered chains and DAGs of their partitions, against all DAGs; sizes, seeds and deadlines."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from arviz_stats.base.array import array_stats

from gadget.blocks import ONE, SMALL, Block, complete
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.families import random_families
from helpers.levels import parameters
from orderspn.chains.run import Run
from orderspn.chains.sample import LEAST_DRAWS
from orderspn.core.deadline import Deadline
from orderspn.core.workers import Workers
from orderspn.dags.exact_dags import ExactDags
from orderspn.gadget.ladder import LadderTransitions
from orderspn.gadget.partition_transitions import BUNCH, SHARES, PartitionTransitions
from orderspn.gadget.sampler import SEGMENTS, SWEEPS, USUAL_BURN_IN, GadgetEffort, adjacency_of, sample_dags
from orderspn.leaves.family import Family
from search.clocks import LONG_AGO, NEVER, AfterChecks

every_block = pytest.mark.parametrize(
    "name", parameters(SMALL, test=["one before", "impossible sets", "outsiders in pairs, two before"])
)


@dataclass(eq=False)
class Clock(AfterChecks):
    """Passed from a given number of checks on."""

    checks: int
    seen: int = 0


def partitions_of(block):
    return PartitionTransitions(block.parent_scores)


def ladder_of(block):
    return LadderTransitions(block.parent_scores, block.order_scores)


both_kinds = pytest.mark.parametrize("chains_of", [partitions_of, ladder_of])


def sample(transitions, n_dags, effort, seed=0, workers=ONE, deadline=NEVER):
    rng = np.random.default_rng(seed)
    orders = np.array([[rng.permutation(transitions.n) for _ in range(effort.chains)] for _ in range(effort.runs)])
    return sample_dags(transitions, orders, n_dags, effort, np.random.SeedSequence(seed), workers, deadline)


class TestPartitionRun:
    """Several temperatures."""

    @pytest.mark.thorough
    @every_block
    def test_partitions_at_temperature_one(self, name):
        block = SMALL[name]
        start = np.array(block.partitions.layerings[0])
        run = Run(PartitionTransitions(block.parent_scores), np.tile(start, (3, 1)), np.random.default_rng(0))
        run.betas = np.array([1.0, 0.6, 0.3])
        run.walk(10, 100)
        levels, log_scores = run.walk(3000, 60)
        exact = dict(zip(block.partitions.layerings, block.partitions.probabilities().tolist(), strict=True))
        ends = list(map(tuple, levels.tolist()))
        assert chi_square_p(ends, exact) > THRESHOLD
        np.testing.assert_allclose(log_scores, [block.partitions.log_masses[end] for end in ends], atol=1e-9)
        assert (run.swaps[:, 1] > 0.1 * run.swaps[:, 0]).all()
        assert (run.swaps[:, 1] < run.swaps[:, 0]).any()

    @pytest.mark.kernels
    def test_counts(self):
        """Moves of the chain at 1, by kind; a draw after every so many."""
        block = SMALL["one before"]
        starts = np.zeros((4, 3), dtype=np.int64)
        run = Run(PartitionTransitions(block.parent_scores), starts, np.random.default_rng(1))
        levels, log_scores = run.walk(20, 30)
        assert levels.shape == (20, 3)
        assert log_scores.shape == (20,)
        assert run.swaps[:, 0].tolist() == [300, 300, 300]  # after every move, even and odd pairs by turns
        assert 600 <= run.tally[:, 0].sum() < 600 + BUNCH
        assert (run.tally[:, 1] <= run.tally[:, 0]).all()
        assert (starts == 0).all()
        assert run.states[0].tolist() == levels[-1].tolist()

    def test_shares_of_moves(self):
        run = Run(
            PartitionTransitions(complete(4).parent_scores), np.zeros((1, 4), dtype=np.int64), np.random.default_rng(2)
        )
        run.walk(10, 20_000)
        tried = run.tally[:, 0] / run.tally[:, 0].sum()
        np.testing.assert_allclose(tried, SHARES, atol=0.01)

    @pytest.mark.kernels
    def test_burn_in_adapts_temperatures_and_walking_does_not(self):
        run = Run(
            PartitionTransitions(complete(4).parent_scores), np.zeros((3, 4), dtype=np.int64), np.random.default_rng(3)
        )
        first = run.betas.copy()
        assert run.burn_in(5, 20).shape == (5,)
        second = run.betas.copy()
        run.walk(5, 20)
        assert second[0] == 1.0
        assert (np.diff(second) < 0.0).all()
        assert (second[1:] != first[1:]).all()
        np.testing.assert_array_equal(run.betas, second)
        assert run.swaps[:, 0].tolist() == [25, 25]  # none of the burn-in


class TestDags:
    """What a sample is for."""

    @pytest.mark.thorough
    @both_kinds
    @every_block
    def test_against_all_dags(self, name, chains_of):
        block = SMALL[name]
        found = sample(chains_of(block), 2000, GadgetEffort(runs=2, chains=3, iterations=100_000))
        drawn = block.as_dags(found.parent_sets)
        assert len(drawn) == 2000
        assert chi_square_p(drawn, block.partitions.dag_probabilities()) > THRESHOLD
        expected = [block.partitions.log_score(dag) for dag in drawn]
        np.testing.assert_allclose(found.log_scores, expected, atol=1e-10)

    @pytest.mark.thorough
    @both_kinds
    def test_edges_of_ten_variables(self, chains_of):
        """Against sums over all DAGs of ten variables, in Monte Carlo standard errors."""
        families = ten_variables()
        effort = GadgetEffort(runs=4, chains=3, iterations=40_000)
        found = sample(chains_of(Block(families, [], list(range(10)))), 2000, effort, seed=1)
        assert found.partitions.kept.all()
        edges = adjacency_of(families, found.parent_sets).astype(float)
        exact = np.array(
            [
                family.edge_marginals(p, 10)
                for family, p in zip(families, ExactDags(families, ONE).parent_set_probabilities(), strict=True)
            ]
        ).T
        uncertain = np.minimum(exact, 1.0 - exact) > 0.01
        assert uncertain.sum() > 40
        traces = edges[:, uncertain].reshape(4, -1, uncertain.sum())
        sizes = array_stats.ess(traces, chain_axis=0, draw_axis=1, method="mean")
        assert sizes.min() > 200
        errors = np.sqrt(exact * (1.0 - exact))[uncertain] / np.sqrt(np.minimum(sizes, len(edges)))
        z = (edges.mean(axis=0) - exact)[uncertain] / errors
        assert abs(z).max() < 4.5
        assert 0.6 < np.sqrt((z**2).mean()) < 1.4

    @pytest.mark.kernels
    @both_kinds
    @pytest.mark.parametrize("name", ["one before", "some in neither"])
    def test_few(self, name, chains_of):
        block = SMALL[name]
        found = sample(chains_of(block), 40, GadgetEffort(runs=2, chains=2, iterations=400))
        for dag, levels in zip(block.as_dags(found.parent_sets), found.partitions.all_states, strict=True):
            number = block.partitions.number[dag]  # no cycle, and possible
            assert block.partitions.layers[number] == tuple(levels.tolist())

    @pytest.mark.kernels
    def test_matrices(self):
        block = SMALL["outsiders alone"]
        numbers = [[min(i, family.log_score.size - 1) for family in block.families] for i in range(4)]
        for graph, row in zip(adjacency_of(block.families, np.array(numbers)), numbers, strict=True):
            for effect, family in enumerate(block.families):
                assert np.flatnonzero(graph[:, effect]).tolist() == family.members(row[effect]).tolist()


def ten_variables():
    """Scores that prefer few parents, so that there are many graphs of some weight."""
    rng = np.random.default_rng(0)
    families = random_families(rng, [[v for v in range(10) if v != child] for child in range(10)], 1.0)
    sizes = np.bitwise_count(np.arange(512, dtype=np.uint64)).astype(float)
    pulls = rng.normal(scale=1.5, size=(10, 9))
    bits = (np.arange(512)[:, None] >> np.arange(9)) & 1
    return [
        Family(f.child, f.candidates, f.log_score - 2.0 * sizes + bits @ pulls[f.child], 0.0, f.outsider_rows)
        for f in families
    ]


class TestSizesSeedsAndDeadlines:
    """What is asked for is what comes back."""

    EFFORT = GadgetEffort(runs=3, chains=2, iterations=300)

    @pytest.mark.kernels
    @both_kinds
    @pytest.mark.parametrize(("n_dags", "n_draws"), [(1, LEAST_DRAWS), (30, 10), (31, 11)])
    def test_sizes(self, n_dags, n_draws, chains_of):
        transitions = chains_of(SMALL["one before"])
        found = sample(transitions, n_dags, self.EFFORT)
        assert found.partitions.states.shape == (3, n_draws, 3)
        assert found.partitions.log_scores.shape == (3, n_draws)
        assert found.parent_sets.shape == (3 * n_draws, 3)
        assert found.log_scores.shape == (3 * n_draws,)
        assert list(found.acceptance) == list(transitions.kinds)
        assert all(0.0 <= rate <= 1.0 for rate in [*found.acceptance.values(), *found.swaps])
        assert len(found.swaps) == 1

    @both_kinds
    @pytest.mark.parametrize("name", ["complete", "some in neither"])
    def test_threads_do_not_matter(self, name, chains_of):
        first, *others = [sample(chains_of(SMALL[name]), 900, self.EFFORT, workers=Workers(n)) for n in (1, 2, 3)]
        for other in others:
            assert_same(first, other)

    @pytest.mark.kernels
    @both_kinds
    def test_seeds(self, chains_of):
        transitions = chains_of(SMALL["complete"])
        first, second, other = (sample(transitions, 60, self.EFFORT, seed) for seed in (0, 0, 1))
        assert_same(first, second)
        assert (first.parent_sets != other.parent_sets).any()

    @pytest.mark.kernels
    @both_kinds
    def test_deadline_long_ago(self, chains_of):
        """Enough to compare runs, and no more."""
        transitions = chains_of(SMALL["one before"])
        for n_dags in (12, 90, 300):
            found = sample(transitions, n_dags, self.EFFORT, deadline=LONG_AGO)
            assert found.partitions.states.shape[:2] == (3, LEAST_DRAWS)
            assert len(found.parent_sets) == 3 * LEAST_DRAWS

    @pytest.mark.kernels
    @both_kinds
    def test_deadline_on_the_way(self, chains_of):
        """One look at the clock after every segment of the burn-in, and after every piece."""
        transitions = chains_of(SMALL["one before"])
        for pieces in (1, 3, 7):
            found = sample(transitions, 300, self.EFFORT, deadline=Clock(SEGMENTS + pieces))
            assert found.partitions.states.shape[:2] == (3, 10 * pieces)

    @pytest.mark.kernels
    def test_deadline_in_the_burn_in(self):
        """What was sampled is the beginning of nothing else: fewer segments, other partitions, the same sizes."""
        progress = []
        workers = Workers(1, lambda *step: progress.append(step))
        sample(partitions_of(SMALL["one before"]), 30, self.EFFORT, workers=workers, deadline=Clock(2))
        by_work = {work: list(steps) for work, steps in itertools.groupby(progress, key=lambda step: step[0])}
        assert by_work["burn-in"][-1] == ("burn-in", 2 * 3, SEGMENTS * 3)

    @both_kinds
    def test_real_deadline(self, chains_of):
        transitions = chains_of(SMALL["complete"])
        effort = GadgetEffort(runs=2, chains=4, iterations=1_000_000)
        sample(transitions, 8, GadgetEffort(runs=2, chains=4, iterations=10))  # compiled
        found = sample(transitions, 2000, effort, deadline=Deadline.after(0.2))
        assert found.partitions.states.shape[1] < 1000

    def test_usual_effort(self):
        """So many moves for each of 64 variables or more; fewer for each of fewer, down to half of them."""
        for n, moves in ((16, SWEEPS / 2), (32, SWEEPS / 2), (48, 0.75 * SWEEPS), (64, SWEEPS), (200, SWEEPS)):
            assert GadgetEffort.usual(n).iterations == n * moves
            assert GadgetEffort.usual(n, 0.5).iterations == n * moves / 2
        assert GadgetEffort.usual(64) == replace(GadgetEffort(), burn_in=USUAL_BURN_IN)
        assert GadgetEffort.usual(3) == GadgetEffort.usual(16)
        assert GadgetEffort.usual(3, 0.0).iterations == 2

    def test_share_of_the_burn_in(self):
        assert GadgetEffort(iterations=1000, burn_in=0.25).burn_in_moves == 250
        assert GadgetEffort(iterations=3).burn_in_moves == 1


def assert_same(first, second):
    np.testing.assert_array_equal(first.partitions.states, second.partitions.states)
    np.testing.assert_array_equal(first.partitions.log_scores, second.partitions.log_scores)
    np.testing.assert_array_equal(first.parent_sets, second.parent_sets)
    np.testing.assert_array_equal(first.log_scores, second.log_scores)
    assert first.acceptance == second.acceptance
    assert first.swaps == second.swaps
