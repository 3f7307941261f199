"""Scores by masks over all variables and their scales, from the definitions."""

import math

import numpy as np
import pytest

from helpers.families import parents_of, random_candidates, random_families, scores_of
from orderspn.core.workers import Workers
from orderspn.dags.parent_sets import intersecting_sums
from orderspn.dags.score_tables import ScoreTables, dense_log_score, insert_bit, remove_bit, set_masks
from orderspn.leaves.transforms import ZERO_EXPONENT
from reference.enumeration import log_sum_exp

D = 5


def variables(mask):
    return frozenset(v for v in range(D) if mask >> v & 1)


@pytest.fixture(params=[(0, 3.0), (1, 3.0), (2, 500.0)], ids=["no outsiders", "one", "two, hundreds apart"])
def families(request):
    at_once, spread = request.param
    rng = np.random.default_rng(at_once)
    return random_families(rng, random_candidates(rng, D, 3), spread, 0.3, at_once)


@pytest.mark.kernels
def test_every_parent_set_has_its_mask(families):
    for family in families:
        masks = set_masks(family, D)
        assert [variables(m) for m in masks] == [parents_of(family, i) for i in range(family.log_score.size)]
        dense = dense_log_score(family, D)
        np.testing.assert_array_equal(dense[masks], family.log_score)
        assert np.isneginf(np.delete(dense, masks)).all()


@pytest.mark.kernels
def test_scales_and_sums(families):
    tables = ScoreTables.of(families, Workers(2))
    scores = scores_of(families)
    assert tables.n_variables == D
    for j in range(D):
        for mask in range(1 << D):
            if mask >> j & 1:
                continue
            within = [s for parents, s in scores[j].items() if parents <= variables(mask)]
            best = max(within) / math.log(2.0)
            assert tables.top[j, mask] == math.floor(best)
            for t in set(range(D)) - {j} - variables(mask):
                new = variables(mask) | {t}
                log_sum = log_sum_exp([s for parents, s in scores[j].items() if parents <= new and t in parents])
                scale = tables.top[j, mask | 1 << t] * math.log(2.0)
                assert tables.through[j, t, remove_bit(mask, t)] == pytest.approx(math.exp(log_sum - scale), rel=1e-10)


@pytest.mark.kernels
def test_exponents_of_the_best_graphs(families):
    tables = ScoreTables.of(families, Workers(1))

    def best(left):
        return max((best(left - {j}) + int(tables.top[j, sum(1 << v for v in left - {j})]) for j in left), default=0)

    for mask in range(1 << D):
        assert tables.best[mask] == best(variables(mask))


@pytest.mark.kernels
def test_sets_without_a_graph_are_marked(families):
    needing = list(families)
    needing[2].log_score[:] = -np.inf
    tables = ScoreTables.of(needing, Workers(1))
    for mask in range(1 << D):
        assert (tables.best[mask] == ZERO_EXPONENT) == bool(mask >> 2 & 1)


@pytest.mark.kernels
def test_bits_are_taken_out_and_put_in():
    for bit in range(D):
        for mask in range(1 << D):
            if mask >> bit & 1:
                continue
            kept = [v for v in range(D) if v != bit]
            small = sum(1 << i for i, v in enumerate(kept) if mask >> v & 1)
            assert remove_bit(mask, bit) == small
            assert insert_bit(small, bit) == mask


@pytest.mark.kernels
@pytest.mark.parametrize("n", range(5))
def test_sums_over_sets_that_meet(n):
    values = np.random.default_rng(n).exponential(size=1 << n)
    expected = [sum(v for t, v in enumerate(values) if t & s) for s in range(1 << n)]
    sums = np.full(1 << n, np.nan)
    intersecting_sums(values.copy(), sums)
    np.testing.assert_allclose(sums, expected, rtol=1e-13)


@pytest.mark.kernels
def test_sums_over_sets_that_meet_lose_no_digits():
    """A difference of sums would: the small values vanish beside the large one."""
    values = np.full(8, 1e-30)
    values[4] = 1e30
    sums = np.empty(8)
    intersecting_sums(values, sums)
    np.testing.assert_allclose(sums[[1, 2, 3]], [4e-30, 4e-30, 6e-30], rtol=1e-13)
