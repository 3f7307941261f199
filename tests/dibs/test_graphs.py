"""Graphs of particles: broken cycles against plain loops, scores against the library's, weights of mixtures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.blocks import gaussian, problem, random_block
from orderspn.dibs.graphs import acyclic_graphs, are_cyclic, break_cycles, hard_graphs, log_scores, score_weights
from reference import dibs as twin

pytestmark = pytest.mark.kernels


@st.composite
def graphs(draw, largest=7):
    """A graph (d, n) whose targets are some of the sources in any order, and probabilities with ties."""
    d = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = int(rng.integers(1, d + 1))
    targets = rng.permutation(d)[:n]
    graph = rng.random((d, n)) < rng.choice([0.1, 0.3, 0.6])
    graph[targets, np.arange(n)] = False
    return graph, rng.integers(1, 6, size=(d, n)) / 6, targets


@given(graphs())
def test_breaking_cycles(case):
    graph, probabilities, targets = case
    broken = break_cycles(probabilities, graph, targets)
    assert not twin.on_a_cycle(broken[targets])
    assert (broken <= graph).all()
    if not twin.on_a_cycle(graph[targets]):
        np.testing.assert_array_equal(broken, graph)


@given(graphs())
def test_the_least_probable_edges_go_as_in_the_twin(case):
    graph, _, targets = case
    probabilities = np.random.default_rng(graph.sum()).permutation(graph.size).reshape(graph.shape)  # no ties
    expected = graph.copy()
    expected[targets] = twin.break_cycles(probabilities[targets], graph[targets])
    np.testing.assert_array_equal(break_cycles(probabilities, graph, targets), expected)


@given(graphs())
def test_ties_are_broken_in_order(case):
    graph, probabilities, targets = case
    expected = graph.copy()
    expected[targets] = twin.break_cycles(probabilities[targets], graph[targets])
    np.testing.assert_array_equal(break_cycles(probabilities, graph, targets), expected)


def test_breaking_leaves_its_argument_alone():
    cycle = np.array([[False, True], [True, False]])
    break_cycles(np.array([[0.0, 0.9], [0.6, 0.0]]), cycle, np.array([0, 1]))
    assert cycle.sum() == 2


@given(graphs())
def test_cyclic_graphs_are_told(case):
    graph, _, targets = case
    assert are_cyclic(graph[None], targets).tolist() == [bool(twin.on_a_cycle(graph[targets]))]


def test_no_graphs_are_not_cyclic():
    assert are_cyclic(np.zeros((0, 3, 3), dtype=bool), np.arange(3)).shape == (0,)


def test_edges_have_positive_logits():
    logits = np.array([[-np.inf, 1e-300], [0.0, -1e-300]])
    assert hard_graphs(logits).tolist() == [[False, True], [False, False]]


def test_scores_are_those_of_the_library():
    local, families = gaussian(5, 50, seed=0)
    made = problem(families, ([3], [4, 0]))
    block = made.block
    rng = np.random.default_rng(0)
    found = (rng.random((20, 5, 2)) < 0.5) & block.allowed
    scale = sum(families[target].log_scale for target in block.targets)
    for graph, log_score in zip(found, log_scores(found, made), strict=True):
        expected = sum(local.table(t, np.flatnonzero(graph[:, j]))[-1] for j, t in enumerate(block.targets.tolist()))
        assert log_score + scale == pytest.approx(expected, rel=1e-10)


@given(st.integers(0, 10**6))
def test_scores_are_lookups_of_members(seed):
    rng = np.random.default_rng(seed)
    families, before, variables = random_block(rng)
    made = problem(families, (before, variables))
    graph = (rng.random(made.block.allowed.shape) < 0.5) & made.block.allowed
    expected = 0.0
    for j, target in enumerate(variables):
        parents = np.flatnonzero(graph[:, j]).tolist()
        masks = [m for m in range(families[target].n_masks) if families[target].members(m).tolist() == parents]
        expected += families[target].log_score[masks[0]]
    assert log_scores(graph[None], made)[0] == pytest.approx(expected)


def three_graphs():
    """Particles A, B, A, C of one edge each, and log scores of the four."""
    a, b, c = np.eye(3, dtype=bool)[:, :, None]
    return np.stack([a, b, a, c]), np.array([-1000.0, -1001.0, -1000.0, -np.inf])


def test_score_weights_count_graphs_once():
    odds = np.exp(-1.0)
    expected = np.array([0.5, odds, 0.5, 0.0]) / (1 + odds)
    np.testing.assert_allclose(score_weights(*three_graphs()), expected, atol=1e-15)


def test_impossible_graphs_count_the_same():
    found, _ = three_graphs()
    np.testing.assert_allclose(score_weights(found, np.full(4, -np.inf)), [1 / 6, 1 / 3, 1 / 6, 1 / 3])


def test_graphs_of_particles_have_no_cycles_left():
    logits = np.random.default_rng(0).normal(-0.7, size=(20, 5, 5))
    logits[:, np.arange(5), np.arange(5)] = -np.inf
    everyone = np.arange(5)
    graphs, cyclic = acyclic_graphs(logits, everyone)
    assert 0 < cyclic.sum() < 20
    assert not are_cyclic(graphs, everyone).any()
    np.testing.assert_array_equal(graphs[~cyclic], hard_graphs(logits)[~cyclic])
    for i in np.flatnonzero(cyclic):
        np.testing.assert_array_equal(graphs[i], break_cycles(logits[i], logits[i] > 0, everyone))
