"""AUROC and average precision against loops, scikit-learn, and known values."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

import orderspn as osp
from reference import metrics as reference

METRICS = {
    "auroc": (osp.metrics.auroc, reference.auroc, roc_auc_score),
    "average_precision": (osp.metrics.average_precision, reference.average_precision, average_precision_score),
}


@pytest.fixture(params=METRICS)
def trio(request):
    return METRICS[request.param]


def cases(d, seed, levels):
    """Probabilities, with ties if there are few levels, and a graph with some but not all edges."""
    rng = np.random.default_rng(seed)
    truth = rng.random((d, d)) < rng.uniform(0.1, 0.9)
    np.fill_diagonal(truth, False)
    truth[0, 1], truth[1, 0] = True, False
    return rng.integers(0, levels + 1, size=(d, d)) / levels, truth


@given(st.integers(2, 7), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 5, 10**9]))
@pytest.mark.parametrize("metric", METRICS)
def test_against_loops_and_scikit_learn(metric, d, seed, levels):
    ours, by_loops, theirs = METRICS[metric]
    p, truth = cases(d, seed, levels)
    off_diagonal = ~np.eye(d, dtype=bool)
    assert ours(p, truth) == pytest.approx(by_loops(p, truth), abs=1e-12)
    assert ours(p, truth) == pytest.approx(theirs(truth[off_diagonal], p[off_diagonal]), abs=1e-12)


def test_best_and_worst_and_no_information(trio):
    ours = trio[0]
    truth = np.triu(np.ones((5, 5), dtype=bool), k=1)
    truth[0, 4] = False
    assert ours(truth.astype(float), truth) == 1.0
    share = truth.sum() / 20
    assert ours(np.full((5, 5), 0.3), truth) == pytest.approx(0.5 if ours is osp.metrics.auroc else share)
    assert osp.metrics.auroc(1.0 - truth, truth) == 0.0


def test_the_diagonal_does_not_count(trio):
    p, truth = cases(5, 3, 7)
    for value in (0.0, 1.0, np.nan):
        filled = p.copy()
        np.fill_diagonal(filled, value)
        assert trio[0](filled, truth) == trio[0](p, truth)


def test_names_are_matched(trio):
    p, truth = cases(4, 5, 10**9)
    names = list("ABCD")
    frame = pd.DataFrame(p, index=names, columns=names)
    graph = nx.DiGraph()
    graph.add_nodes_from("CADB")
    graph.add_edges_from((names[i], names[j]) for i, j in zip(*np.nonzero(truth), strict=True))
    assert trio[0](frame, graph) == trio[0](p, truth)
    assert trio[0](frame, truth) == trio[0](p, truth)
    with pytest.raises(ValueError, match="truth and probabilities must have the same variables; got 'E' in truth only"):
        trio[0](frame, nx.relabel_nodes(graph, {"D": "E"}))


def test_sampled_graphs_are_counted(trio):
    rng = np.random.default_rng(0)
    _, truth = cases(4, 5, 1)
    samples = np.triu(rng.random((50, 4, 4)) < 0.5, k=1)
    assert trio[0](samples, truth) == trio[0](samples.mean(axis=0), truth)


def test_sachs():
    sachs = osp.load_sachs()
    posterior, truth = osp.learn(sachs.data, standardize=True, check=False), nx.DiGraph(sachs.consensus)
    assert round(osp.metrics.auroc(posterior, truth), 4) == 0.6040
    assert round(osp.metrics.average_precision(posterior, truth), 4) == 0.3172
    assert osp.metrics.auroc(posterior.edge_probabilities(), truth) == osp.metrics.auroc(posterior, truth)


@pytest.mark.parametrize(
    ("probabilities", "truth", "message"),
    [
        (np.zeros((3, 3)), np.zeros((3, 3)), "truth must have at least one edge .* got no edge"),
        (np.zeros((2, 2)), [[0, 1], [1, 0]], "got an edge for every pair"),
        (np.full((3, 3), 1.5), np.zeros((3, 3)), r"probabilities must hold probabilities from 0 to 1; got 1\.5"),
        (np.full((3, 3), -0.1), np.zeros((3, 3)), r"from 0 to 1; got -0\.1"),
        (np.full((3, 3), np.nan), np.zeros((3, 3)), "from 0 to 1; got nan"),
        (np.zeros((3, 3)), np.zeros((4, 4)), "must have the same variables; got 4 in truth and 3 in probabilities"),
        (np.zeros((3, 2)), np.zeros((3, 3)), "probabilities must be square"),
        (np.zeros((3, 3)), np.zeros((2, 3, 3)), "truth must be one square matrix or graph; got 2 of them"),
    ],
)
def test_wrong_arguments(trio, probabilities, truth, message):
    with pytest.raises(ValueError, match=message):
        trio[0](probabilities, truth)


def test_what_is_no_matrix(trio):
    with pytest.raises(TypeError, match="truth must be a graph or a matrix if probabilities has no names"):
        trio[0](np.zeros((2, 2)), "A -> B")


def test_a_list_of_edges_is_a_graph():
    """The same answers as for a networkx graph of the same edges and all variables."""
    names = list("ABCD")
    probabilities = pd.DataFrame(np.random.default_rng(1).uniform(0, 0.4, (4, 4)), index=names, columns=names)
    pairs = [("A", "B"), ("D", "A")]
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(names)
    for metric in (osp.metrics.auroc, osp.metrics.brier_score, osp.metrics.average_precision):
        for truth in (pairs, {*pairs}, "A -> B, D -> A", osp.Edges(pairs)):
            assert metric(probabilities, truth) == metric(probabilities, graph)
    assert osp.metrics.expected_shd(probabilities, pairs, "dag") == osp.metrics.expected_shd(
        probabilities, graph, "dag"
    )
    assert osp.metrics.structural_hamming_distance(pairs, graph) == 0
    assert osp.metrics.structural_hamming_distance(nx.DiGraph(["AB"]), [("B", "A")]) == 1
    assert osp.metrics.conjunction_coverage([graph], pairs, 2) == 1.0
    assert osp.metrics.parents_kept({"A": [], "B": ["A"]}, [("A", "B")]) == 1.0
    with pytest.raises(ValueError, match="truth must be edges between the variables; unknown variable 'X'"):
        osp.metrics.auroc(probabilities, [("A", "X")])
    with pytest.raises(TypeError, match="truth must be a graph or a matrix if probabilities has no names"):
        osp.metrics.auroc(probabilities.to_numpy(), pairs)
    with pytest.raises(TypeError, match="a must be a graph or a matrix if b has no names"):
        osp.metrics.structural_hamming_distance(pairs, pairs)
    with pytest.raises(ValueError, match="truth must name edges that are present"):
        osp.metrics.auroc(probabilities, "A -- B")
