"""Linear Gaussian networks: effects, samples, and what they refuse."""

import dataclasses

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from reference import metrics as reference

CHAIN = [[0.0, 2.0, 0.0], [0.0, 0.0, -3.0], [0.0, 0.0, 0.0]]


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_total_effects(d, seed):
    network = osp.simulate.linear_gaussian(d, 1, rng=seed).network
    effects = network.total_effects
    np.testing.assert_allclose(effects, reference.total_effects(network.weights), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(effects @ (np.eye(d) - network.weights), np.eye(d), atol=1e-9)
    paths = nx.transitive_closure(network.graph, reflexive=True)
    without = ~nx.to_numpy_array(paths, nodelist=network.variables, weight=None).astype(bool)
    assert (effects[without] == 0.0).all()


def test_moments():
    network = osp.simulate.LinearGaussianNetwork(CHAIN, [1.0, 0.5, 2.0], [1.0, -2.0, 0.0])
    rows = network.sample(200_000, rng=1)
    inverse = np.linalg.inv(np.eye(3) - np.array(CHAIN))
    covariance = inverse.T @ np.diag([1.0, 0.5, 2.0]) @ inverse
    scale = np.sqrt(np.diag(covariance))
    error = (rows.mean().to_numpy() - np.array([1.0, -2.0, 0.0]) @ inverse) / scale
    assert np.abs(error).max() < 5 / np.sqrt(200_000)
    difference = (rows.cov().to_numpy() - covariance) / np.outer(scale, scale)
    assert np.abs(difference).max() < 5 * np.sqrt(2 / 200_000)


def test_what_it_holds():
    frame = pd.DataFrame(CHAIN, index=list("ABC"), columns=list("ABC"))
    network = osp.simulate.LinearGaussianNetwork(frame.loc[list("BCA"), list("CAB")], intercepts=7)
    assert network.variables == ("B", "C", "A")
    assert nx.utils.edges_equal(
        network.graph.edges(data=True), [("A", "B", {"weight": 2.0}), ("B", "C", {"weight": -3.0})], directed=True
    )
    assert network.intercepts.tolist() == [7.0, 7.0, 7.0]
    assert network.noise_variances.tolist() == [1.0, 1.0, 1.0]
    assert list(network.sample(2).columns) == ["B", "C", "A"]
    assert osp.simulate.LinearGaussianNetwork(CHAIN).variables == ("X1", "X2", "X3")
    for values in (network.weights, network.adjacency, network.total_effects, network.intercepts):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        network.weights = np.zeros((3, 3))


def test_edges_of_weight_zero():
    graph = nx.DiGraph([("X1", "X2"), ("X2", "X3"), ("X1", "X3")])
    assert osp.simulate.LinearGaussianNetwork(CHAIN, adjacency=graph).adjacency.sum() == 3
    assert osp.simulate.LinearGaussianNetwork(CHAIN).adjacency.sum() == 2
    with pytest.raises(ValueError, match="adjacency must have an edge wherever weights is not 0"):
        osp.simulate.LinearGaussianNetwork(CHAIN, adjacency=nx.DiGraph([("X1", "X2"), ("X1", "X3")]))


def test_the_argument_is_copied():
    weights = np.array(CHAIN)
    network = osp.simulate.LinearGaussianNetwork(weights)
    weights[0, 1] = 99.0
    assert network.weights[0, 1] == 2.0


def test_samples_by_seed():
    network = osp.simulate.LinearGaussianNetwork(CHAIN)
    pd.testing.assert_frame_equal(network.sample(5, rng=3), network.sample(5, rng=np.random.SeedSequence(3)))
    pd.testing.assert_frame_equal(network.sample(5, rng=3), network.sample(50, rng=3)[:5])
    assert not network.sample(5, rng=3).equals(network.sample(5, rng=4))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[0, 1], [1, 0]],), {}, "the graph of weights must be .*without cycles; got the cycle X. -> X. -> X."),
        (([[0, np.nan], [0, 0]],), {}, "weights must be finite"),
        (([[0, 1, 0], [0, 0, 0]],), {}, "weights must be square"),
        ((CHAIN, 0.0), {}, "noise_variances must be greater than 0; got 0"),
        ((CHAIN, [1.0, 1.0]), {}, r"noise_variances must be one number, or one for each of the 3 .*got shape \(2,\)"),
        ((CHAIN, 1.0, np.inf), {}, "intercepts must be finite"),
        ((CHAIN,), {"variables": ["A", "B"]}, "variables must name each of the 3 variables; got 2 names"),
        ((CHAIN,), {"variables": ["A", "B", "A"]}, "variables must give every variable a name of its own; got 'A'"),
        ((nx.DiGraph([("A", "B")]),), {"variables": ["A", "B"]}, "variables cannot be given together"),
        ((CHAIN,), {"adjacency": np.zeros((2, 2))}, "adjacency and weights must have the same variables"),
    ],
)
def test_wrong_values(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        osp.simulate.LinearGaussianNetwork(*arguments, **options)


def test_wrong_types():
    with pytest.raises(TypeError, match="noise_variances must be a number, or a number for each variable; got 'large'"):
        osp.simulate.LinearGaussianNetwork(CHAIN, "large")
    with pytest.raises(ValueError, match="n_rows must be an integer at least 1; got 0"):
        osp.simulate.LinearGaussianNetwork(CHAIN).sample(0)
