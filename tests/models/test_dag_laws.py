"""Laws of probability and symmetries of the posterior that counts each DAG once."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import letters
from helpers.examples import costly
from test_laws import evidences, problems


def learn(values, names=None, **arguments):
    names = letters(values.shape[1]) if names is None else names
    method = arguments.pop("method", osp.methods.Exact()).with_settings(target="dag")
    return osp.learn(values, variables=names, method=method, n_jobs=1, **arguments, standardize=False)


def either(edge):
    """That it is there, and that it is not."""
    return osp.Edges([edge]), osp.Edges(absent=[edge])


@costly
@given(st.data())
def test_permuting_columns_permutes_every_answer(data):
    values, arguments = data.draw(problems())
    d = values.shape[1]
    names = letters(d)
    shuffled = data.draw(st.permutations(range(d)))
    one, other = learn(values, **arguments), learn(values[:, shuffled], [names[i] for i in shuffled], **arguments)
    evidence = data.draw(evidences(d, most=2, orders=False))
    assume(one.probability(evidence) > 1e-9)
    for condition in (None, evidence):
        assert other.given(condition).log_evidence == pytest.approx(one.given(condition).log_evidence, abs=1e-9)
        theirs = other.edge_probabilities(condition).loc[names, names]
        np.testing.assert_allclose(theirs, one.edge_probabilities(condition), rtol=1e-7, atol=1e-9)
        assert other.entropy(condition) == pytest.approx(one.entropy(condition), abs=1e-8)
        best, again = one.most_probable_graph(condition), other.most_probable_graph(condition)
        assert set(best.graph.edges) == set(again.graph.edges)
        assert again.log_probability == pytest.approx(best.log_probability, abs=1e-8)


@costly
@given(st.data())
def test_an_event_happens_or_not(data):
    """Of two edges exactly one of the four cases is true, and of one edge one of two."""
    values, arguments = data.draw(problems())
    posterior = learn(values, **arguments)
    names = letters(values.shape[1])
    evidence = data.draw(evidences(values.shape[1], orders=False))
    assume(posterior.probability(evidence) > 0.0)
    under = posterior.given(evidence)
    frame = under.edge_probabilities()
    for cause, effect in itertools.permutations(names, 2):
        there, not_there = either((cause, effect))
        assert under.probability(there) + under.probability(not_there) == pytest.approx(1.0, abs=1e-10)
        assert frame.loc[cause, effect] == pytest.approx(under.probability(there), abs=1e-10)
    one, other = data.draw(st.permutations(list(itertools.permutations(names, 2))))[:2]
    cases = [
        a & b for a in (osp.Edges([one]), osp.Edges((), [one])) for b in (osp.Edges([other]), osp.Edges((), [other]))
    ]
    assert sum(under.probability(case) for case in cases) == pytest.approx(1.0, abs=1e-10)


@costly
@given(st.data())
def test_conditioning_in_two_steps(data):
    values, arguments = data.draw(problems())
    d = values.shape[1]
    posterior = learn(values, **arguments)
    first, second = data.draw(evidences(d, 2, orders=False)), data.draw(evidences(d, 2, orders=False))
    assume(posterior.probability(first & second) > 1e-12)
    at_once, in_steps = posterior.given(first & second), posterior.given(first).given(second)
    assert in_steps.evidence == at_once.evidence
    assert in_steps.log_evidence == pytest.approx(at_once.log_evidence, abs=1e-10)
    np.testing.assert_allclose(in_steps.edge_probabilities(), at_once.edge_probabilities(), rtol=0, atol=1e-10)
    chained = posterior.log_probability(first) + posterior.log_probability(second, given=first)
    assert chained == pytest.approx(posterior.log_probability(first & second), abs=1e-9)


@costly
@given(st.data())
def test_parent_sets_sum_to_one_and_to_edges(data):
    values, arguments = data.draw(problems())
    posterior = learn(values, **arguments)
    frame = posterior.edge_probabilities()
    for child in posterior.variables:
        table = posterior.parent_sets(child)
        assert table["probability"].sum() == pytest.approx(1.0, abs=1e-10)
        for cause in set(posterior.variables) - {child}:
            having = table["probability"][[cause in parents for parents in table["parents"]]].sum()
            assert having == pytest.approx(frame.loc[cause, child], abs=1e-10)


@costly
@given(st.data())
def test_counted_by_orders_every_graph_counts_at_least_once(data):
    """The order-modular posterior weighs each graph by the number of its orders, from 1 to d!."""
    values, arguments = data.draw(problems(largest=4))
    d = values.shape[1]
    once, by_order = (
        learn(values, **arguments),
        osp.learn(values, variables=letters(d), n_jobs=1, **arguments, standardize=False),
    )
    assert once.log_evidence < by_order.log_evidence <= once.log_evidence + np.log(np.arange(1.0, d + 1)).sum() + 1e-9
    best = once.most_probable_graph()
    assert best.log_score == pytest.approx(by_order.most_probable_graph().log_score, abs=1e-9)
