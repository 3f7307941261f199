"""Simulated data: the paper's protocol by default, every part of it by option."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import orderspn as osp


def test_the_protocol_of_the_paper():
    runs = [osp.simulate.linear_gaussian(20, rng=seed) for seed in range(200)]
    edges = np.array([run.adjacency.sum() for run in runs])
    assert abs(edges.mean() - 40.0) < 5 * np.sqrt(40.0 / 200)
    weights = np.concatenate([run.weights[run.adjacency] for run in runs])
    assert abs(weights.mean()) < 5 / np.sqrt(weights.size)
    assert abs(weights.var() - 1.0) < 5 * np.sqrt(2 / weights.size)
    assert all((run.network.noise_variances == 0.1).all() for run in runs)
    assert runs[0].data.shape == (100, 20)
    # What is left of each variable after its causes is noise.
    noise = np.concatenate([(run.data @ (np.eye(20) - run.weights)).to_numpy().ravel() for run in runs])
    assert abs(noise.var() - 0.1) < 5 * 0.1 * np.sqrt(2 / noise.size)


def test_what_it_holds():
    truth = osp.simulate.linear_gaussian(6, 7, variables=list("ABCDEF"), rng=0)
    assert truth.variables == tuple("ABCDEF") == tuple(truth.data.columns)
    np.testing.assert_array_equal(nx.to_numpy_array(truth.graph, nodelist="ABCDEF"), truth.weights)
    np.testing.assert_array_equal(truth.weights != 0, truth.adjacency)
    np.testing.assert_allclose(truth.total_effects, np.linalg.inv(np.eye(6) - truth.weights), atol=1e-10)
    assert truth.network.sample(1000, rng=1).shape == (1000, 6)


def test_uniform_weights():
    truth = osp.simulate.linear_gaussian(60, weights="uniform", weight_scale=0.1, rng=0)
    weights = truth.weights[truth.adjacency]
    assert 0.05 <= np.abs(weights).min() < 0.07
    assert 0.18 < np.abs(weights).max() <= 0.2
    assert 0.3 < (weights > 0).mean() < 0.7


def test_other_options():
    truth = osp.simulate.linear_gaussian(6, 20, expected_degree=1.0, noise_variances=[1, 2, 3, 4, 5, 6], rng=0)
    assert truth.network.noise_variances.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert osp.simulate.linear_gaussian(40, expected_degree=1.0, rng=0).adjacency.sum() < 40


@pytest.mark.parametrize(
    "graph",
    [
        nx.DiGraph([("A", "B"), ("C", "B")]),
        pd.DataFrame([[0, 1, 0], [0, 0, 0], [0, 1, 0]], index=list("ABC"), columns=list("ABC")),
    ],
)
def test_given_graphs(graph):
    truth = osp.simulate.linear_gaussian(graph, rng=0)
    assert set(truth.variables) == set("ABC")
    assert set(truth.graph.edges) == {("A", "B"), ("C", "B")}
    again = osp.simulate.linear_gaussian(truth, rng=1)
    assert set(again.graph.edges) == set(truth.graph.edges)
    assert (again.weights[again.adjacency] != truth.weights[truth.adjacency]).all()
    with pytest.raises(ValueError, match="variables cannot be given together with a graph that has its names"):
        osp.simulate.linear_gaussian(graph, variables=list("ABC"))


def test_a_graph_by_position():
    graph = osp.simulate.scale_free(8, rng=0)
    truth = osp.simulate.linear_gaussian(graph, variables=list("ABCDEFGH"), rng=0)
    np.testing.assert_array_equal(truth.adjacency, graph)
    assert truth.variables == tuple("ABCDEFGH")


def test_seeds():
    a, b, longer = (osp.simulate.linear_gaussian(5, n, rng=3) for n in (20, 20, 30))
    pd.testing.assert_frame_equal(a.data, b.data)
    np.testing.assert_array_equal(a.weights, longer.weights)
    assert not a.data.equals(osp.simulate.linear_gaussian(5, 20, rng=4).data)
    # Weights and rows do not repeat the numbers that the graph was drawn with.
    generator = np.random.default_rng(0)
    first, second = (osp.simulate.linear_gaussian(5, 20, rng=generator) for _ in range(2))
    assert not first.data.equals(second.data)


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (1, {}, "d must be an integer at least 2; got 1"),
        ([[0, 1], [1, 0]], {}, "graph must be a directed graph without cycles; got the cycle"),
        ([[0, 0.5], [0, 0]], {}, "graph must hold 0 and 1"),
        ([[0, 1], [0, 0]], {"expected_degree": 2.0}, "expected_degree is for random graphs"),
        (3, {"weights": "cauchy"}, "weights must be one of 'normal', 'uniform'; got 'cauchy'"),
        (3, {"weight_scale": 0.0}, "weight_scale must be a finite number greater than 0"),
        (3, {"noise_variances": -1.0}, "noise_variances must be greater than 0; got -1"),
        (3, {"n_rows": 0}, "n_rows must be an integer at least 1"),
        (3, {"variables": ["A"]}, "variables must name each of the 3 variables; got 1 names"),
    ],
)
def test_wrong_arguments(graph, options, message):
    with pytest.raises(ValueError, match=message):
        osp.simulate.linear_gaussian(graph, **options)
