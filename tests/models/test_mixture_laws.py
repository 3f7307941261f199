"""Laws of mixtures that hold for any posteriors, weights and evidence."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import orderspn as osp
from helpers.examples import costly
from helpers.mixtures import MAKERS, NAMES, case
from test_laws import evidences


@st.composite
def mixtures(draw):
    """Some of the posteriors over four variables with some weights, not all of which are 0."""
    parts = [part.posterior for name in MAKERS for part in case(name).parts]
    chosen = draw(st.lists(st.sampled_from(parts), min_size=1, max_size=4))
    weights = draw(st.lists(st.sampled_from([0.0, 1.0, 0.5, 3.0, 1e-200]), min_size=len(chosen), max_size=len(chosen)))
    assume(any(weights))
    return chosen, weights


def conditions(most=2):
    return evidences(4, most, orders=False)


def assert_same(one, other, tolerance=1e-9):
    mine, theirs = (p.edge_probabilities().loc[NAMES, NAMES] for p in (one, other))
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=tolerance)
    for event in ("A -> B -> C", "A !-> D, B -> C", "A -- D"):
        assert one.probability(event) == pytest.approx(other.probability(event), abs=tolerance)
    for name in NAMES:
        mine, theirs = (dict(p.parent_sets(name).itertuples(index=False, name=None)) for p in (one, other))
        mine, theirs = ({frozenset(s): q for s, q in sets.items()} for sets in (mine, theirs))
        assert all(mine.get(s, 0.0) == pytest.approx(theirs.get(s, 0.0), abs=tolerance) for s in {*mine, *theirs})


@costly
@given(st.data())
def test_the_order_of_components_does_not_matter(data):
    posteriors, weights = data.draw(mixtures())
    order = data.draw(st.permutations(range(len(posteriors))))
    evidence = data.draw(conditions())
    one = osp.mix(posteriors, weights)
    other = osp.mix([posteriors[m] for m in order], [weights[m] for m in order])
    assume(one.probability(evidence) > 1e-9)
    one, other = one.given(evidence), other.given(evidence)
    assert_same(one, other)
    np.testing.assert_allclose(one.weights[list(order)], other.weights, rtol=1e-9)
    best, again = one.most_probable_graph(), other.most_probable_graph()
    assert best.log_probability == pytest.approx(again.log_probability, abs=1e-9)
    assert set(best.graph.edges) == set(again.graph.edges)


@costly
@given(st.data())
def test_a_mixture_of_one_is_that_one(data):
    """Also one of several, if it has all the weight, or several times the same."""
    posteriors, _ = data.draw(mixtures())
    one = posteriors[0]
    evidence = data.draw(conditions())
    assume(one.probability(evidence) > 1e-9)
    under = one.given(evidence)
    alone = [0.5] + [0.0] * (len(posteriors) - 1)
    for mixture in (osp.mix([one]), osp.mix(posteriors, alone), osp.mix([one, one, one], "equal")):
        assert_same(mixture.given(evidence), under, 1e-12)
        best, expected = mixture.given(evidence).most_probable_graph(), under.most_probable_graph()
        assert best.log_probability == pytest.approx(expected.log_probability, abs=1e-9)
        assert (best.edges, best.order) == (expected.edges, expected.order)
        assert best.log_score == expected.log_score


@costly
@given(st.data())
def test_an_event_happens_or_not(data):
    mixture = osp.mix(*data.draw(mixtures()))
    evidence = data.draw(conditions())
    assume(mixture.probability(evidence) > 1e-9)
    under = mixture.given(evidence)
    for pair in (("A", "B"), ("C", "A")):
        there, not_there = osp.Edges([pair]), osp.Edges(absent=[pair])
        assert under.probability(there) + under.probability(not_there) == pytest.approx(1.0, abs=1e-9)
        joint = mixture.probability(evidence & there) / mixture.probability(evidence)
        assert under.probability(there) == pytest.approx(joint, abs=1e-9)


@costly
@given(st.data())
def test_two_steps_of_evidence_are_one(data):
    mixture = osp.mix(*data.draw(mixtures()))
    first, second = data.draw(conditions(1)), data.draw(conditions(1))
    assume(mixture.probability(first & second) > 1e-9)
    at_once = mixture.given(first & second)
    for steps in (mixture.given(first).given(second), mixture.given(second).given(first)):
        np.testing.assert_allclose(steps.weights, at_once.weights, rtol=0, atol=1e-9)
        assert_same(steps, at_once)


@costly
@given(st.data())
def test_mixtures_of_mixtures_are_flat(data):
    (one, weights), (other, more) = data.draw(mixtures()), data.draw(mixtures())
    share = data.draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    nested = osp.mix([osp.mix(one, weights), osp.mix(other, more)], [share, 1 - share])
    total, total_more = sum(weights), sum(more)
    each = [share * w / total for w in weights] + [(1 - share) * w / total_more for w in more]
    flat = osp.mix([*one, *other], each)
    assert len(nested.components) == len(one) + len(other)
    np.testing.assert_allclose(nested.weights, flat.weights, rtol=1e-9, atol=1e-300)
    assert_same(nested, flat)


def test_ties_between_components_go_by_names():
    """Both directions of one edge are equally probable, whichever component they come from."""
    one = osp.learn(np.random.default_rng(1).normal(size=(30, 1)) + np.eye(30, 2), variables=["A", "B"])
    halves = [one.given("B -> A"), one.given("A -> B")]
    for parts in (halves, halves[::-1]):
        assert list(osp.mix(parts, "equal").most_probable_graph().graph.edges) == [("A", "B")]
        assert list(osp.mix(parts, "equal").best_graph().graph.edges) == [("A", "B")]


def test_the_law_of_total_probability():
    """A posterior is the mixture of what it is under an event and under its opposite."""
    for name in MAKERS:
        whole = case(name).mixture
        halves = [whole.given("A -> B"), whole.given("A !-> B")]
        again = osp.mix(halves, [whole.probability("A -> B"), whole.probability("A !-> B")])
        assert_same(again, whole)


def test_underflow():
    """Evidence that is all but impossible in one component leaves its weight far below the smallest number."""
    values = np.random.default_rng(0).normal(size=(2000, 2)) @ np.array([[1.0, 2.0], [0.0, 0.3]])
    dependent, other = (osp.learn(rows, variables=["A", "B"]) for rows in (values, values[:1500]))
    log_p = dependent.log_probability("A !-- B"), other.log_probability("A !-- B")
    assert max(log_p) < -800.0
    mixture = osp.mix([dependent, other], "equal")
    assert mixture.log_probability("A !-- B") == pytest.approx(np.logaddexp(*log_p) - math.log(2), abs=1e-6)
    assert mixture.given("A !-- B").weights.sum() == pytest.approx(1.0)
