"""DOT and GML: other packages read them back, with any names."""

import re

import networkx as nx
import numpy as np
import pandas as pd
import pydot
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from orderspn.export import to_dot, to_gml, to_networkx

PLAIN = ["A", "blood pressure", "é—α 统计", "a:b", "semi;colon", "it's", "[b]", "node", "1", "-> x", "&amp;", "a.dot"]
HARSH = [*PLAIN, 'the "real" one', 'ends with "', "back\\slash", "ends with \\", "new\nline", "graph {a}", "tab\t"]

# What pydot says of its own dependency is none of our business.
reads_dot = pytest.mark.filterwarnings("ignore")

names_of_any_kind = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), min_size=2, max_size=4, unique=True
)


def graph_of(names, seed=0):
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((len(names), len(names))) < 0.5, 1)
    edges[0, 1] = True
    return to_networkx(pd.DataFrame(edges, index=names, columns=names))


def unquoted(text):
    """A name as Graphviz reads it; of its escapes only that of quotes, and of backslashes as labels undo it."""
    assert text[0] == text[-1] == '"'
    return text[1:-1].replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\")


def same(one, other):
    return set(one.nodes) == set(other.nodes) and set(one.edges) == set(other.edges)


@pytest.mark.parametrize("names", [PLAIN, HARSH])
def test_gml_is_read_back(names):
    graph = graph_of(names)
    text = to_gml(graph)
    assert same(nx.parse_gml(text), graph)
    assert same(nx.parse_gml(text.replace("\n", " ")), graph)  # as DoWhy reads it
    assert text.isascii()


def test_dowhy_does_not_take_gml_for_dot_or_the_name_of_a_file():
    """It searches the whole text for these patterns, names included."""
    text = to_gml(graph_of(["a.dot", "b.gml", "c.txt", "graph {d}"])).replace("\n", " ")
    for other in (r".*\.txt", r".*\.dot", r".*\.gml", r".*graph\s*\{.*\}\s*"):
        assert re.match(other, text) is None
    assert re.match(r".*graph\s*\[.*\]\s*", text)


@given(names_of_any_kind)
def test_gml_holds_any_name(names):
    graph = graph_of(names)
    assert same(nx.parse_gml(to_gml(graph)), graph)


@reads_dot
def test_dot_is_read_back_by_networkx():
    graph = graph_of(PLAIN)
    (parsed,) = pydot.graph_from_dot_data(to_dot(graph))
    assert same(nx.DiGraph(nx.nx_pydot.from_pydot(parsed)), graph)


@reads_dot
def test_dot_escapes_what_would_end_a_name():
    graph = graph_of(HARSH)
    (parsed,) = pydot.graph_from_dot_data(to_dot(graph))
    assert {unquoted(node.get_name()) for node in parsed.get_nodes()} == set(HARSH)
    edges = {(unquoted(edge.get_source()), unquoted(edge.get_destination())) for edge in parsed.get_edges()}
    assert edges == set(graph.edges)


@reads_dot
def test_probabilities_are_written_beside_edges():
    posterior = osp.learn(osp.load_sachs().data.iloc[:, :5], standardize=True, check=False)
    graph = osp.export.threshold_graph(posterior, 0.2, acyclic=True)
    expected = nx.get_edge_attributes(graph, "probability")
    plain = nx.DiGraph(graph.edges)
    for exported in ((graph,), (plain, posterior)):
        gml = nx.parse_gml(to_gml(*exported))
        (dot,) = pydot.graph_from_dot_data(to_dot(*exported))
        dot = nx.DiGraph(nx.nx_pydot.from_pydot(dot))
        assert set(gml.edges) == set(dot.edges) == set(expected)
        for edge, probability in expected.items():
            assert gml.edges[edge]["probability"] == pytest.approx(probability, abs=1e-6)
            assert gml.edges[edge]["label"] == dot.edges[edge]["label"].strip('"') == f"{probability:.2f}"
    assert "label" not in to_dot(plain)
    assert "probability" not in to_gml(plain)


def test_tiny_probabilities_are_still_numbers():
    frame = pd.DataFrame([[0, 1e-7], [0, 0]], index=["a", "b"], columns=["a", "b"])
    assert nx.parse_gml(to_gml(nx.DiGraph([("a", "b")]), frame)).edges["a", "b"]["probability"] == 0.0


def test_variables_without_edges_are_there():
    alone = pd.DataFrame(np.zeros((2, 2)), index=["a", "b"], columns=["a", "b"])
    assert list(nx.parse_gml(to_gml(alone)).nodes) == ["a", "b"]
    assert '"a";' in to_dot(alone)


def test_undirected_edges_are_two():
    both = osp.metrics.cpdag(nx.DiGraph([("a", "b")]))
    assert to_dot(both).count("->") == 2
    assert same(nx.parse_gml(to_gml(both)), both)
