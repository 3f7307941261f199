"""Layers of DAGs, masses of layerings, and DAGs given layers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.blocks import ONE, SMALL
from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.gadget.dags import draw_dag, empty_dag, layers_along, log_score_of
from orderspn.gadget.layers import layers_of_dag, make_layers, n_layers
from orderspn.gadget.parent_scores import all_parent_scores
from reference.layers import all_layerings, is_layering, layers_of

every_block = pytest.mark.parametrize("name", SMALL)


class TestLayersOfDag:
    """Against longest ways from roots."""

    @pytest.mark.kernels
    @given(st.integers(1, 9), st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
    def test_random_dags(self, n, density, seed):
        rng = np.random.default_rng(seed)
        place = rng.permutation(n)
        sets = [{i for i in range(n) if place[i] < place[j] and rng.random() < density} for j in range(n)]
        parents = np.zeros((n, n), dtype=np.int64)
        for j, own in enumerate(sets):
            parents[j, : len(own)] = rng.permutation(sorted(own))
        level = np.empty(n, dtype=np.int64)
        layers_of_dag(parents, np.array([len(own) for own in sets]), level)
        assert tuple(level.tolist()) == layers_of(sets)


class TestMasses:
    """The score of a layering is the mass of its DAGs."""

    @pytest.mark.kernels
    @every_block
    def test_every_layering(self, name):
        block = SMALL[name]
        exact = block.partitions.log_masses
        for levels in all_layerings(len(block.variables)):
            state = make_layers(np.array(levels), block.parent_scores)
            assert state.log_mass.sum() == pytest.approx(exact.get(levels, -np.inf), abs=1e-10)
            assert n_layers(state) == max(levels) + 1
            np.testing.assert_array_equal(state.sizes, np.bincount(levels, minlength=len(levels) + 1))

    def test_some_layerings_are_impossible(self):
        block = SMALL["impossible sets"]
        assert 1 < len(block.partitions.layerings) < len(all_layerings(4))

    @pytest.mark.kernels
    def test_block_of_all_variables(self):
        block = SMALL["complete"]
        for got, wanted in zip(all_parent_scores(block.families, ONE)[:3], block.parent_scores[:3], strict=True):
            np.testing.assert_array_equal(got, wanted)


class TestDagsOfLayers:
    """Drawn given their layers."""

    @pytest.mark.kernels
    @every_block
    def test_layers_and_scores_are_right(self, name):
        block, rng = SMALL[name], np.random.default_rng(0)
        dag = empty_dag(block.parent_scores)
        for levels in block.partitions.layerings:
            draw_dag(np.array(levels), dag, rng, block.parent_scores)
            (drawn,) = block.as_dags(dag.parent_sets[None])
            inner = [set(own[:count].tolist()) for own, count in zip(dag.parents, dag.n_parents, strict=True)]
            assert inner == block.partitions.inner(drawn)
            assert layers_of(inner) == levels
            assert log_score_of(dag, block.parent_scores) == pytest.approx(block.partitions.log_score(drawn), abs=1e-10)

    @pytest.mark.thorough
    @every_block
    def test_distribution(self, name):
        """Layerings drawn from their exact distribution, then DAGs: those of the exact distribution over DAGs."""
        block, rng = SMALL[name], np.random.default_rng(1)
        dag, drawn = empty_dag(block.parent_scores), []
        layerings = np.array(block.partitions.layerings)
        for i in rng.choice(len(layerings), size=4000, p=block.partitions.probabilities()):
            draw_dag(layerings[i], dag, rng, block.parent_scores)
            drawn.append(dag.parent_sets.copy())
        assert chi_square_p(block.as_dags(np.array(drawn)), block.partitions.dag_probabilities()) > THRESHOLD

    @pytest.mark.kernels
    @every_block
    def test_starts_along_orders(self, name):
        block, rng = SMALL[name], np.random.default_rng(2)
        for _ in range(10):
            levels = layers_along(rng.permutation(len(block.variables)), rng, block.parent_scores)
            assert is_layering(levels.tolist())
            assert tuple(levels.tolist()) in block.partitions.log_masses
