"""Coverage of conjunctions of true edges."""

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.metrics import conjunction_coverage

BOOLEAN = nx.DiGraph([("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")])


def asked(truth, n_edges, variables="ABCD", **how):
    """The selections that a posterior is asked for."""
    events = []

    class Posterior:
        def __init__(self):
            self.variables = list(variables)

        def edge_probabilities(self):
            raise AssertionError("not needed")

        sample = edge_probabilities

        def log_probability(self, event):
            events.append(frozenset(event.present))
            assert not event.absent
            return -math.inf if len(events) % 4 == 0 else -1000.0

    return conjunction_coverage(Posterior(), truth, n_edges, **how), events


def test_by_hand():
    """One of the two sampled graphs has A -> B and A -> C, the other B -> D: of six pairs one is covered."""
    sampled = [nx.DiGraph([("A", "B"), ("A", "C"), ("D", "B")]), nx.DiGraph([("B", "D"), ("A", "D"), ("A", "C")])]
    share, events = asked(BOOLEAN, 2, n_selections=200)
    covered = [{("A", "B"), ("A", "C")}, {("A", "C"), ("B", "D")}]
    expected = np.mean([event in covered for event in events])
    assert conjunction_coverage(sampled, BOOLEAN, 2, n_selections=200) == expected
    assert 0.2 < expected < 0.5
    assert share == 0.75  # a tiny probability is one


def test_selections_are_of_different_edges_and_all_come_up():
    _, events = asked(BOOLEAN, 3, n_selections=60)
    assert len(events) == 60
    assert {len(event) for event in events} == {3}
    assert len(set(events)) == 4
    assert set().union(*events) == set(BOOLEAN.edges)


def test_selections_depend_on_nothing_but_the_truth_and_the_seed():
    _, events = asked(BOOLEAN, 2)
    assert len(events) == 50
    backwards = nx.DiGraph()
    backwards.add_nodes_from("DCBA")
    backwards.add_edges_from(reversed(list(BOOLEAN.edges)))
    for truth in (backwards, nx.to_pandas_adjacency(BOOLEAN, nodelist=list("CADB"))):
        assert asked(truth, 2)[1] == events
    assert asked(BOOLEAN, 2, variables="DBCA")[1] == events
    assert asked(BOOLEAN, 2, rng=0)[1] == events != asked(BOOLEAN, 2, rng=1)[1]
    # Without names, positions are the posterior's.
    by_position = nx.to_numpy_array(BOOLEAN, nodelist=list("ABCD"))
    assert asked(by_position, 2)[1] == events
    assert asked(by_position, 4, variables="WXYZ")[1][0] == {("W", "X"), ("W", "Y"), ("X", "Z"), ("Y", "Z")}


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_laws(d, seed):
    """More graphs cover no less, the truth covers all, and the order of variables does not matter."""
    rng = np.random.default_rng(seed)
    graphs = np.triu(rng.random((8, d, d)) < 0.6, k=1)
    truth = pd.DataFrame(np.triu(np.ones((d, d), dtype=bool), k=1), index=letters(d), columns=letters(d))
    n_edges = int(rng.integers(1, d * (d - 1) // 2 + 1))
    share = conjunction_coverage(graphs, truth, n_edges, rng=seed)
    assert conjunction_coverage(graphs[:4], truth, n_edges, rng=seed) <= share
    assert conjunction_coverage([*graphs, truth.to_numpy()], truth, n_edges, rng=seed) == 1.0
    order = rng.permutation(d)
    named = osp.GraphSamples([letters(d)[v] for v in order], graphs[:, order][:, :, order], np.zeros((8, d)))
    assert conjunction_coverage(named, truth, n_edges, rng=seed) == share


def test_graphs_of_weight_0_do_not_count():
    graphs = np.array([np.zeros((4, 4)), nx.to_numpy_array(BOOLEAN)], dtype=bool)
    for weights, expected in ((None, 1.0), (np.array([1.0, 0.0]), 0.0)):
        samples = osp.GraphSamples(list("ABCD"), graphs, np.zeros((2, 4)), weights=weights)
        assert conjunction_coverage(samples, BOOLEAN, 2) == expected


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "how",
    [
        {"method": "exact"},
        {"method": osp.methods.Exact(target="dag")},
        {"method": osp.methods.Trust(n_orders=20, effort=0.02, block_size=2)},
        {"method": osp.methods.Gadget(n_graphs=40, effort=0.002)},
        pytest.param({"method": osp.methods.DiBS(n_particles=8, effort=0.05)}, marks=pytest.mark.exhaustive),
    ],
    ids=lambda how: "-".join(str(value) for value in how.values()),
)
def test_every_kind_of_posterior(how):
    posterior = osp.learn(gaussian_data(4, 30, seed=0), variables=letters(4), **how)
    truth = nx.DiGraph([("B", "A"), ("C", "A"), ("D", "B"), ("D", "C"), ("C", "B")])
    for n_edges in (1, 3, 5):
        _, events = asked(truth, n_edges)
        expected = np.mean([posterior.log_probability(osp.Edges(present=event)) > -math.inf for event in events])
        share = conjunction_coverage(posterior, truth, n_edges)
        assert share == expected
        if how["method"] == "exact":
            assert share == 1.0
        if how["method"] in ("gadget", "dibs"):  # a list of graphs covers what its graphs do
            everything = osp.GraphSamples(posterior.variables, posterior.model.adjacency, np.zeros((1, 4)))
            assert conjunction_coverage(everything, truth, n_edges) == share


@pytest.mark.parametrize(
    ("arguments", "how", "message"),
    [
        ((BOOLEAN, BOOLEAN, 5), {}, "n_edges must be at most the number of true edges, 4; got 5"),
        ((BOOLEAN, BOOLEAN, 0), {}, "n_edges must be an integer at least 1; got 0"),
        ((BOOLEAN, np.zeros((4, 4)), 1), {}, "n_edges must be at most the number of true edges, 0; got 1"),
        ((BOOLEAN, BOOLEAN, 1), {"n_selections": 0}, "n_selections must be an integer at least 1; got 0"),
        ((np.zeros((2, 3, 3)), BOOLEAN, 1), {}, "graphs and truth must have the same variables"),
        ((np.full((4, 4), 0.5), BOOLEAN, 1), {}, "graphs must hold 0 and 1"),
    ],
)
def test_wrong_arguments(arguments, how, message):
    with pytest.raises(ValueError, match=message):
        conjunction_coverage(*arguments, **how)


def test_a_posterior_of_other_variables():
    posterior = osp.learn(gaussian_data(4, 30, seed=0), variables=list("ABCE"))
    with pytest.raises(ValueError, match="truth and graphs must have the same variables; got 'D' in truth only"):
        conjunction_coverage(posterior, BOOLEAN, 1)
