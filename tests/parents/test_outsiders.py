"""Outsiders: all variables that are not candidates, or the best of them, alone and in pairs."""

import itertools

import numpy as np
import pytest

from helpers.data import gaussian_data
from orderspn.parents.candidates import forward_selection
from orderspn.parents.outsiders import PAIRED, choose_outsiders
from search.networks import local_score, log_score_of_set


def problem(d=9, size=3, seed=0):
    local = local_score(gaussian_data(d, 40, seed=seed))
    return local, [np.sort(forward_selection(local, child, size)) for child in range(d)]


def ranked_by_score(local, child, candidates):
    """Non-candidates, the best first: by the score of all candidates and one more."""
    non_candidates = [v for v in range(local.log_prior.size) if v != child and v not in candidates]
    return sorted(non_candidates, key=lambda v: -log_score_of_set(local, child, {*candidates.tolist(), v}))


@pytest.mark.parametrize("size", [0, 1, 3, 7])
@pytest.mark.parametrize("most", [None, 1, 2, 4, 100])
def test_one_at_a_time(size, most):
    local, candidates = problem(size=size)
    for child, rows in enumerate(choose_outsiders(local, candidates, 1, most)):
        ranked = ranked_by_score(local, child, candidates[child])
        assert rows.tolist() == [[v] for v in ranked[:most]]
        assert rows.dtype == np.int64
        if most is None:
            assert len(rows) == 8 - size


@pytest.mark.parametrize(("d", "size"), [(9, 3), (9, 7), (9, 6), (14, 2)])
@pytest.mark.parametrize("most", [None, 1, 3, 10])
def test_two_at_a_time(d, size, most):
    """All alone, then every pair of the leading ones."""
    local, candidates = problem(d, size)
    for child, rows in enumerate(choose_outsiders(local, candidates, 2, most)):
        leading = ranked_by_score(local, child, candidates[child])[:most]
        assert rows[: len(leading)].tolist() == [[v, -1] for v in leading]
        pairs = {frozenset(row) for row in rows[len(leading) :].tolist()}
        assert pairs == {frozenset(pair) for pair in itertools.combinations(leading[:PAIRED], 2)}
        assert len(rows) == len(leading) + len(pairs)
        assert rows.shape[1] == 2


@pytest.mark.parametrize("most", [None, 3])
def test_none_at_a_time(most):
    local, candidates = problem()
    assert all(rows.shape == (0, 0) for rows in choose_outsiders(local, candidates, 0, most))


@pytest.mark.parametrize("at_once", [1, 2])
def test_nobody_is_left_outside(at_once):
    local, candidates = problem(6, 5)
    assert all(rows.shape == (0, 0) for rows in choose_outsiders(local, candidates, at_once))


@pytest.mark.parametrize("at_once", [1, 2])
def test_each_variable_by_its_own_candidates(at_once):
    """Some have all, some none, some a few."""
    local, _ = problem(6, 0)
    candidates = [np.sort(forward_selection(local, child, size)) for child, size in enumerate([0, 5, 2, 4, 1, 3])]
    for child, (causes, rows) in enumerate(zip(candidates, choose_outsiders(local, candidates, at_once), strict=True)):
        members = set(rows[rows >= 0].tolist())
        assert members == set(range(6)) - {child} - set(causes.tolist())
        assert len({tuple(row) for row in rows.tolist()}) == len(rows)


def test_the_number_of_parents_of_a_row_has_a_prior():
    """With two outsiders beside all other candidates."""
    local, candidates = problem(6, 3)
    for child, rows in enumerate(choose_outsiders(local, candidates, 2)):
        table = local.table(child, candidates[child], rows)
        assert table.shape == ((1 + len(rows)) * 8,)
        assert np.isfinite(table).all()
