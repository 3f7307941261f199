"""Total variation distances, against sums over all DAGs."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.levels import parameters
from orderspn.core.dag import all_dags, are_acyclic
from orderspn.metrics import total_variation
from reference.dags import number_of_dags
from reference.equivalence import all_dags as reference_dags

METHODS = {
    "order": {"method": "exact"},
    "dag": {"method": osp.methods.Exact(target="dag")},
    "few candidates": {"method": osp.methods.Trust(outsiders=1), "candidates": 1},
    "circuit": {"method": osp.methods.Trust(n_orders=4, block_size=2)},
    "elbo": {"method": osp.methods.Trust(n_orders=4, block_size=1, weights="elbo")},
    "grown": {"method": osp.methods.Trust(oracle="random", expansion=[2], block_size=2)},
    "gadget": {"method": osp.methods.Gadget(n_graphs=200, effort=0.1)},
    "dibs": {"method": osp.methods.DiBS(n_particles=8, effort=0.05, weights="score")},
}


SOME = ["order", "gadget"]
"""Methods of the level `test`: asking for all DAGs takes seconds."""


class AsAsked(dict):
    """A value for every method, found when it is asked for first."""

    def __init__(self, found):
        super().__init__()
        self.found = found

    def __missing__(self, name):
        self[name] = self.found(name)
        return self[name]


@pytest.fixture(scope="module")
def posteriors():
    data = gaussian_data(4, 25, seed=2)
    return AsAsked(lambda name: osp.learn(data, variables=letters(4), **METHODS[name]))


def event(dag, names):
    return osp.Edges(
        present=[(names[i], names[j]) for i, j in np.argwhere(dag)],
        absent=[(names[i], names[j]) for i, j in np.argwhere(~dag) if i != j],
    )


def one_by_one(posterior, dags):
    """The probability of each DAG, asked for as an event."""
    return np.array([math.exp(posterior.log_probability(event(dag, posterior.variables))) for dag in dags])


@pytest.fixture(scope="module")
def probabilities(posteriors):
    def found(name):
        p = one_by_one(posteriors[name], reference_dags(4))
        assert p.sum() == pytest.approx(1.0, abs=1e-9)
        return p

    return AsAsked(found)


@pytest.mark.exhaustive
@pytest.mark.parametrize("a", METHODS)
@pytest.mark.parametrize("b", METHODS)
def test_every_pair_of_posteriors(posteriors, probabilities, a, b):
    expected = np.abs(probabilities[a] - probabilities[b]).sum() / 2
    found = total_variation(posteriors[a], posteriors[b])
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0.0 <= found <= 1.0
    assert (found > 1e-3) == (a != b)


@pytest.mark.thorough
@pytest.mark.parametrize("name", parameters(METHODS, test=SOME))
def test_evidence(posteriors, probabilities, name):
    posterior = posteriors[name].given("A !-> B")
    left = probabilities[name] * ~reference_dags(4)[:, 0, 1]
    expected = np.abs(left / left.sum() - probabilities["order"]).sum() / 2
    assert total_variation(posterior, posteriors["order"]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("name", parameters(METHODS, test=SOME))
def test_posterior_and_sampled_graphs(posteriors, probabilities, name):
    samples = posteriors[name].sample(50, rng=1)
    counts = np.array([(samples.adjacency == dag).all(axis=(1, 2)).sum() for dag in reference_dags(4)])
    expected = np.abs(probabilities[name] - counts / 50).sum() / 2
    for graphs in (samples, samples.adjacency, samples.to_networkx()):
        assert total_variation(posteriors[name], graphs) == pytest.approx(expected, abs=1e-9)
        assert total_variation(graphs, posteriors[name]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.thorough
def test_weighted_samples_approach_the_other_target(posteriors):
    samples = posteriors["order"].sample(4000, rng=0)
    weighted = posteriors["order"].sample(4000, rng=0, target="dag")
    assert total_variation(weighted, posteriors["dag"]) < total_variation(samples, posteriors["dag"]) - 0.05


@pytest.mark.thorough
def test_names_are_matched(posteriors):
    data = gaussian_data(4, 25, seed=2)
    turned = osp.learn(data[:, [2, 0, 3, 1]], variables=[letters(4)[v] for v in (2, 0, 3, 1)])
    assert total_variation(turned, posteriors["order"]) == pytest.approx(0.0, abs=1e-9)
    assert total_variation(turned, posteriors["gadget"]) == pytest.approx(
        total_variation(posteriors["order"], posteriors["gadget"]), abs=1e-9
    )
    samples = turned.sample(30, rng=0)
    assert total_variation(samples, samples.to_networkx()) == 0.0


@pytest.mark.thorough
def test_five_variables_and_many():
    posterior = osp.learn(gaussian_data(5, 15, seed=0))
    by_dags = osp.learn(gaussian_data(5, 15, seed=0), method=osp.methods.Auto(target="dag"))
    assert 0.01 < total_variation(posterior, by_dags) < 0.9
    assert total_variation(by_dags, by_dags) == pytest.approx(0.0, abs=1e-9)
    large = osp.learn(gaussian_data(8, 200, seed=0))
    graphs = large.sample(200, rng=0)
    distinct, counts = np.unique(graphs.adjacency, axis=0, return_counts=True)
    shared = np.minimum(counts / 200, one_by_one(large, distinct)).sum()
    assert total_variation(large, graphs) == pytest.approx(1.0 - shared, abs=1e-9)


def test_graphs_that_a_posterior_rules_out():
    """Nothing is shared with graphs beyond the candidates."""
    candidates = {"A": ["B"], "B": ["A", "C"], "C": ["A", "B"]}
    posterior = osp.learn(gaussian_data(3, 30, seed=0), variables=letters(3), candidates=candidates)
    assert total_variation([nx.DiGraph([("C", "A"), ("B", "A")])], posterior) == 1.0


@given(st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_laws(d, seed):
    """A metric, which the order of variables does not change."""
    rng = np.random.default_rng(seed)
    dags = reference_dags(d)
    a, b, c = (dags[rng.integers(0, min(len(dags), 6), 7)] for _ in range(3))
    counts = [[(graphs == dag).all(axis=(1, 2)).sum() for dag in dags] for graphs in (a, b)]
    assert total_variation(a, b) == pytest.approx(np.abs(np.subtract(*counts)).sum() / 14, abs=1e-12)
    assert total_variation(a, b) == total_variation(b, a) <= total_variation(a, c) + total_variation(c, b) + 1e-12
    assert total_variation(a, a[::-1]) == 0.0
    order = rng.permutation(d)
    turned = [graphs[:, order][:, :, order] for graphs in (a, b)]
    assert total_variation(*turned) == pytest.approx(total_variation(a, b), abs=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_all_dags(d):
    dags = all_dags(d)
    assert len(np.unique(dags, axis=0)) == len(dags) == number_of_dags(d)
    assert are_acyclic(dags).all()
    if d < 5:
        np.testing.assert_array_equal(np.unique(dags, axis=0), np.unique(reference_dags(d), axis=0))


@given(st.integers(2, 7), st.floats(0.0, 0.6), st.integers(0, 2**32 - 1))
def test_cycles_are_found(d, density, seed):
    graphs = np.random.default_rng(seed).random((5, d, d)) < density
    expected = [nx.is_directed_acyclic_graph(nx.DiGraph(graph)) for graph in graphs]
    assert are_acyclic(graphs).tolist() == expected


@pytest.mark.thorough
def test_wrong_arguments(posteriors):
    large = osp.learn(gaussian_data(6, 30, seed=0))
    with pytest.raises(ValueError, match=r"of 6 variables; the limit is 5\. Pass sampled graphs"):
        total_variation(large, large)
    with pytest.raises(ValueError, match="must have the same variables; got 4 in a and 6 in b"):
        total_variation(posteriors["order"], large)
    with pytest.raises(ValueError, match="a and b must have the same variables; got 'A' in a only"):
        total_variation([nx.DiGraph(["AB", "BC", "CD"])], osp.learn(gaussian_data(4, 30, seed=0)))
    with pytest.raises(ValueError, match="a must hold 0 and 1"):
        total_variation(posteriors["order"].edge_probabilities(), posteriors["order"])
    with pytest.raises(ValueError, match=r"b\[0\] must be a directed graph without cycles"):
        total_variation(posteriors["order"], np.ones((1, 4, 4)) - np.eye(4))
