"""Any form of a graph as networkx: names, attributes, and what is refused."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.export import to_networkx

NAMES = ["blood pressure", "α", "dose"]
EDGES = {("α", "blood pressure"), ("dose", "α")}


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(osp.load_sachs().data.iloc[:, :5], standardize=True, check=False)


def matrix():
    values = np.zeros((3, 3), dtype=bool)
    for cause, effect in EDGES:
        values[NAMES.index(cause), NAMES.index(effect)] = True
    return values


FORMS = {
    "frame": lambda: pd.DataFrame(matrix(), index=NAMES, columns=NAMES),
    "frame of numbers": lambda: pd.DataFrame(matrix().astype(float), index=NAMES, columns=NAMES),
    "networkx": lambda: FORMS["frame"]().pipe(nx.from_pandas_adjacency, create_using=nx.DiGraph),
    "network": lambda: osp.simulate.LinearGaussianNetwork(matrix() * 2.0, variables=NAMES),
    "simulation": lambda: osp.simulate.linear_gaussian(FORMS["frame"](), n_rows=5, rng=0),
    "sampled": lambda: osp.GraphSamples(NAMES, matrix()[None], np.zeros((1, 3)))[0],
}


@pytest.mark.parametrize("form", FORMS)
def test_names_and_edges_are_kept(form):
    graph = to_networkx(FORMS[form]())
    assert type(graph) is nx.DiGraph
    assert list(graph) == NAMES
    assert set(graph.edges) == EDGES


def test_results_of_a_posterior(posterior):
    for best in (posterior.most_probable_graph(), posterior.best_graph()):
        assert set(to_networkx(best).edges) == set(best.graph.edges)
        assert list(to_networkx(best)) == posterior.variables


def test_arrays_are_named_as_learn_names_them():
    assert set(to_networkx(matrix()).edges) == {("X2", "X1"), ("X3", "X2")}


def test_numbers_as_nodes_become_names():
    graph = nx.DiGraph([(2, 0), (0, 1)])
    assert set(to_networkx(graph).edges) == {("2", "0"), ("0", "1")}


def test_attributes_are_kept_and_the_original_is_left_alone():
    graph = nx.DiGraph()
    graph.add_edge("a", "b", weight=2.0)
    graph.nodes["a"]["unit"] = "mg"
    copy = to_networkx(graph, probabilities=pd.DataFrame([[0, 0.25], [0.5, 0]], index=list("ab"), columns=list("ab")))
    assert copy.edges["a", "b"] == {"weight": 2.0, "probability": 0.25}
    assert copy.nodes["a"] == {"unit": "mg"}
    assert graph.edges["a", "b"] == {"weight": 2.0}


def test_probabilities_are_matched_by_name(posterior):
    best, wide = posterior.most_probable_graph(), posterior.edge_probabilities()
    shuffled = wide.iloc[::-1, ::-1]
    for source in (posterior, wide, shuffled):
        graph = to_networkx(best, source)
        assert len(graph.edges) > 0
        assert all(p == wide.loc[c, e] for c, e, p in graph.edges(data="probability"))


def test_both_directions_stay_both():
    graph = osp.metrics.cpdag(nx.DiGraph([("a", "b")]))
    assert set(to_networkx(graph).edges) == {("a", "b"), ("b", "a")}


def test_what_is_no_single_graph_is_refused(posterior):
    with pytest.raises(InvalidType, match="most_probable_graph"):
        to_networkx(posterior)
    with pytest.raises(InvalidValue, match="got 7 of them"):
        to_networkx(posterior.sample(7, rng=0))
    with pytest.raises(InvalidValue, match="0 and 1"):
        to_networkx(posterior.edge_probabilities())
    with pytest.raises(InvalidType, match="directed"):
        to_networkx(nx.Graph([("a", "b")]))
