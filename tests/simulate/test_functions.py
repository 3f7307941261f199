"""Simulated curves and mixed tables."""

import networkx as nx
import numpy as np
import pytest

import orderspn as osp


def test_curves_follow_their_functions():
    truth = osp.simulate.nonlinear(nx.DiGraph([("A", "B")]), 5000, functions=["square"], noise=0.1, rng=0)
    a = (truth.data["A"] - truth.data["A"].mean()) / truth.data["A"].std()
    assert abs(np.corrcoef(a**2, truth.data["B"])[0, 1]) > 0.98
    assert abs(np.corrcoef(a, truth.data["B"])[0, 1]) < 0.1
    assert truth.functions == {("A", "B"): "square"}
    assert truth.graph.edges["A", "B"]["function"] == "square"


@pytest.mark.parametrize("name", ["linear", "tanh", "square", "sine", "absolute", "wave"])
def test_every_function_has_about_the_same_strength(name):
    x = np.random.default_rng(0).normal(size=100_000)
    assert 0.3 < osp.simulate.functions.FUNCTIONS[name](x).var() < 1.2


@pytest.mark.parametrize(("name", "speed"), [("sine", 1.0), ("wave", 2.0)])
def test_a_sine_is_that_of_the_standardized_cause_and_a_wave_is_twice_as_fast(name, speed):
    truth = osp.simulate.nonlinear(nx.DiGraph([("A", "B")]), 5000, functions=[name], noise=0.01, rng=0)
    a = (truth.data["A"] - truth.data["A"].mean()) / truth.data["A"].std()
    assert abs(np.corrcoef(np.sin(speed * a), truth.data["B"])[0, 1]) > 0.99


def test_noise_has_its_deviation():
    np.testing.assert_allclose(osp.simulate.nonlinear(np.zeros((3, 3)), 20_000, rng=0).data.std(), 1.0, rtol=0.03)
    truth = osp.simulate.nonlinear(np.zeros((3, 3)), 20_000, noise=0.5, rng=0)
    np.testing.assert_allclose(truth.data.std(), 0.5, rtol=0.03)


def test_mixed_tables():
    truth = osp.simulate.mixed(10, 300, categories=0.4, levels=(3, 3), rng=1)
    assert sorted(truth.kinds.values()).count("category") == 4
    for name, kind in truth.kinds.items():
        if kind == "category":
            assert set(truth.data[name]) <= {"level 0", "level 1", "level 2"}
        else:
            assert truth.data[name].dtype == float
    assert set(truth.functions) == {(a, b) for a, b in truth.graph.edges}
    assert (truth.adjacency == nx.to_numpy_array(truth.graph, truth.variables).astype(bool)).all()


def test_levels_depend_on_causes():
    truth = osp.simulate.mixed(nx.DiGraph([("A", "B")]), 4000, categories=1.0, levels=(2, 2), rng=3)
    table = truth.data.groupby(["A", "B"]).size().unstack()
    shares = table.div(table.sum(axis=1), axis=0)
    assert np.ptp(shares["level 0"]) > 0.2


def test_seeds():
    first, second = (osp.simulate.mixed(5, 50, rng=4).data for _ in range(2))
    assert first.equals(second)
    assert not first.equals(osp.simulate.mixed(5, 50, rng=5).data)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: osp.simulate.nonlinear(3, functions=["cubic"]), "functions must be one of"),
        (lambda: osp.simulate.nonlinear(3, functions="tanh"), "functions must be a list of names"),
        (lambda: osp.simulate.nonlinear(3, noise=0), "noise must be"),
        (lambda: osp.simulate.nonlinear(3, n_rows=0), "n_rows must be"),
        (lambda: osp.simulate.nonlinear(np.zeros((2, 2)), expected_degree=2), "expected_degree is for random graphs"),
        (lambda: osp.simulate.mixed(3, categories=2), "categories must be a share from 0 to 1"),
        (lambda: osp.simulate.mixed(3, levels=(4, 2)), "levels must be the fewest and the most"),
        (lambda: osp.simulate.mixed(3, levels=(1, 2)), "levels must be an integer from 2"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
