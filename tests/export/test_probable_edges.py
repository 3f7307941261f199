"""Edges by probability: which exceed a threshold, when these have cycles, and the long table."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.export import edges_frame, threshold_graph


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(osp.load_sachs().data.iloc[:, :6], standardize=True, check=False)


@pytest.fixture(scope="module")
def sampled():
    return osp.learn(
        osp.load_sachs(log=True).data.iloc[:, :4], standardize=True, method=osp.methods.Gadget(n_graphs=400, effort=0.1)
    )


def frame_of(values, names=None):
    names = names or [f"v{i}" for i in range(len(values))]
    return pd.DataFrame(np.asarray(values, dtype=float), index=names, columns=names)


def circle_without_one(k):
    """The k graphs that lack one edge each of a circle of k."""
    circle = np.roll(np.eye(k), 1, axis=1)
    return np.stack([circle * (np.arange(k) != i)[:, None] for i in range(k)])


@st.composite
def probabilities(draw):
    d = draw(st.integers(2, 5))
    values = draw(st.lists(st.sampled_from(np.linspace(0, 1, 9).tolist()), min_size=d * d, max_size=d * d))
    matrix = np.reshape(values, (d, d))
    np.fill_diagonal(matrix, 0.0)
    return frame_of(matrix)


@st.composite
def dags(draw):
    """A few graphs without cycles, each with a different order."""
    d, n = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return np.stack(
        [np.triu(rng.random((d, d)) < 0.9, 1)[np.ix_(p, p)] for p in (rng.permutation(d) for _ in range(n))]
    )


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 0.9])
def test_edges_above_the_threshold_and_no_others_with_their_probabilities(posterior, threshold):
    table = posterior.edge_probabilities()
    graph = threshold_graph(posterior, threshold)
    expected = {(c, e): table.loc[c, e] for c in table.index for e in table.columns if table.loc[c, e] > threshold}
    assert list(graph) == posterior.variables
    assert nx.get_edge_attributes(graph, "probability") == expected


def test_evidence_counts(posterior):
    cause, effect = next(iter(threshold_graph(posterior).edges))
    reverse = threshold_graph(posterior, given=f"{effect} -> {cause}")
    assert reverse.edges[effect, cause]["probability"] == pytest.approx(1.0)
    assert not reverse.has_edge(cause, effect)


@pytest.mark.parametrize("k", [2, 4, 8])  # whose shares 1 - 1/k are exact numbers
def test_a_circle_of_k_is_possible_below_one_minus_one_in_k_and_not_from_there_on(k):
    graphs = circle_without_one(k)
    assert len(threshold_graph(graphs, 1 - 1 / k - 0.01).edges) == k
    assert len(threshold_graph(graphs, 1 - 1 / k).edges) == 0


@given(dags())
def test_high_thresholds_leave_no_cycles(graphs):
    d = graphs.shape[1]
    assert nx.is_directed_acyclic_graph(threshold_graph(graphs, 1 - 1 / d + 1e-9))
    half = threshold_graph(graphs, 0.5)
    assert not any(half.has_edge(effect, cause) for cause, effect in half.edges)


@given(probabilities(), st.sampled_from([0.0, 0.25, 0.5]))
def test_without_cycles_only_edges_are_missing_that_close_one_with_edges_at_least_as_probable(frame, threshold):
    full, kept = threshold_graph(frame, threshold), threshold_graph(frame, threshold, acyclic=True)
    assert nx.is_directed_acyclic_graph(kept)
    assert set(kept.edges) <= set(full.edges)
    for cause, effect, probability in full.edges(data="probability"):
        if not kept.has_edge(cause, effect):
            stronger = nx.DiGraph([(c, e) for c, e, p in kept.edges(data="probability") if p >= probability])
            stronger.add_nodes_from(kept)
            assert nx.has_path(stronger, effect, cause)


def test_two_directions_that_exceed_one_half_by_rounding_are_both_out():
    above = np.nextafter(0.5, 1.0)
    assert len(threshold_graph(frame_of([[0, above], [above, 0]])).edges) == 0


def test_the_order_of_columns_does_not_matter(posterior):
    table = posterior.edge_probabilities().round(1)  # with ties
    shuffled = table.iloc[::-1, ::-1]
    one, other = (threshold_graph(t, 0.05, acyclic=True) for t in (table, shuffled))
    assert set(one.edges) == set(other.edges)
    assert edges_frame(table).equals(edges_frame(shuffled))


def test_the_long_table_has_every_pair_once_the_most_probable_first(posterior):
    table, wide = edges_frame(posterior), posterior.edge_probabilities()
    d = len(wide)
    assert len(table) == d * (d - 1) == len(set(zip(table["cause"], table["effect"], strict=True)))
    assert list(table.columns) == ["cause", "effect", "probability"]
    assert all(row.probability == wide.loc[row.cause, row.effect] for row in table.itertuples())
    assert (np.diff(table["probability"]) <= 1e-9).all()


def test_improbable_edges_can_be_left_out(posterior):
    full, part = edges_frame(posterior), edges_frame(posterior, min_probability=0.2)
    assert 0 < len(part) < len(full)
    assert part.equals(full[full["probability"] >= 0.2])
    assert list(edges_frame(frame_of(np.zeros((3, 3))), min_probability=0.5).columns) == list(full.columns)


def test_equal_probabilities_go_by_names():
    table = edges_frame(frame_of([[0, 0.5], [0.5 + 1e-14, 0]], ["b", "a"]))
    assert list(table["cause"]) == ["a", "b"]


@pytest.mark.thorough
def test_standard_errors_where_graphs_were_sampled_by_chains(sampled, posterior):
    table, errors = edges_frame(sampled), sampled.edge_standard_errors()
    expected = [errors.loc[row.cause, row.effect] for row in table.itertuples()]
    assert np.array_equal(table["standard_error"], expected, equal_nan=True)
    assert (table["standard_error"] > 0).any()
    assert "standard_error" not in edges_frame(posterior)


def test_graphs_are_counted(posterior):
    samples = posterior.sample(50, rng=0)
    assert edges_frame(samples)["probability"].max() == samples.edge_frequencies().max()
    assert next(iter(threshold_graph(samples.adjacency))) == "X1"


@pytest.mark.parametrize("function", [threshold_graph, lambda p, t: edges_frame(p, min_probability=t)])
def test_wrong_thresholds_are_refused(posterior, function):
    with pytest.raises(InvalidValue, match=r"from 0 to 1; got 1\.5"):
        function(posterior, 1.5)
    with pytest.raises(InvalidType, match="from 0 to 1; got 'half'"):
        function(posterior, "half")


def test_only_a_posterior_can_be_conditioned(posterior):
    with pytest.raises(InvalidType, match="needs a posterior"):
        threshold_graph(posterior.edge_probabilities(), given="Raf -> Mek")
