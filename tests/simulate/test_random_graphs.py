"""Random graphs: no cycles, the right number of edges, any variable anywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from orderspn.core.dag import topological_order


@given(st.integers(2, 30), st.floats(0.01, 40.0), st.integers(1, 40), st.integers(0, 2**32))
def test_there_are_no_cycles(d, degree, m, seed):
    graphs = [osp.simulate.erdos_renyi(d, degree, rng=seed)]
    graphs += [osp.simulate.scale_free(d, m, hubs=hubs, rng=seed) for hubs in ("effects", "causes")]
    for graph in graphs:
        assert graph.dtype == bool
        assert graph.shape == (d, d)
        topological_order("graph", graph)
    assert graphs[1].sum() == graphs[2].sum() == sum(min(m, v) for v in range(d))


@pytest.mark.parametrize("degree", [1.0, 4.0])
def test_expected_number_of_edges(degree):
    d, n = 30, 300
    counts = [osp.simulate.erdos_renyi(d, degree, rng=seed).sum() for seed in range(n)]
    # The variance of a count is at most its mean.
    assert abs(np.mean(counts) - d * degree / 2) < 5 * np.sqrt(d * degree / 2 / n)


def test_every_pair_in_either_direction():
    mean = np.mean([osp.simulate.erdos_renyi(5, 2.0, rng=seed) for seed in range(2000)], axis=0)
    expected = 0.25 * (1 - np.eye(5))
    assert np.abs(mean - expected).max() < 5 * np.sqrt(0.25 * 0.75 / 2000)
    # An edge for each pair, whatever the directions.
    full = osp.simulate.erdos_renyi(5, 4.0, rng=0)
    assert (full ^ full.T)[~np.eye(5, dtype=bool)].all()


def test_hubs():
    graphs = [osp.simulate.scale_free(200, 2, rng=seed) for seed in range(20)]
    flat = [osp.simulate.erdos_renyi(200, 4.0, rng=seed) for seed in range(20)]
    largest = [np.mean([g.sum(axis=0).max() for g in kind]) for kind in (graphs, flat)]
    assert largest[0] > 2 * largest[1]
    assert all(g.sum(axis=1).max() == 2 for g in graphs)
    turned = osp.simulate.scale_free(200, 2, hubs="causes", rng=0)
    np.testing.assert_array_equal(turned, graphs[0].T)


@pytest.mark.parametrize("draw", [osp.simulate.erdos_renyi, osp.simulate.scale_free])
def test_seeds(draw):
    np.testing.assert_array_equal(draw(20, rng=7), draw(20, rng=np.random.SeedSequence(7)))
    assert (draw(20, rng=7) != draw(20, rng=8)).any()
    assert (draw(20) != draw(20)).any()
    generator = np.random.default_rng(7)
    assert (draw(20, rng=generator) != draw(20, rng=generator)).any()


def test_wrong_arguments():
    for draw in (osp.simulate.erdos_renyi, osp.simulate.scale_free):
        with pytest.raises(ValueError, match="d must be an integer at least 2; got 1"):
            draw(1)
        with pytest.raises(TypeError, match="rng must be"):
            draw(3, rng="seed")
    with pytest.raises(ValueError, match="expected_degree must be a finite number greater than 0; got -1"):
        osp.simulate.erdos_renyi(3, -1.0)
    with pytest.raises(ValueError, match="edges_per_variable must be an integer at least 1; got 0"):
        osp.simulate.scale_free(3, 0)
    with pytest.raises(ValueError, match="hubs must be one of 'effects', 'causes'; got 'both'"):
        osp.simulate.scale_free(3, hubs="both")
