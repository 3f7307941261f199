"""Comparison of two posteriors, against brute force over all graphs of four variables."""

import itertools

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from reference import metrics as reference
from reference.enumeration import Enumeration
from reference.local_scores import local_scores

NAMES = letters(4)
VALUES = gaussian_data(4, 30, seed=8)


def learn(columns=range(4), values=VALUES, **arguments):
    names = letters(values.shape[1])
    columns = list(columns)
    return osp.learn(
        values[:, columns], variables=[names[v] for v in columns], standardize=False, n_jobs=1, **arguments
    )


@pytest.fixture(scope="module")
def fair():
    return learn()


@pytest.fixture(scope="module")
def uniform():
    return learn(prior="uniform")


def graphs_of(prior):
    brute = Enumeration.of(local_scores(VALUES, prior))
    graphs, which = np.unique(brute.adjacency, axis=0, return_inverse=True)
    return {g.tobytes(): (g, p) for g, p in zip(graphs, np.bincount(which.ravel(), brute.p), strict=True)}


def test_against_all_pairs_of_graphs(fair, uniform):
    found = osp.compare(fair, uniform)
    one, other = graphs_of("fair"), graphs_of("uniform")
    every = one.keys() | other.keys()
    share = lambda listed, key: listed[key][1] if key in listed else 0.0  # noqa: E731
    distance = sum(abs(share(one, key) - share(other, key)) for key in every) / 2
    assert found.total_variation.exact
    assert found.total_variation.lower == pytest.approx(distance, abs=1e-9)
    likely = [[(g, p) for g, p in listed.values() if p > 1e-4] for listed in (one, other)]
    expected = sum(p * q * reference.hamming(g, h) for (g, p), (h, q) in itertools.product(*likely))
    assert found.expected_differences == pytest.approx(expected, abs=0.1)
    for row in found.edges.itertuples():
        assert row.first == fair.edge_probabilities().loc[row.cause, row.effect]
        assert row.second == uniform.edge_probabilities().loc[row.cause, row.effect]
        assert row.change == row.second - row.first
    assert found.edges["change"].abs().round(9).is_monotonic_decreasing
    assert (found.edges["standard_error"] == 0.0).all()
    joined = uniform.adjacency_probabilities() - fair.adjacency_probabilities()
    for row in found.adjacencies.itertuples():
        assert row.change == pytest.approx(joined.loc[row.a, row.b], abs=1e-12)
    assert len(found.adjacencies) == 6


def test_the_bound_is_below_the_distance(fair, uniform, monkeypatch):
    exact = osp.compare(fair, uniform).total_variation.lower
    monkeypatch.setattr("orderspn.comparison.comparing.LISTED_UP_TO", 3)
    bound = osp.compare(fair, uniform).total_variation
    assert not bound.exact
    moved = osp.compare(fair, uniform)
    largest = max(moved.edges["change"].abs().max(), moved.adjacencies["change"].abs().max())
    assert largest - 1e-12 <= bound.lower <= exact


def test_a_posterior_does_not_differ_from_itself(fair):
    found = osp.compare(fair, fair)
    assert found.total_variation.lower == pytest.approx(0.0, abs=1e-12)
    assert (found.edges["change"] == 0.0).all()
    assert found.expected_differences == found.expected_within[0] == found.expected_within[1]
    assert "largest changes" not in repr(found)


def test_with_and_without_a_variable(fair):
    without = learn([3, 0, 1])
    found = osp.compare(fair, without, labels=("all", "less"))
    assert (found.variables, found.only_in_first, found.only_in_second) == (["A", "B", "D"], ["C"], [])
    assert not found.total_variation.exact
    assert "only in all: C" in repr(found)
    back = osp.compare(without, fair)
    assert back.only_in_second == ["C"]
    assert set(back.edges["cause"]) <= {"A", "B", "D"}
    changes = {(row.cause, row.effect): row.change for row in found.edges.itertuples()}
    assert all(row.change == -changes[row.cause, row.effect] for row in back.edges.itertuples())


def test_evidence_context_and_targets_are_stated(fair):
    found = osp.compare(fair.given("A -> B"), learn(context=["C"], method=osp.methods.Exact(target="dag")))
    text = repr(found)
    assert "a is given A -> B" in text
    assert "C: context, which is never explained, only in b" in text
    assert "targets differ" in text
    assert "A -&gt; B" in found._repr_html_()


@pytest.mark.parametrize("method", [osp.methods.Gadget(n_graphs=400, effort=0.05)], ids=["gadget"])
def test_samples_have_standard_errors(fair, method):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampled = learn(method=method, rng=0)
    found = osp.compare(fair, sampled)
    assert (found.edges["standard_error"].dropna() > 0.0).all()
    assert found.edges["standard_error"].notna().any()
    assert not found.total_variation.exact
    mixture = osp.mix([fair, sampled], "equal")
    assert osp.compare(fair, mixture).edges["change"].abs().max() <= found.edges["change"].abs().max()


def test_wrong_arguments(fair):
    with pytest.raises(TypeError, match="b must be a posterior; got DataFrame"):
        osp.compare(fair, fair.edge_probabilities())
    with pytest.raises(ValueError, match="at least two variables in common; got 0"):
        osp.compare(fair, osp.learn(VALUES, variables=list("WXYZ"), n_jobs=1))
    for labels in ("ab", ["a"], ["a", "a"], 3, ["a", 2]):
        with pytest.raises(ValueError, match="labels must be two"):
            osp.compare(fair, fair, labels=labels)


def test_equal_posteriors_differ_in_no_pair():
    data = osp.load_sachs(log=True).data
    posterior = osp.learn(data)
    found = osp.compare(posterior, posterior)
    assert found.total_variation.lower == 0.0
    assert "at least 0.000\n" in str(found)
    assert found.total_variation.event == "Raf and Mek"  # two variables, also where all pairs are alike
