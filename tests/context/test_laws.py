"""Laws of posteriors with context variables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.examples import costly

CLOSE = {"rtol": 0, "atol": 1e-9}


@st.composite
def problems(draw):
    d = draw(st.integers(2, 5))
    context = draw(st.lists(st.integers(0, d - 1), min_size=1, max_size=d - 1, unique=True))
    return gaussian_data(d, 30, seed=draw(st.integers(0, 1000))), letters(d), [letters(d)[v] for v in context]


@costly
@given(problem=problems(), data=st.data())
def test_permuting_columns_permutes_answers(problem, data):
    values, names, context = problem
    places = data.draw(st.permutations(range(len(names))))
    one = osp.learn(values, variables=names, context=context, standardize=False)
    shuffled = [names[p] for p in places]
    other = osp.learn(values[:, places], variables=shuffled, context=data.draw(st.permutations(context)))
    again = osp.learn(values[:, places], variables=shuffled, context=context, standardize=False)
    assert other.context == again.context == [name for name in shuffled if name in context]
    np.testing.assert_allclose(again.edge_probabilities().loc[names, names], one.edge_probabilities(), **CLOSE)
    best, expected = again.most_probable_graph().graph, one.most_probable_graph().graph
    assert set(best.edges) == set(expected.edges)


@costly
@given(problem=problems())
def test_evidence_is_knowledge(problem):
    values, names, context = problem
    effect = next(name for name in names if name not in context)
    edge = (context[0], effect)
    before = osp.learn(values, variables=names, context=context, knowledge=osp.Knowledge([edge]), standardize=False)
    after = osp.learn(values, variables=names, context=context, standardize=False).given([edge])
    assert before.log_evidence == pytest.approx(after.log_evidence, abs=1e-9)
    np.testing.assert_allclose(before.edge_probabilities(), after.edge_probabilities(), **CLOSE)


@costly
@given(problem=problems())
def test_nothing_into_context(problem):
    values, names, context = problem
    posterior = osp.learn(values, variables=names, context=context)
    assert (posterior.edge_probabilities()[context] == 0.0).all(axis=None)
    assert not posterior.sample(20, rng=0).adjacency[:, :, [names.index(c) for c in context]].any()
    effects = posterior.effect_samples(5, rng=0).values
    for name in context:
        place = names.index(name)
        np.testing.assert_array_equal(np.delete(effects[:, :, place], place, axis=1), 0.0)


def test_values_of_context_variables_may_be_anything_of_their_kind():
    """Context is not explained, so its own distribution does not matter: only what it says about others."""
    values = gaussian_data(4, 60, seed=3)
    frame = pd.DataFrame(values, columns=letters(4))
    one = osp.learn(frame, context=["A"])
    other = osp.learn(frame.assign(A=5.0 - 3.0 * frame["A"]), context=["A"])
    np.testing.assert_allclose(one.edge_probabilities(), other.edge_probabilities(), **CLOSE)


def test_interventions_on_context_are_ignored_in_its_own_score():
    values, names = gaussian_data(4, 40, seed=4), letters(4)
    rows = ["A"] * 10 + [None] * 30
    plain = osp.learn(values, variables=names, context=["A"], standardize=False)
    set_by_hand = osp.learn(values, variables=names, context=["A"], interventions=rows, standardize=False)
    np.testing.assert_allclose(plain.edge_probabilities(), set_by_hand.edge_probabilities(), **CLOSE)
    assert plain.log_evidence == pytest.approx(set_by_hand.log_evidence, abs=1e-9)
