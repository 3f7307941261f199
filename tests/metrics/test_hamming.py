"""Structural Hamming distances against loops and against brute force over all graphs."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from reference import metrics as reference
from reference.equivalence import all_dags, cpdag_by_meek

pytestmark = pytest.mark.kernels


@given(st.integers(2, 6), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_against_loops(d, seed, density):
    a, b = np.random.default_rng(seed).random((2, d, d)) < density
    np.fill_diagonal(a, False)
    np.fill_diagonal(b, False)
    distance = osp.metrics.structural_hamming_distance(a, b)
    assert isinstance(distance, int)
    assert distance == reference.hamming(a, b) == osp.metrics.structural_hamming_distance(b, a)
    assert osp.metrics.structural_hamming_distance(a, a) == 0
    assert osp.metrics.structural_hamming_distance(a, a.T) == np.triu(a != a.T).sum()


def test_names_are_matched():
    a = nx.DiGraph([("A", "B"), ("B", "C")])
    b = nx.DiGraph([("C", "B"), ("A", "B")])
    assert osp.metrics.structural_hamming_distance(a, b) == 1
    assert osp.metrics.structural_hamming_distance(a, nx.to_pandas_adjacency(b)) == 1


@pytest.fixture(scope="module")
def weighted_dags():
    dags = all_dags(4)
    weights = np.random.default_rng(1).dirichlet(np.full(len(dags), 0.05))
    return dags, weights


@pytest.mark.parametrize("which", [0, 100, 300, 542])
def test_between_dags_it_is_linear_in_edge_probabilities(weighted_dags, which):
    dags, weights = weighted_dags
    truth = dags[which]
    expected = sum(w * reference.hamming(dag, truth) for dag, w in zip(dags, weights, strict=True))
    p = np.einsum("n,nij->ij", weights, dags)
    assert osp.metrics.expected_shd(p, truth, between="dag") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("between", ["dag", "cpdag"])
def test_samples(weighted_dags, between):
    dags, weights = weighted_dags
    drawn = dags[np.random.default_rng(2).choice(len(dags), size=60, p=weights)]
    truth = dags[400]
    kind = cpdag_by_meek if between == "cpdag" else np.array
    expected = np.mean([reference.hamming(kind(dag), kind(truth)) for dag in drawn])
    assert osp.metrics.expected_shd(drawn, truth, between) == pytest.approx(expected, abs=1e-12)
    names = list("ABCD")
    graphs = [
        nx.from_pandas_adjacency(pd.DataFrame(dag.astype(int), index=names, columns=names), create_using=nx.DiGraph)
        for dag in drawn
    ]
    frame = pd.DataFrame(truth, index=names, columns=names).loc[names[::-1], names[::-1]]
    assert osp.metrics.expected_shd(graphs, frame, between) == pytest.approx(expected, abs=1e-12)
    one = osp.metrics.expected_shd(drawn[0], truth, between)
    assert one == reference.hamming(kind(drawn[0]), kind(truth))


@pytest.mark.parametrize("between", ["dag", "cpdag"])
def test_weighted_samples(weighted_dags, between):
    dags, weights = weighted_dags
    truth = dags[400]
    kind = cpdag_by_meek if between == "cpdag" else np.array
    expected = sum(w * reference.hamming(kind(dag), kind(truth)) for dag, w in zip(dags, weights, strict=True))
    samples = osp.GraphSamples(letters(4), dags, np.zeros((len(dags), 4)), weights=weights)
    assert osp.metrics.expected_shd(samples, truth, between) == pytest.approx(expected, abs=1e-12)


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(gaussian_data(4, 30, seed=3), variables=letters(4))


def test_posterior(posterior):
    truth = nx.DiGraph([("B", "A"), ("B", "C"), ("C", "D")])
    samples = posterior.sample(4000, rng=5)
    exact = osp.metrics.expected_shd(posterior, truth, between="dag")
    assert osp.metrics.expected_shd(samples, truth, between="dag") == pytest.approx(exact, abs=0.1)
    assert exact != osp.metrics.expected_shd(posterior, nx.reverse(truth), between="dag")
    of_classes = osp.metrics.expected_shd(posterior, truth, n_samples=4000, rng=5)
    assert of_classes == osp.metrics.expected_shd(samples, truth)
    assert osp.metrics.expected_shd(posterior, truth) == osp.metrics.expected_shd(posterior, truth, rng=0)


def test_wrong_arguments(posterior):
    empty = np.zeros((4, 4))
    cases = [
        ((posterior, empty, "graph"), "between must be one of 'cpdag', 'dag'; got 'graph'"),
        ((posterior, np.ones((4, 4)) - np.eye(4)), "truth must be a directed graph without cycles"),
        ((np.full((4, 4), 0.3), empty), "edge probabilities do not determine them"),
        ((np.full((4, 4), 0.6), empty, "dag"), r"at most probability 1 together; got 1\.2"),
        ((np.ones((2, 4, 4)) - np.eye(4), empty), r"graphs\[0\] must be a directed graph without cycles"),
        ((posterior, np.zeros((3, 3))), "truth and graphs must have the same variables"),
    ]
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message):
            osp.metrics.expected_shd(*arguments)
    with pytest.raises(ValueError, match="n_samples must be an integer at least 1"):
        osp.metrics.expected_shd(posterior, empty, n_samples=0)
    assert osp.metrics.expected_shd(np.zeros((4, 4)), empty) == 0.0
