"""Regressions that are kept while parents come and go, beside regressions from the start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from climbing.problems import local_score
from orderspn.climbing.regression import INFLATION, LOG_DET, add_member, load, new_regression, remove_member
from orderspn.climbing.shifted import log_score_of
from orderspn.climbing.terms import climb_terms

pytestmark = pytest.mark.kernels

D = 6
LOCALS = {kind: local_score(kind, D) for kind in ("bge", "bic", "interventions", "far means")}
TERMS = {kind: climb_terms(local) for kind, local in LOCALS.items()}


def from_the_start(terms, child, members):
    """Variances, covariances with the child and the residual of the shift of all variables, given the members."""
    g = terms.group[child]
    matrix, shift = terms.matrices[g], terms.shifts[g]
    inner = matrix[np.ix_(members, members)]
    solved = np.linalg.solve(inner, np.column_stack([matrix[members], shift[members]]))
    whole = np.vstack([np.column_stack([matrix, shift]), np.append(shift, 0.0)])
    outer = np.column_stack([matrix[members], shift[members]])
    left = whole - outer.T @ solved
    return np.diag(left)[:-1], left[child, :-1], left[-1, :-1], np.linalg.slogdet(inner)[1], 1.0 - left[-1, -1]


@st.composite
def steps(draw):
    """A child, and places: each adds the variable there among those outside, or removes the member there."""
    return draw(st.integers(0, D - 1)), draw(st.lists(st.tuples(st.booleans(), st.integers(0, D)), max_size=12))


@pytest.mark.parametrize("kind", LOCALS)
@given(steps())
def test_adding_and_removing_equals_a_regression_from_the_start(kind, taken):
    child, changes = taken
    terms = TERMS[kind]
    regression, members = new_regression(D, D - 1), []
    load(regression, terms, child, np.empty(0, dtype=np.int32), 0, -1)
    for adds, place in changes:
        outside = [v for v in range(D) if v != child and v not in members]
        if adds and outside:
            members.append(outside[place % len(outside)])
            add_member(regression, terms, child, members[-1])
        elif not adds and members:
            place %= len(members)
            remove_member(regression, terms, child, place)
            del members[place]
    assert regression.members[: regression.size[0]].tolist() == members
    assert np.flatnonzero(regression.inside).tolist() == sorted(members)
    variance, covariance, left, log_det, inflation = from_the_start(terms, child, members)
    outside = [v for v in range(D) if v not in members]
    scale = np.diag(terms.matrices[terms.group[child]])[outside]
    np.testing.assert_allclose(regression.variance[outside] / scale, variance[outside] / scale, atol=1e-10)
    np.testing.assert_allclose(regression.covariance[outside] / scale, covariance[outside] / scale, atol=1e-10)
    if kind == "far means":
        np.testing.assert_allclose(regression.left[outside], left[outside], rtol=1e-8, atol=1e-6)
    assert regression.totals[LOG_DET] == pytest.approx(log_det, abs=1e-9)
    assert regression.totals[INFLATION] == pytest.approx(inflation, rel=1e-8)
    expected = LOCALS[kind].of_set(child, np.array(sorted(members), dtype=np.int64))
    assert log_score_of(regression, terms, child) == pytest.approx(expected, abs=1e-7 if kind == "far means" else 1e-8)


def test_a_copy_of_a_parent_leaves_its_floor():
    """Two equal columns: the second has no variance left but its floor, and removing either gives the other."""
    values = np.random.default_rng(0).normal(size=(50, 3))
    values[:, 2] = values[:, 1]
    terms = TERMS["bic"]._replace(
        matrices=np.ascontiguousarray(values.T @ values)[None],
        shifts=np.zeros((1, 3)),
        group=np.zeros(3, dtype=np.int64),
        floors=np.full((1, 3), 1e-11),
        log_odds=np.zeros((3, 3)),
    )
    regression = new_regression(3, 2)
    load(regression, terms, 0, np.empty(0, dtype=np.int32), 0, -1)
    add_member(regression, terms, 0, 1)
    alone = regression.variance[0]
    add_member(regression, terms, 0, 2)
    assert np.isfinite(regression.totals).all()
    assert regression.variance[0] == pytest.approx(alone, rel=1e-6)
    remove_member(regression, terms, 0, 0)
    assert regression.variance[0] == pytest.approx(alone, rel=1e-3)
