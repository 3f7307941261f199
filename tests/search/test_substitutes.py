"""Who would take a parent's place: against a slow search over scored sets, and why it matters."""

import numpy as np
import pytest

from orderspn.core.workers import Workers
from orderspn.data.dataset import read_table
from orderspn.parents.candidates import forward_selection
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size
from orderspn.search.selections import FIRST_CLAIM, LESS_EACH
from orderspn.search.substitutes import PARENTS, STRONG, substitute_claims
from search.scored import D, local_score, slow_selected


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
                for rank, cause in enumerate(slow_selected(local, child, allowed)):
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
