"""CPDAGs and distances between graphs, judged by gadjid."""

import gadjid
import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from reference.equivalence import all_dags

pytestmark = pytest.mark.kernels

UNDIRECTED = 2


def coded(graph):
    """A matrix as gadjid has it: 1 for a directed edge, 2 in one of both places for an undirected one."""
    both = graph & graph.T
    return ((graph & ~both) + UNDIRECTED * np.triu(both)).astype(np.int8)


def dags_of(d, n, seed):
    rng = np.random.default_rng(seed)
    densities = rng.uniform(0.05, 0.9, size=(n, 1, 1))
    graphs = np.triu(rng.random((n, d, d)) < densities, k=1)
    orders = [rng.permutation(d) for _ in range(n)]
    return np.array([graph[order][:, order] for graph, order in zip(graphs, orders, strict=True)])


@pytest.mark.parametrize("kind", ["dag", "cpdag"])
@pytest.mark.parametrize("d", [2, 5, 12])
def test_structural_hamming_distance(d, kind):
    graphs = dags_of(d, 40, seed=d)
    graphs = osp.metrics.cpdag(graphs) if kind == "cpdag" else graphs
    theirs = [gadjid.shd(coded(a), coded(b))[1] for a, b in zip(graphs[:20], graphs[20:], strict=True)]
    ours = [osp.metrics.structural_hamming_distance(a, b) for a, b in zip(graphs[:20], graphs[20:], strict=True)]
    assert ours == theirs
    assert max(ours) > 0


@pytest.mark.parametrize("kind", ["dag", "cpdag"])
def test_expected_distance(kind):
    graphs, truth = dags_of(6, 30, seed=0), dags_of(6, 1, seed=1)[0]
    change = osp.metrics.cpdag if kind == "cpdag" else np.asarray
    theirs = [gadjid.shd(coded(change(truth)), coded(change(graph)))[1] for graph in graphs]
    assert osp.metrics.expected_shd(graphs, truth, between=kind) == pytest.approx(np.mean(theirs), rel=1e-12)


def left_open(essential):
    """Pairs (cause, effect) with a path, nowhere against an arrow, that begins with an undirected edge."""
    pairs = 0
    for cause in range(len(essential)):
        rest = nx.DiGraph(essential)
        rest.remove_node(cause)
        starts = np.flatnonzero(essential[cause] & essential[:, cause])
        pairs += len(set(starts).union(*(nx.descendants(rest, start) for start in starts)))
    return pairs


@pytest.mark.parametrize("distance", [gadjid.parent_aid, gadjid.ancestor_aid])
def test_what_a_cpdag_says_of_effects_holds_in_each_of_its_dags(distance):
    """All effects are right but for those left open: with an edge directed too many, some would be wrong in a DAG."""
    dags = all_dags(4)
    essential = osp.metrics.cpdag(dags)
    for dag, cpdag in zip(dags, essential, strict=True):
        mistakes = distance(coded(dag), coded(cpdag), edge_direction="from row to column")[1]
        assert mistakes == left_open(cpdag)


def test_that_one_arrow_too_many_would_be_found():
    dags = all_dags(3)
    wrong = 0
    for dag, cpdag in zip(dags, osp.metrics.cpdag(dags), strict=True):
        for a, b in np.argwhere(cpdag & cpdag.T):
            directed = cpdag.copy()
            directed[b, a] = False
            found = gadjid.parent_aid(coded(dag), coded(directed), edge_direction="from row to column")[1]
            wrong += found != left_open(directed)
    assert wrong > 20
