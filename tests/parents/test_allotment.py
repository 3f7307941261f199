"""How many candidates each variable has: laws of the choice, and its place in a plan."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import gaussian_data
from orderspn.parents import allotment as module
from orderspn.parents.allotment import LEAST, LEAST_SAVED, MOST, Allotment, saved_by_claims
from orderspn.parents.plan import LARGEST_FAMILY, ROUNDS, SHARE_OF_ONE, plan_parents
from orderspn.parents.sizes import rows_of_outsiders
from orderspn.scores.parent_rules import ParentRules
from search.networks import local_score

UNLIMITED = 1 << 40


@st.composite
def problems(draw):
    """An allotment, claims of up to nine variables, and rules for parents."""
    d = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    claims = rng.random((d, d)) * (rng.random((d, d)) < draw(st.sampled_from([0.2, 0.6, 1.0])))
    allowed = (rng.random((d, d)) < draw(st.sampled_from([0.6, 1.0]))) & ~np.eye(d, dtype=bool)
    required = allowed & (rng.random((d, d)) < draw(st.sampled_from([0.0, 0.2])))
    rules = replace(ParentRules.none(d), allowed=allowed, required=required)
    least = draw(st.integers(0, 4))
    most = draw(st.integers(least, 9))
    largest = draw(st.sampled_from([8, 32, 200, UNLIMITED]))
    total = draw(st.sampled_from([1, 16, 64, 300, 2000, UNLIMITED]))
    at_once, most_outsiders = draw(st.integers(0, 2)), draw(st.sampled_from([None, 2]))
    return Allotment(least, most, total, largest, at_once, most_outsiders), claims, rules


def sets_of(allotment, chosen):
    """Parent sets of each variable."""
    d = len(chosen)
    return [(1 + allotment.rows(d, own.size)) << own.size for own in chosen]


def bounds(allotment, rules, child):
    """Fewest and most candidates that a variable may have, whatever it costs in all."""
    possible, certain = int(rules.allowed[:, child].sum()), int(rules.required[:, child].sum())
    least = min(max(allotment.least, certain), possible)
    most = min(allotment.most, possible)
    while most > least and 1 << most > allotment.largest:
        most -= 1
    return least, max(least, most)


def plain_savings(values):
    """What each of some claims saves for each subset of the candidates before it, the highest claim first."""
    values = sorted((min(value, 1.0) if value == np.inf else max(value, 0.0) for value in values), reverse=True)
    unmet = list(itertools.accumulate(reversed(values)))[::-1]  # this claim and all lower ones
    return [value * left * 0.5**rank for rank, (value, left) in enumerate(zip(values, unmet, strict=True))]


def plain_choice(allotment, claims, rules):
    """The claims that save more than a limit, which rises until everything fits; variable by variable."""
    d, lowest = len(claims), LEAST_SAVED
    while True:
        chosen = []
        for child in range(d):
            least, most = bounds(allotment, rules, child)
            required = [k for k in range(d) if rules.required[k, child]]
            others = [k for k in range(d) if rules.allowed[k, child] and k not in required]
            others.sort(key=lambda k: (-claims[k, child], k))
            savings = plain_savings([*(np.inf for _ in required), *(claims[k, child] for k in others)])
            wanted = sum(value > lowest for value in savings)
            size = min(max(wanted, least), most)
            chosen.append(np.array(sorted([*required, *others][:size]), dtype=np.int64))
        fits = sum(sets_of(allotment, chosen)) <= allotment.total
        if fits or all(own.size == bounds(allotment, rules, child)[0] for child, own in enumerate(chosen)):
            return chosen
        lowest *= module.RAISED


class TestLaws:
    @given(problems())
    def test_a_plain_choice(self, problem):
        allotment, claims, rules = problem
        found, expected = allotment.choose(claims, rules), plain_choice(allotment, claims, rules)
        assert [own.tolist() for own in found] == [own.tolist() for own in expected]
        assert all(own.dtype == np.int64 for own in found)

    @given(problems())
    def test_within_the_memory_and_the_bounds(self, problem):
        """More than there is memory for only where every variable has the least."""
        allotment, claims, rules = problem
        chosen = allotment.choose(claims, rules)
        limits = [bounds(allotment, rules, child) for child in range(len(chosen))]
        for own, (least, most) in zip(chosen, limits, strict=True):
            assert least <= own.size <= most
        at_least = [own.size == least for own, (least, _) in zip(chosen, limits, strict=True)]
        sets = sets_of(allotment, chosen)
        assert sum(sets) <= allotment.total or all(at_least)
        assert all(own <= allotment.largest or is_least for own, is_least in zip(sets, at_least, strict=True))

    @given(problems())
    def test_rules(self, problem):
        allotment, claims, rules = problem
        for child, own in enumerate(allotment.choose(claims, rules)):
            assert set(np.flatnonzero(rules.required[:, child]).tolist()) <= set(own.tolist())
            assert rules.allowed[own, child].all()
            assert (np.diff(own) > 0).all()

    @given(problems(), st.integers(0, 2**20))
    def test_numbers_of_variables_do_not_matter(self, problem, seed):
        """Unless claims are equal: then the first are taken."""
        allotment, claims, rules = problem
        d = len(claims)
        rng = np.random.default_rng(seed)
        claims = np.maximum(claims, rng.random((d, d)) * 0.02)  # no ties
        order = rng.permutation(d)  # the new variable i is the old order[i]
        both = np.ix_(order, order)
        renamed = replace(rules, allowed=rules.allowed[both], required=rules.required[both])
        found, other = allotment.choose(claims, rules), allotment.choose(claims[both], renamed)
        for new, old in enumerate(order.tolist()):
            assert sorted(order[other[new]].tolist()) == found[old].tolist()

    @given(problems(), st.integers(0, 4000))
    def test_more_memory_takes_no_candidate_away(self, problem, more):
        allotment, claims, rules = problem
        richer = replace(allotment, total=allotment.total + more)
        for own, wider in zip(allotment.choose(claims, rules), richer.choose(claims, rules), strict=True):
            assert set(own.tolist()) <= set(wider.tolist())

    @given(problems())
    def test_claims_are_left_as_they_are(self, problem):
        allotment, claims, rules = problem
        before = claims.copy()
        allotment.choose(claims, rules)
        np.testing.assert_array_equal(claims, before)


def test_savings():
    """Half the square of the sum of unmet claims falls by about the claim times that sum."""
    claims = np.random.default_rng(0).random((30, 3)) ** 4
    claims[:2, 0], claims[2, 1] = np.inf, -np.inf
    found = saved_by_claims(claims)
    for j in range(3):
        np.testing.assert_allclose(found[:, j], plain_savings(claims[:, j].tolist()), rtol=1e-12, atol=0)
    assert (np.diff(found, axis=0) <= 0).all()
    ranked = -np.sort(-claims[:, 2])
    unmet = np.array([ranked[k:].sum() for k in range(31)])
    fall = 0.5 * (unmet[:-1] ** 2 - unmet[1:] ** 2)
    np.testing.assert_allclose(found[:, 2] * 2.0 ** np.arange(30), fall + 0.5 * ranked**2, rtol=1e-9, atol=1e-15)


def test_a_higher_limit_gives_fewer(monkeypatch):
    rng = np.random.default_rng(0)
    claims, rules = rng.random((8, 8)), ParentRules.none(8)
    sizes = []
    for lowest in (1e-6, 0.01, 0.2, 2.0):
        monkeypatch.setattr(module, "LEAST_SAVED", lowest)
        sizes.append([own.size for own in Allotment(0, 7, UNLIMITED, UNLIMITED, 1, None).choose(claims, rules)])
    for fewer, more in itertools.pairwise(reversed(sizes)):
        assert all(a <= b for a, b in zip(fewer, more, strict=True))
    assert sizes[0] != sizes[-1]


@pytest.mark.parametrize(("total", "size"), [(UNLIMITED, MOST), (25 << 16, None), (25 << 5, LEAST)])
def test_hubs(total, size):
    """Two variables that everything claims to cause have as many candidates as there is memory for."""
    claims = np.zeros((25, 25))
    claims[:, :2] = np.random.default_rng(0).uniform(0.5, 1.0, size=(25, 2))
    chosen = Allotment(LEAST, MOST, total, 1 << MOST, 0, None).choose(claims, ParentRules.none(25))
    assert all(own.size == LEAST for own in chosen[2:])
    if size is None:
        assert LEAST < chosen[0].size < MOST
    else:
        assert chosen[0].size == chosen[1].size == size


def test_ties_go_to_the_first_and_nobody_is_its_own_parent():
    chosen = Allotment(2, 2, UNLIMITED, UNLIMITED, 0, None).choose(np.zeros((4, 4)), ParentRules.none(4))
    assert [own.tolist() for own in chosen] == [[1, 2], [0, 2], [0, 1], [0, 1]]


class TestRows:
    """Variables with many candidates have fewer outsiders."""

    @pytest.mark.parametrize("at_once", [0, 1, 2])
    @pytest.mark.parametrize("most", [None, 3])
    def test_within_the_largest_family(self, at_once, most):
        own = Allotment(0, 9, UNLIMITED, 1 << 8, at_once, most)
        for size in range(10):
            full = rows_of_outsiders(12, size, at_once, most)
            rows = own.rows(12, size)
            assert 0 <= rows <= full
            assert (1 + rows) << size <= 1 << 8 or rows == 0
            assert rows == full or (2 + rows) << size > 1 << 8

    @pytest.mark.parametrize("at_once", [1, 2])
    def test_the_first_of_all_rows(self, at_once):
        local = local_score(gaussian_data(9, 40, seed=0))
        candidates = [np.delete(np.arange(9), child)[: child % 5] for child in range(9)]
        usual = Allotment(0, 9, UNLIMITED, UNLIMITED, at_once, None).outsiders(local, candidates)
        narrow = Allotment(0, 9, UNLIMITED, 1 << 5, at_once, None)
        fewer = narrow.outsiders(local, candidates)
        for own, full, rows in zip(candidates, usual, fewer, strict=True):
            np.testing.assert_array_equal(rows, full[: narrow.rows(9, own.size)])
        assert sum(map(len, fewer)) < sum(map(len, usual))


class TestPlans:
    @staticmethod
    def plan(d, candidates="auto", refine=None, memory=4 << 30):
        return plan_parents(candidates, "auto", refine, d, memory, searched=True, needed=lambda _: 0)

    @pytest.mark.parametrize("size", [1, 3, 7])
    def test_a_number_that_was_requested(self, size):
        """All variables have it, whatever they claim."""
        plan = self.plan(30, size)
        assert not plan.varies
        allotment = plan.allotment(30)
        claims = np.random.default_rng(0).random((30, 30)) ** 8
        chosen = allotment.choose(claims, ParentRules.none(30))
        assert [own.size for own in chosen] == [size] * 30
        assert sum(sets_of(allotment, chosen)) == plan.sizes(30).total
        assert allotment.rows(30, size) == 29 - size

    @pytest.mark.parametrize("d", [21, 64, 200])
    def test_an_open_number(self, d):
        plan = self.plan(d)
        assert plan.varies
        allotment, sizes = plan.allotment(d), plan.sizes(d)
        assert (allotment.least, allotment.most, allotment.total) == (LEAST, MOST, sizes.total)
        assert allotment.largest == sizes.largest == max(*sizes.sets, min(LARGEST_FAMILY, sizes.total // SHARE_OF_ONE))
        rng = np.random.default_rng(0)
        for claims in (rng.random((d, d)), rng.random((d, d)) ** 30, np.zeros((d, d))):
            sets = sets_of(allotment, allotment.choose(claims, ParentRules.none(d)))
            assert sum(sets) <= sizes.total
            assert max(sets) <= sizes.largest

    def test_what_does_not_vary(self):
        assert not self.plan(30, refine=0).varies
        assert not self.plan(10).varies
        assert self.plan(30, refine=1).varies
        assert self.plan(30).rounds == ROUNDS

    def test_a_single_variable_may_have_more_than_its_share(self):
        varying, fixed = self.plan(64), self.plan(64, 12)
        assert varying.candidates == fixed.candidates
        assert varying.sizes(64).total == fixed.sizes(64).total
        assert varying.sizes(64).largest > fixed.sizes(64).largest == max(fixed.sizes(64).sets)
