"""Square matrices from arrays, tables, graphs and objects that have one."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from orderspn.core.matrices import read_graph, read_graphs, read_matrices

ADJACENCY = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
NAMES = ("A", "B", "C")
FRAME = pd.DataFrame(ADJACENCY, index=list(NAMES), columns=list(NAMES))
GRAPH = nx.DiGraph([("A", "B"), ("A", "C"), ("B", "C")])


@pytest.mark.parametrize(
    "value",
    [
        FRAME,
        FRAME.astype(int),
        FRAME.astype(float),
        FRAME.astype({"A": int}),  # columns of different types
        FRAME[["C", "A", "B"]],
        GRAPH,
        nx.MultiDiGraph([*GRAPH.edges, ("A", "B")]),
        SimpleNamespace(variables=list(NAMES), adjacency=ADJACENCY),
        SimpleNamespace(graph=GRAPH),
    ],
)
def test_with_names(value):
    matrix = read_graph("graph", value)
    assert matrix.variables == NAMES
    assert matrix.values.dtype == bool
    np.testing.assert_array_equal(matrix.values, ADJACENCY)


@pytest.mark.parametrize(
    "value",
    [
        ADJACENCY,
        ADJACENCY.astype(int),
        ADJACENCY.astype(float).tolist(),
        pd.DataFrame(ADJACENCY),
        nx.DiGraph([(1, 2), (0, 2), (0, 1)]),
    ],
)
def test_by_position(value):
    matrix = read_graph("graph", value)
    assert matrix.variables is None
    np.testing.assert_array_equal(matrix.values, ADJACENCY)


def test_other_node_names_are_names():
    assert read_graph("graph", nx.DiGraph([(1, 2), (2, 3)])).variables == ("1", "2", "3")


@pytest.mark.parametrize(
    "value",
    [
        np.stack([ADJACENCY] * 4),
        [ADJACENCY] * 4,
        [GRAPH] * 4,
        (FRAME, GRAPH, FRAME.loc[["C", "A", "B"], ["B", "C", "A"]], nx.DiGraph([("B", "C"), ("A", "C"), ("A", "B")])),
        SimpleNamespace(variables=list(NAMES), adjacency=np.stack([ADJACENCY] * 4)),
    ],
)
def test_stacks(value):
    stack = read_graphs("graphs", value)
    np.testing.assert_array_equal(stack.values, np.stack([ADJACENCY] * 4))
    with pytest.raises(ValueError, match="graphs must be one square matrix or graph; got 4 of them"):
        read_graph("graphs", value)


def test_matching_by_name():
    shuffled = read_graph("b", FRAME.loc[["C", "A", "B"], ["C", "A", "B"]])
    np.testing.assert_array_equal(shuffled.in_order_of(read_graph("a", FRAME), "b", "a"), ADJACENCY)
    np.testing.assert_array_equal(shuffled.in_order_of(read_graph("a", ADJACENCY), "b", "a"), shuffled.values)
    stack = read_graphs("b", [shuffled_frame := FRAME.loc[["C", "A", "B"], ["C", "A", "B"]], shuffled_frame])
    np.testing.assert_array_equal(stack.in_order_of(read_graph("a", FRAME), "b", "a"), np.stack([ADJACENCY] * 2))


@pytest.mark.parametrize(("a", "b", "alone"), [("AB", "AC", "'C' in b only"), ("ABC", "AB", "3 in a and 2 in b")])
def test_other_variables(a, b, alone):
    first, second = (pd.DataFrame(0, index=list(n), columns=list(n)) for n in (a, b))
    with pytest.raises(ValueError, match="must have the same variables"):
        read_graph("a", first).in_order_of(read_graph("b", second), "a", "b")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros((2, 3)), r"x must be square.*got shape \(2, 3\)"),
        (np.zeros(4), r"x must be square.*got shape \(4,\)"),
        (np.zeros((1, 1)), "x must have at least 2 variables; got 1"),
        (np.zeros((0, 3, 3)), "x must hold at least one graph"),
        (np.zeros((2, 2, 2, 2)), "x must be square"),
        ([[1, 2], [3]], "x must be a square array of numbers"),
        ([1, 2], r"x\[0\] must be square"),
        ([], "x must be square"),
        (pd.DataFrame(0, index=["A", "B"], columns=["A", "C"]), "same names in its rows .* got 'B'.*index_col=0"),
        (pd.DataFrame(0, index=[0, 1], columns=["A", "B"]), "same names in its rows"),
        (pd.DataFrame(0, index=["A", "A"], columns=["A", "A"]), "the index of x .* got 'A'"),
        (nx.DiGraph([(1, "1")]), "the nodes of x must give every variable a name of its own"),
    ],
)
def test_wrong_values(value, message):
    with pytest.raises(ValueError, match=message):
        read_matrices("x", value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array([["a", "b"], ["c", "d"]]), "x must be a square array of numbers.* got ndarray of dtype"),
        (np.zeros((2, 2), dtype=complex), "got ndarray of dtype complex128"),
        (None, "x must be a square array of numbers, a DataFrame or a networkx.DiGraph; got NoneType"),
        ("A -> B", "got str"),
        (nx.Graph([("A", "B")]), "x must be a directed graph .*got an undirected Graph"),
        (pd.DataFrame([["a", "b"], ["c", "d"]]), "x must be a DataFrame of numbers"),
    ],
)
def test_wrong_types(value, message):
    with pytest.raises(TypeError, match=message):
        read_matrices("x", value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[0, 2], [0, 0]], "x must hold 0 and 1 .* got 2"),
        ([[0, 0.5], [0, 0]], r"x must hold 0 and 1 .* got 0\.5"),
        ([[0, np.nan], [0, 0]], "x must hold 0 and 1 .* got nan"),
        ([[0, 0], [0, 1]], "x must have no edge from a variable to itself; got one at 1"),
        (nx.DiGraph([("A", "B"), ("B", "B")]), "x must have no edge from a variable to itself; got one at 'B'"),
    ],
)
def test_wrong_graphs(value, message):
    with pytest.raises(ValueError, match=message):
        read_graph("x", value)
