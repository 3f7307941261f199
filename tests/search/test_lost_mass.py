"""The estimate of what the families leave out, against listing all sets with one or two more outsiders."""

import itertools

import numpy as np
import pytest

from helpers.data import gaussian_data
from orderspn.core.workers import Workers
from orderspn.leaves.scoring import score_families
from orderspn.parents.candidates import forward_selection
from orderspn.parents.outsiders import choose_outsiders
from orderspn.search.lost_mass import _choices, _lost_of, lost_share
from search.networks import linear_data, local_score, log_score_of_set

KINDS = {
    "no rows": (0, None),
    "all alone": (1, None),
    "some alone": (1, 2),
    "all alone, leading pairs": (2, None),
    "some alone, leading pairs": (2, 2),
}


def rng(seed=0):
    return np.random.default_rng(seed)


def make_families(d, size, at_once, most, seed=0, max_parents=None):
    local = local_score(gaussian_data(d, 30, seed=seed, density=0.4), max_parents)
    candidates = [forward_selection(local, child, size) for child in range(d)]
    return local, families_of(local, candidates, at_once, most)


def families_of(local, candidates, at_once, most):
    return score_families(local, candidates, Workers(1), choose_outsiders(local, candidates, at_once, most))


def odds_by_listing(local, family, before):
    """Mass of the sets within `before` with one or two outsiders that have no row, relative to those of the family."""
    candidates = set(family.candidates.tolist())
    strangers = sorted(before - candidates - {family.child})
    rows = {frozenset(v for v in row if v >= 0) for row in family.outsiders.tolist()}
    kept, lost = [], []
    for size in range(3):
        for outsiders in itertools.combinations(strangers, size):
            own = kept if not outsiders or frozenset(outsiders) in rows else lost
            for count in range(len(candidates & before) + 1):
                for chosen in itertools.combinations(sorted(candidates & before), count):
                    own.append(log_score_of_set(local, family.child, {*chosen, *outsiders}))
    return np.exp(np.logaddexp.reduce([-np.inf, *lost]) - np.logaddexp.reduce(kept))


def share_by_listing(local, families, orders):
    shares = []
    for order in orders.tolist():
        for place, child in enumerate(order):
            odds = odds_by_listing(local, families[child], set(order[:place]))
            shares.append(odds / (1.0 + odds))
    return float(np.mean(shares))


@pytest.mark.parametrize("kind", KINDS)
def test_few_choices_are_all_tried(kind):
    """Then the estimate is no estimate, whatever the seed."""
    local, families = make_families(6, 2, *KINDS[kind])
    orders = np.array([rng(s).permutation(6) for s in range(4)])
    exact = share_by_listing(local, families, orders)
    for seed in range(3):
        estimate = lost_share(local, families, orders, np.random.SeedSequence(seed), Workers(1))
        assert estimate == pytest.approx(exact, rel=1e-8, abs=1e-14)
    assert (exact > 0.0) == (kind != "all alone, leading pairs")


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_over_seeds(kind):
    """Given one variable and one order the odds are estimated without bias (shares, which are concave in them, not)."""
    local, families = make_families(14, 2, *KINDS[kind], seed=1)
    child = 3
    before = set(range(14)) - {child, 5}
    exact = odds_by_listing(local, families[child], before)
    row = np.array([[v in before for v in range(14)]])
    shares = np.array([_lost_of(local, families[child], row, rng(seed)) for seed in range(300)])
    odds = shares / (1.0 - shares)
    assert odds.std() > 0.0
    assert abs(odds.mean() - exact) < 4.5 * odds.std() / np.sqrt(odds.size)


@pytest.mark.parametrize("kind", KINDS)
def test_the_share_of_all_variables(kind):
    """Where little is lost of any variable, the estimate of the share has next to no bias either."""
    d = 12
    local = local_score(linear_data([[]] * 6 + [[v] for v in range(6)], 60))
    families = families_of(local, [np.array([(v + 6) % d]) for v in range(d)], *KINDS[kind])
    orders = np.array([[*rng(s).permutation(6), *(6 + rng(s).permutation(6))] for s in range(3)])
    exact = share_by_listing(local, families, orders)
    seeds = np.random.SeedSequence(1).spawn(60)
    shares = np.array([lost_share(local, families, orders, seed, Workers(1)) for seed in seeds])
    assert 0.001 < exact < 0.5
    error = shares.std() / np.sqrt(shares.size)
    assert -4.5 * error - 0.05 * exact < shares.mean() - exact < 4.5 * error
    assert error < 0.05 * exact


@pytest.mark.parametrize("most", [2, 3, 10])
def test_choices_are_different_and_have_no_row(most):
    strangers = np.array([1, 4, 5, 8, 9])
    rows = {(4,), (1, 8), (5, 9)}
    for size, missing in ((1, 4), (2, 8)):
        seen = set()
        for seed in range(100):
            chosen = _choices(strangers, size, rows, min(most, missing), rng(seed))
            assert len(set(chosen)) == len(chosen) == min(most, missing)
            assert not rows & set(chosen)
            assert all(len(set(choice)) == size and set(choice) <= set(strangers.tolist()) for choice in chosen)
            seen |= set(chosen)
        assert len(seen) == missing


@pytest.mark.parametrize("max_parents", [0, 1, 3])
def test_no_more_parents_than_allowed(max_parents):
    local, families = make_families(6, 2, 0, None, max_parents=max_parents)
    orders = np.array([rng(s).permutation(6) for s in range(4)])
    exact = share_by_listing(local, families, orders)
    estimate = lost_share(local, families, orders, np.random.SeedSequence(0), Workers(1))
    assert estimate == pytest.approx(exact, rel=1e-8, abs=1e-14)
    assert (exact > 0.0) == (max_parents > 0)


def test_nobody_is_left_out_where_all_are_candidates():
    local, families = make_families(5, 4, 0, None)
    assert lost_share(local, families, np.arange(5)[None], np.random.SeedSequence(0), Workers(1)) == 0.0


def test_the_seed_decides_and_threads_do_not():
    local, families = make_families(14, 2, 1, None)
    orders = np.array([rng(s).permutation(14) for s in range(3)])
    one, two, other = (
        lost_share(local, families, orders, np.random.SeedSequence(seed), Workers(n_jobs))
        for seed, n_jobs in ((5, 1), (5, 2), (6, 1))
    )
    assert one == two != other
