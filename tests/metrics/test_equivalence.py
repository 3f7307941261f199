"""CPDAGs against the definition of Markov equivalence, the rules of Meek, and laws."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from reference.equivalence import all_dags, colliders, covered_edges, cpdag_by_meek, cpdags_by_class

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(("d", "n_dags", "n_classes"), [(2, 3, 2), (3, 25, 11), (4, 543, 185)])
def test_every_dag(d, n_dags, n_classes):
    dags = all_dags(d)
    expected = cpdags_by_class(dags)
    assert len(dags) == n_dags
    assert len(np.unique(expected, axis=0)) == n_classes
    np.testing.assert_array_equal(osp.metrics.cpdag(dags), expected)


@st.composite
def random_dags(draw, largest=9):
    d = draw(st.integers(2, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order = rng.permutation(d)
    return np.triu(rng.random((d, d)) < draw(st.floats(0.05, 1.0)), k=1)[order][:, order]


@given(random_dags())
def test_the_rules_of_meek_agree(dag):
    np.testing.assert_array_equal(osp.metrics.cpdag(dag), cpdag_by_meek(dag))


@given(random_dags(largest=20))
def test_laws(dag):
    essential = osp.metrics.cpdag(dag)
    np.testing.assert_array_equal(essential | essential.T, dag | dag.T)
    assert not (dag & ~essential).any()
    for a, b, child in colliders(dag):
        assert not essential[child, a]
        assert not essential[child, b]


@given(random_dags(largest=20), st.integers(0, 2**32 - 1))
def test_reversing_covered_edges_changes_nothing(dag, seed):
    rng = np.random.default_rng(seed)
    equivalent = dag.copy()
    for _ in range(10):
        covered = covered_edges(equivalent)
        if covered:
            x, y = covered[rng.integers(len(covered))]
            equivalent[x, y], equivalent[y, x] = False, True
    np.testing.assert_array_equal(osp.metrics.cpdag(equivalent), osp.metrics.cpdag(dag))


@given(random_dags(largest=12), st.integers(0, 2**32 - 1))
def test_the_order_of_variables_does_not_matter(dag, seed):
    order = np.random.default_rng(seed).permutation(len(dag))
    np.testing.assert_array_equal(osp.metrics.cpdag(dag[order][:, order]), osp.metrics.cpdag(dag)[order][:, order])


def test_kinds_of_graphs():
    names = ["A", "B", "C", "D"]
    adjacency = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]])
    expected = cpdag_by_meek(adjacency.astype(bool))
    frame = pd.DataFrame(adjacency, index=names, columns=names)
    from_frame = osp.metrics.cpdag(frame[["D", "A", "B", "C"]])
    assert list(from_frame.columns) == list(from_frame.index) == names
    np.testing.assert_array_equal(from_frame, expected)
    from_positions = osp.metrics.cpdag(pd.DataFrame(adjacency))
    np.testing.assert_array_equal(from_positions, expected)
    graph = osp.metrics.cpdag(nx.from_pandas_adjacency(frame, create_using=nx.DiGraph))
    assert isinstance(graph, nx.DiGraph)
    np.testing.assert_array_equal(nx.to_numpy_array(graph, nodelist=names), expected)
    by_position = osp.metrics.cpdag(nx.DiGraph([(3, 2), (1, 2), (0, 1)]))
    assert set(by_position.edges) == {(3, 2), (1, 2), (0, 1), (1, 0)}
    np.testing.assert_array_equal(osp.metrics.cpdag([adjacency, adjacency]), [expected, expected])


def test_the_argument_is_left_alone():
    dag = np.array([[False, True], [False, False]])
    dag.setflags(write=False)
    assert osp.metrics.cpdag(dag).sum() == 2
    assert dag.sum() == 1


def test_cycles_are_shown():
    cyclic = nx.DiGraph([("A", "B"), ("B", "C"), ("C", "A")])
    with pytest.raises(ValueError, match=r"graphs must be a directed graph without cycles; got the cycle .*A -> B"):
        osp.metrics.cpdag(cyclic)
    with pytest.raises(ValueError, match=r"graphs\[1\] must be a directed graph without cycles"):
        osp.metrics.cpdag([np.zeros((2, 2)), np.array([[0, 1], [1, 0]])])
