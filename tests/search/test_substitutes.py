"""Who would take a parent's place: against a slow search over scored sets, and why it matters."""

from dataclasses import replace

import numpy as np
import pytest

import orderspn as osp
from orderspn.core.workers import Workers
from orderspn.data.dataset import read_table
from orderspn.parents.candidates import forward_selection
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.structure_prior import log_prior_by_size
from orderspn.search.substitutes import (
    FALL,
    FIRST_CLAIM,
    LESS_EACH,
    PARENTS,
    STRONG,
    SUBSTITUTES,
    _selected,
    substitute_claims,
)

D = 9


def local_score(seed, d=D, most=None, rules=None):
    data = read_table(osp.simulate.linear_gaussian(d, 60, rng=seed).data, None, standardize=False)
    return LocalScore(BGe().fit(data), log_prior_by_size("fair", d), d - 1 if most is None else most, rules)


def slow_selection(local, child, size, allowed):
    """Score every set of one member more as a table of its own."""
    chosen = []
    for _ in range(size):
        left = [v for v in range(D) if v != child and v not in chosen and allowed[v]]
        if not left:
            break
        scores = {v: local.table(child, np.array(sorted([*chosen, v])))[-1] for v in left}
        chosen.append(max(left, key=scores.get))
    return chosen


def slow_substitutes(local, child, allowed):
    """The same from the required causes on, until the score is far below the highest one."""
    begin = chosen = local.rules.required_of(child).tolist()
    highest = -np.inf
    while len(chosen) < len(begin) + SUBSTITUTES:
        left = [v for v in range(D) if v != child and v not in chosen and allowed[v] and local.rules.allowed[v, child]]
        scores = {v: local.table(child, np.array(sorted([*chosen, v])))[-1] for v in left}
        best = max(left, key=scores.get, default=None)
        if best is None or scores[best] == -np.inf or scores[best] < highest - FALL:
            break
        highest = max(highest, scores[best])
        chosen = [*chosen, best]
    return chosen[len(begin) :]


def some_rules(seed):
    rng = np.random.default_rng(seed)
    allowed = (rng.random((D, D)) < 0.7) & ~np.eye(D, dtype=bool)
    return replace(ParentRules.none(D), allowed=allowed, required=np.triu(allowed & (rng.random((D, D)) < 0.15)))


PROBLEMS = {"plain": {}, "three parents": {"most": 3}, "rules": {"rules": some_rules(0)}}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("seed", range(3))
def test_substitutes_one_by_one(seed, name):
    """Candidates may be more than there may be parents at once."""
    rng = np.random.default_rng(seed)
    local, unlimited = local_score(seed, **PROBLEMS[name]), local_score(seed, **PROBLEMS[name] | {"most": None})
    lengths = set()
    for child in range(D):
        allowed = rng.random(D) < 0.8
        allowed[child] = False
        found = _selected(local, child, allowed)
        assert found == slow_substitutes(unlimited, child, allowed)
        lengths.add(len(found))
    assert len(lengths) > 1
    assert max(lengths) <= SUBSTITUTES


def test_a_selection_ends_where_the_score_falls():
    """Of variables that explain nothing, each costs about four nats of this much data."""
    values = np.random.default_rng(0).normal(size=(3000, D))
    local = LocalScore(BGe().fit(read_table(values)), log_prior_by_size("fair", D), D - 1)
    for child in range(D):
        found = _selected(local, child, np.arange(D) != child)
        scores = [local.table(child, np.sort(found[:k]))[-1] for k in range(1, len(found) + 1)]
        assert all(value >= max(scores[: k + 1]) - FALL for k, value in enumerate(scores))
        assert 1 <= len(found) < SUBSTITUTES


@pytest.mark.parametrize("seed", range(4))
def test_selection_among_some(seed):
    rng = np.random.default_rng(seed)
    local = local_score(seed)
    for child in range(D):
        allowed = rng.random(D) < 0.5
        for size in (0, 2, 5):
            found = forward_selection(local, child, size, allowed).tolist()
            assert found == slow_selection(local, child, size, allowed)
            assert len(found) == min(size, int(allowed.sum()) - bool(allowed[child]))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_claims(seed, n_jobs):
    rng = np.random.default_rng(seed)
    local = local_score(seed)
    edges = rng.random((D, D))
    orders = np.array([rng.permutation(D) for _ in range(7)])
    expected = np.zeros((D, D))
    for child in range(D):
        places = [order.tolist() for order in orders]
        usual = [sum(p.index(v) < p.index(child) for p in places) > len(places) / 2 for v in range(D)]
        for parent in sorted(range(D), key=lambda v: -edges[v, child])[:PARENTS]:
            if edges[parent, child] > STRONG:
                allowed = [usual[v] and v != parent for v in range(D)]
                for rank, cause in enumerate(slow_substitutes(local, child, allowed)):
                    expected[cause, child] = max(expected[cause, child], FIRST_CLAIM - LESS_EACH * rank)
    assert expected.any()
    np.testing.assert_allclose(substitute_claims(edges, orders, local, Workers(n_jobs)), expected, atol=1e-12)


def test_weak_parents_have_no_substitutes():
    edges = np.full((D, D), STRONG)
    assert not substitute_claims(edges, np.arange(D)[None], local_score(0), Workers()).any()


def test_several_variables_replace_one():
    """The sum of four causes explains the child best; without it they do together, and none of them shows before."""
    rng = np.random.default_rng(0)
    causes = rng.normal(size=(300, 4))
    total = causes.sum(axis=1) + 0.05 * rng.normal(size=300)
    child = total + 0.05 * rng.normal(size=300)
    values = np.column_stack([causes, rng.normal(size=(300, 2)), total, child])
    d = values.shape[1]
    data = read_table(values, None, standardize=False)
    local = LocalScore(BGe().fit(data), log_prior_by_size("fair", d), d - 1)
    edges = np.zeros((d, d))
    edges[6, 7] = 1.0
    claims = substitute_claims(edges, np.arange(d)[None], local, Workers())
    assert set(np.argsort(-claims[:, 7])[:4]) == {0, 1, 2, 3}
