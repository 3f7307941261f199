"""Scores and gains of parents as kernels see them, and sets that neither growing nor shrinking improves."""

import itertools

import numpy as np
import pytest

from climbing.problems import COMPILED, local_score
from orderspn.climbing.growing import mark_gains, settle
from orderspn.climbing.regression import load, new_regression
from orderspn.climbing.shifted import NO_GAIN, gain_of_one_more, log_score_of
from orderspn.climbing.terms import climb_terms

pytestmark = pytest.mark.kernels

D = 5


@pytest.fixture(params=COMPILED)
def local(request):
    return local_score(request.param, D)


def allowed_sets(local, child):
    """All parent sets that break no rule but may lack required parents."""
    allowed = np.flatnonzero(local.rules.allowed[:, child])
    most = min(local.max_parents, local.rules.most[child])
    return [s for size in range(most + 1) for s in itertools.combinations(allowed.tolist(), size)]


def of_set(local, child, parents):
    """The score, also of sets that lack required parents: kernels keep these within and do not look at them."""
    rules = local.known
    if rules is None:
        return local.of_set(child, np.array(sorted(parents), dtype=np.int64))
    free = type(rules)(rules.allowed, np.zeros_like(rules.required), rules.most, rules.log_odds)
    relaxed = type(local)(local.likelihood, local.log_prior, local.max_parents, free, local.context)
    return relaxed.of_set(child, np.array(sorted(parents), dtype=np.int64))


def regressed(terms, child, parents):
    regression = new_regression(D, D - 1)
    load(regression, terms, child, np.array(parents, dtype=np.int32), len(parents), -1)
    return regression


def test_scores_and_gains_are_those_of_the_local_score(local):
    terms = climb_terms(local)
    for child in np.setdiff1d(np.arange(D), local.context).tolist():
        sets = set(allowed_sets(local, child))
        for parents in sets:
            regression = regressed(terms, child, parents)
            log_score = log_score_of(regression, terms, child)
            assert log_score == pytest.approx(of_set(local, child, parents), abs=1e-7)
            worth = np.zeros(D, dtype=bool)
            mark_gains(regression, terms, child, log_score, worth)
            for new in range(D):
                gain = gain_of_one_more(regression, terms, child, new, log_score) if new != child else -np.inf
                larger = tuple(sorted({*parents, new}))
                if new in parents or larger not in sets:
                    assert gain == -np.inf
                else:
                    assert gain == pytest.approx(of_set(local, child, larger) - log_score, abs=1e-7)
                assert worth[new] == (gain > NO_GAIN)


def test_no_single_parent_more_or_less_improves_a_settled_set(local):
    """From every set, among every prefix of the variables; required parents stay."""
    terms = climb_terms(local)
    improved = 0
    for child in np.setdiff1d(np.arange(D), local.context).tolist():
        required = set(local.rules.required_of(child).tolist())
        sequence = np.array([v for v in range(D) if v != child], dtype=np.int64)
        for limit in range(D):
            offered = {v for v in sequence[:limit].tolist() if local.rules.allowed[v, child]}
            starts = [s for s in allowed_sets(local, child) if required <= set(s) <= offered]
            for start in starts:
                regression = regressed(terms, child, start)
                found = settle(regression, terms, child, sequence, limit, -1, -1)
                parents = set(regression.members[: regression.size[0]].tolist())
                assert required <= parents <= offered
                assert found == pytest.approx(of_set(local, child, parents), abs=1e-7)
                neighbours = [parents ^ {v} for v in offered - required]
                assert all(of_set(local, child, other) <= found + 1e-7 for other in neighbours)
                improved += found > of_set(local, child, start) + 1e-6
    assert improved
