"""The estimate of what the families leave out, against listing all sets with one or two more outsiders."""

import itertools

import numpy as np
import pytest

from helpers.data import gaussian_data
from helpers.levels import parameters
from orderspn.core.workers import Workers
from orderspn.leaves.scoring import score_families
from orderspn.parents.candidates import forward_selection
from orderspn.parents.outsiders import choose_outsiders
from orderspn.search import lost_mass
from orderspn.search.lost_mass import _chances, _drawn, _scored_odds
from search.clocks import NEVER
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


def lost_share(*about):
    return lost_mass.lost_share(*about, NEVER).share


@pytest.fixture
def few(monkeypatch):
    """So few choices are scored that even small problems have many others."""
    monkeypatch.setattr(lost_mass, "SINGLES", 2)
    monkeypatch.setattr(lost_mass, "LEADING_PAIRS", 3)
    monkeypatch.setattr(lost_mass, "PAIRS", 3)


def make_families(d, size, at_once, most, seed=0, max_parents=None):
    local = local_score(gaussian_data(d, 30, seed=seed, density=0.4), max_parents)
    candidates = [np.sort(forward_selection(local, child, size)) for child in range(d)]
    return local, families_of(local, candidates, at_once, most)


def families_of(local, candidates, at_once, most):
    return score_families(local, candidates, Workers(1), choose_outsiders(local, candidates, at_once, most))


def odds_by_listing(local, family, before):
    """Mass of the sets within `before` with one or two outsiders that have no row, relative to those of the family."""
    candidates = set(family.candidates.tolist())
    non_candidates = sorted(before - candidates - {family.child})
    rows = {frozenset(v for v in row if v >= 0) for row in family.outsider_rows.tolist()}
    kept, lost = [], []
    for size in range(3):
        for outsiders in itertools.combinations(non_candidates, size):
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


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("kind", parameters(KINDS, test=list(KINDS)[:2]))
def test_odds_on_average_over_seeds(kind):
    """Given one variable and one order they are estimated without bias."""
    local, families = make_families(11, 2, *KINDS[kind], seed=1)
    child = 3
    before = set(range(11)) - {child, 5}
    exact = odds_by_listing(local, families[child], before)
    row = np.array([[v in before for v in range(11)]])
    scored = [_scored_odds(local, families[child], row, rng(seed)) for seed in range(400)]
    odds = np.array([(found / chances).sum() for found, chances in scored])
    assert (odds.std() > 0.0) == (kind != "all alone, leading pairs")  # of which one pair is left
    assert abs(odds.mean() - exact) < 4.5 * odds.std() / np.sqrt(odds.size) + 1e-12


@pytest.mark.exhaustive
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("kind", ["no rows", "all alone", "some alone"])
@pytest.mark.parametrize("seed", parameters([0, 1], test=[0]))
def test_shares_on_average_and_one_by_one(kind, seed):
    """The mean over seeds is right, if anything a little too large, and no estimate is far too small."""
    d = 12
    local, families = make_families(d, 3, *KINDS[kind], seed=seed)
    orders = np.array([rng(s).permutation(d) for s in range(4)])
    exact = share_by_listing(local, families, orders)
    seeds = np.random.SeedSequence(1).spawn(60)
    shares = np.array([lost_share(local, families, orders, seed, Workers(1)) for seed in seeds])
    error = shares.std() / np.sqrt(shares.size)
    assert 0.001 < exact < 0.9
    assert -4.5 * error < shares.mean() - exact < 4.5 * error + 0.1 * exact
    assert np.mean(shares < exact / 2) < 0.05


def test_two_that_say_nothing_alone_are_found():
    """Of 40 variables a difference of two that are nearly equal: no row of a single one shows it."""
    d, n = 40, 100
    values = rng(3).normal(size=(n, d))
    values[:, 1] = values[:, 0] + 0.1 * values[:, 1]
    values[:, 2] = 10.0 * (values[:, 1] - values[:, 0]) + 0.3 * values[:, 2]
    local = local_score(values / values.std(axis=0))
    families = families_of(local, [np.array([(v + 20) % d]) for v in range(d)], 1, None)
    before = (np.arange(d) != 2)[None]
    for seed in range(10):
        odds, chances = _scored_odds(local, families[2], before, rng(seed))
        heaviest = int(np.argmax(odds[0]))
        assert odds[0, heaviest] > 1e6
        assert chances[heaviest] == 1.0


@pytest.mark.parametrize(("n_leading", "count"), [(0, 1), (0, 5), (3, 4), (3, 40), (60, 5)])
def test_chances(n_leading, count):
    weights = rng(4).random(50) ** 8
    chances = _chances(weights, n_leading, count)
    assert chances.sum() == pytest.approx(min(n_leading + count, 50))
    assert (chances > 0.0).all()
    assert (chances <= 1.0).all()
    ranked = np.argsort(-weights)
    assert (chances[ranked[:n_leading]] == 1.0).all()
    by_chance = np.flatnonzero(chances < 1.0)
    np.testing.assert_allclose(
        chances[by_chance] / weights[by_chance], (chances / weights)[by_chance[:1]].repeat(by_chance.size)
    )


def test_draws_follow_the_chances():
    chances = _chances(rng(5).random(30) ** 4, 2, 6)
    drawn = [_drawn(chances, rng(seed)) for seed in range(4000)]
    assert {found.size for found in drawn} == {8}
    assert all((np.diff(found) > 0).all() for found in drawn)
    frequencies = np.bincount(np.concatenate(drawn), minlength=30) / len(drawn)
    error = np.sqrt(chances * (1.0 - chances) / len(drawn))
    assert (np.abs(frequencies - chances) <= 4.5 * error).all()


@pytest.mark.parametrize("at_once", [1, 2])
def test_choices_have_no_row(at_once):
    """Of 30 variables of which ten have a row of their own, and pairs of them."""
    local = local_score(linear_data([[]] * 30, 50))
    families = families_of(local, [np.sort([(v + 1) % 30, (v + 9) % 30]) for v in range(30)], at_once, 10)
    scored = []

    def table(child, candidates, outsiders):
        scored.extend(tuple(row) for row in outsiders.tolist())
        return local.table(child, candidates, outsiders)

    class Recorder:
        log_prior, rules, with_one_more = local.log_prior, local.rules, staticmethod(local.with_one_more)

    Recorder.table = staticmethod(table)
    before = (np.arange(30) != 4)[None]
    _scored_odds(Recorder, families[4], before, rng())
    rows = {tuple(v for v in row if v >= 0) for row in families[4].outsider_rows.tolist()}
    assert len(set(scored)) == len(scored) == lost_mass.SINGLES + lost_mass.LEADING_PAIRS + lost_mass.PAIRS
    assert not rows & set(scored)
    assert not {4, *families[4].candidates.tolist()} & {v for row in scored for v in row}


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
