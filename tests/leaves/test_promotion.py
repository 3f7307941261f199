"""One more candidate: the same parent sets, and the same sums over those within any predecessors."""

import itertools

import numpy as np
import pytest

from helpers.families import as_predecessors, parents_of, random_outsiders
from orderspn.core.masks import MOST_CANDIDATES
from orderspn.leaves import order_constraints
from orderspn.leaves.family import Family
from orderspn.leaves.order_constraints import may_promote, promoted
from orderspn.scores.local import NO_OUTSIDERS
from reference.enumeration import log_sum_exp

D, CHILD = 7, 3
OTHERS = [v for v in range(D) if v != CHILD]


def family(candidates, at_once, seed=0):
    rng = np.random.default_rng([seed, at_once, *candidates])
    outsiders = random_outsiders(rng, D, CHILD, candidates, at_once)
    log_score = rng.normal(scale=2.0, size=(1 + len(outsiders)) << len(candidates))
    log_score[rng.random(log_score.size) < 0.2] = -np.inf
    return Family(CHILD, np.array(candidates, dtype=np.int64), log_score, -7.5, outsiders)


def possible_sets(f):
    """{parents: log score} of the sets that are possible; each may be there only once."""
    named = [(parents_of(f, number), float(s)) for number, s in enumerate(f.log_score)]
    assert len({parents for parents, _ in named}) == len(named)
    return {parents: s for parents, s in named if s > -np.inf}


CASES = [
    (candidates, at_once, variable)
    for candidates in ([], [0], [5], [1, 4], [0, 2, 6])
    for at_once in (0, 1, 2)
    for variable in OTHERS
    if variable not in candidates
]


@pytest.mark.parametrize(("candidates", "at_once", "variable"), CASES)
def test_the_parent_sets_are_the_same(candidates, at_once, variable):
    f = family(candidates, at_once)
    more = promoted(f, variable)
    assert possible_sets(more) == possible_sets(f)
    assert more.candidates.tolist() == sorted([*candidates, variable])
    assert variable not in more.outsider_rows
    assert (more.child, more.log_scale, more.needs.size) == (CHILD, -7.5, 0)
    assert more.log_score.size == more.n_rows << (len(candidates) + 1)
    assert more.outsider_rows.dtype == np.int64
    if more.n_rows > 1:
        assert (more.outsider_rows[:, 0] >= 0).all()
    else:
        assert more.outsider_rows is NO_OUTSIDERS


@pytest.mark.thorough
@pytest.mark.parametrize(("candidates", "at_once", "variable"), CASES)
def test_sums_within_predecessors_are_the_same(candidates, at_once, variable):
    f = family(candidates, at_once)
    more = promoted(f, variable)
    for u in itertools.chain.from_iterable(itertools.combinations(OTHERS, size) for size in range(D)):
        np.testing.assert_allclose(_mass(more, u), _mass(f, u), rtol=1e-12)


def _mass(f, predecessors):
    masks, opened = f.opened_by(as_predecessors(predecessors, D)[None])
    return log_sum_exp(f.log_mass.reshape(f.n_rows, f.n_masks)[opened[0], masks[0]])


def test_by_hand():
    """Candidate 4; rows of 0, of 5, of 0 and 5, of 1 and 0. Promoted, 0 leaves rows of 5 and, which is new, of 1."""
    rows = np.array([[0, -1], [5, -1], [5, 0], [0, 1]])
    f = Family(CHILD, np.array([4]), np.arange(10.0), 0.0, rows)
    more = promoted(f, 0)
    assert more.candidates.tolist() == [0, 4]
    assert more.outsider_rows.tolist() == [[5, -1], [1, -1]]
    impossible = -np.inf
    assert more.log_score.reshape(3, 4).tolist() == [
        [0.0, 2.0, 1.0, 3.0],  # {}, {0}, {4}, {0, 4}
        [4.0, 6.0, 5.0, 7.0],
        [impossible, 8.0, impossible, 9.0],
    ]


def test_who_was_in_no_set_stays_in_none():
    f = Family(CHILD, np.array([1, 4]), np.zeros(4))
    more = promoted(f, 2)
    assert not np.isfinite(more.log_score.reshape(2, 2, 2)[:, 1]).any()
    assert possible_sets(more) == possible_sets(f)


def test_needs_are_kept():
    f = family([1, 4], 2).after(np.array([4]))
    assert promoted(f, 0).needs.tolist() == [4]
    again = promoted(promoted(f, 0).after(np.array([0])), 6)
    assert again.needs.tolist() == [0, 4]
    np.testing.assert_array_equal(np.isfinite(again.log_mass).any(), True)


@pytest.mark.parametrize("order", list(itertools.permutations([0, 5, 6])))
def test_several_in_any_order(order):
    f = family([1, 4], 2)
    more = f
    for variable in order:
        more = promoted(more, variable)
    assert more.candidates.tolist() == [0, 1, 4, 5, 6]
    assert possible_sets(more) == possible_sets(f)


def test_bounds(monkeypatch):
    monkeypatch.setattr(order_constraints, "MOST_CANDIDATES", 3)
    assert may_promote(family([0, 1], 0))
    assert not may_promote(family([0, 1, 2], 0))
    monkeypatch.setattr(order_constraints, "MOST_SETS", 64)
    assert may_promote(family([0, 1], 1))
    assert not may_promote(family([0, 1], 2))  # many rows of pairs
    assert MOST_CANDIDATES == 24
