"""Forward selection against a slow one, and what it adds to the beginning of a search."""

import numpy as np
import pytest

from climbing.problems import local_score as problem_of_kind
from orderspn.core.workers import Workers
from orderspn.data.dataset import read_table
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size
from orderspn.search.selections import FALL, FIRST_CLAIM, LESS_EACH, SELECTED, selected, selection_claims
from search.scored import D, local_score, slow_selected, some_rules

PROBLEMS = {"plain": {}, "three parents": {"most": 3}, "rules": {"rules": some_rules(0)}}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("seed", range(3))
def test_causes_one_by_one(seed, name):
    """Candidates may be more than there may be parents at once."""
    rng = np.random.default_rng(seed)
    local, unlimited = local_score(seed, **PROBLEMS[name]), local_score(seed, **PROBLEMS[name] | {"most": None})
    lengths = set()
    for child in range(D):
        allowed = rng.random(D) < 0.8
        allowed[child] = False
        found = selected(local, child, allowed)
        assert found == slow_selected(unlimited, child, allowed)
        lengths.add(len(found))
    assert len(lengths) > 1
    assert max(lengths) <= SELECTED


def test_a_selection_ends_where_the_score_falls():
    """Of variables that explain nothing, each costs about four nats of this much data."""
    values = np.random.default_rng(0).normal(size=(3000, D))
    local = LocalScore(BGe().fit(read_table(values)), log_prior_by_size("fair", D), D - 1)
    for child in range(D):
        found = selected(local, child, np.arange(D) != child)
        scores = [local.table(child, np.sort(found[:k]))[-1] for k in range(1, len(found) + 1)]
        assert all(value >= max(scores[: k + 1]) - FALL for k, value in enumerate(scores))
        assert 1 <= len(found) < SELECTED


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", PROBLEMS)
def test_claims_fall_from_each_to_the_next(name, n_jobs):
    local = local_score(3, **PROBLEMS[name])
    everyone = local_score(3, **PROBLEMS[name] | {"most": None})
    expected = np.zeros((D, D))
    for child in range(D):
        for rank, cause in enumerate(slow_selected(everyone, child, np.ones(D, dtype=bool))):
            expected[cause, child] = FIRST_CLAIM - LESS_EACH * rank
    assert expected.any()
    found = selection_claims(local, Workers(n_jobs))
    np.testing.assert_allclose(found, expected, atol=1e-15)
    assert not found.diagonal().any()


def test_context_claims_but_is_not_claimed():
    local = problem_of_kind("context", 7)
    found = selection_claims(local, Workers())
    assert local.context.size
    assert found[local.context].any()
    assert not found[:, local.context].any()
