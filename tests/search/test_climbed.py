"""The beginning of a search: what climbs find become candidates and starts."""

import numpy as np
import pytest

from climbing.problems import COMPILED, KINDS, OTHERS, local_score
from orderspn.checkpoints.checkpoint import Checkpoint
from orderspn.climbing.iterated import climb_all
from orderspn.core.workers import Workers
from orderspn.leaves.scoring import score_families
from orderspn.leaves.tables import LeafTables
from orderspn.parents.allotment import Allotment
from orderspn.search import climbed
from orderspn.search.climbed import RESTARTS, can_climb, climbed_beginning
from orderspn.search.moves import log_scores
from orderspn.search.order_scores import all_order_scores
from search.clocks import LONG_AGO, NEVER

RUNS, TEMPERATURES = 3, 4
D = 7

WIDE = Allotment(2, 6, 1 << 20, 1 << 20, 1, None)


def begun(local, allotment=WIDE, seed=0, n_jobs=1, deadline=NEVER, **about):
    seed = np.random.SeedSequence(seed)
    return climbed_beginning(local, allotment, RUNS, TEMPERATURES, seed, Workers(n_jobs), deadline, **about)


def climbs(local, seed=0):
    return climb_all(local, RUNS, RESTARTS, np.random.SeedSequence(seed), Workers(), NEVER)


@pytest.mark.parametrize("kind", KINDS)
def test_who_can_climb(kind):
    assert can_climb(local_score(kind, 5)) == (kind in COMPILED)
    assert (kind in COMPILED) != (kind in OTHERS)


@pytest.mark.parametrize("kind", COMPILED)
class TestBeginnings:
    def test_parents_of_climbs_are_candidates(self, kind):
        local = local_score(kind, D)
        found = begun(local)
        graphs = np.array([own.graph for own in climbs(local)])
        assert graphs.any()
        for child, own in enumerate(found.candidates):
            assert set(np.flatnonzero(graphs[:, :, child].any(axis=0)).tolist()) <= set(own.tolist())
            assert set(local.rules.required_of(child).tolist()) <= set(own.tolist())
            assert local.rules.allowed[own, child].all()

    def test_chains_begin_with_the_orders_of_climbs(self, kind):
        """As places among the explained variables, all of a run alike."""
        local = local_score(kind, D)
        found = begun(local)
        explained = np.setdiff1d(np.arange(D), local.context)
        assert found.starts.shape == (RUNS, TEMPERATURES, explained.size)
        for starts, own in zip(found.starts, climbs(local), strict=True):
            for start in starts:
                assert explained[start].tolist() == own.order.tolist()

    def test_starts_are_possible_with_these_candidates(self, kind):
        local = local_score(kind, D)
        for allotment in (WIDE, Allotment(1, 2, 80, 64, 1, None)):
            found = begun(local, allotment)
            outsiders = allotment.outsiders(local, found.candidates)
            families = score_families(local, found.candidates, Workers(), outsiders)
            order_scores = all_order_scores(LeafTables.of(families, Workers()))
            assert np.isfinite(log_scores(found.starts.reshape(-1, order_scores.n), order_scores)).all()


def test_the_seed_decides_and_threads_do_not():
    local = local_score("bge", D)
    one, two, other = (begun(local, seed=s, n_jobs=j) for s, j in ((1, 1), (1, 2), (2, 1)))
    np.testing.assert_array_equal(one.starts, two.starts)
    assert [own.tolist() for own in one.candidates] == [own.tolist() for own in two.candidates]
    assert not np.array_equal(one.starts, other.starts)


def test_those_that_are_always_candidates():
    found = begun(local_score("bge", D), Allotment(2, 2, 1 << 20, 1 << 20, 1, None), always=np.array([2, 5]))
    assert all({2, 5} - {child} <= set(own.tolist()) for child, own in enumerate(found.candidates))


def test_selected_causes_are_candidates_beside_parents_of_climbs(monkeypatch):
    """Whatever the graphs of climbs: here a cause that none of them has."""
    local = local_score("bge", D)
    allotment = Allotment(2, 3, 1 << 20, 1 << 20, 1, None)
    before = begun(local, allotment).candidates
    child = min(range(D), key=lambda v: before[v].size)
    cause = next(v for v in range(D) if v != child and v not in before[child])
    claims = np.zeros((D, D))
    claims[cause, child] = 2.0
    monkeypatch.setattr(climbed, "selection_claims", lambda *_: claims)
    after = begun(local, allotment).candidates
    assert cause in after[child]
    graphs = np.array([own.graph for own in climbs(local)]).mean(axis=0)
    for v in range(D):
        strongest = int(np.argmax(graphs[:, v]))
        assert strongest in after[v] or not graphs[strongest, v]


def test_a_deadline_long_ago():
    found = begun(local_score("bge", D), deadline=LONG_AGO)
    assert all(sorted(order) == list(range(D)) for order in found.starts.reshape(-1, D).tolist())


class TestCheckpoint:
    def test_climbs_are_not_repeated(self, tmp_path, monkeypatch):
        local = local_score("context", D)
        first = begun(local, checkpoint=Checkpoint(tmp_path).belonging_to({"data": "these"}))
        monkeypatch.setattr(climbed, "climb_all", lambda *_: pytest.fail("climbed again"))
        again = begun(local, checkpoint=Checkpoint(tmp_path).belonging_to({"data": "these"}))
        np.testing.assert_array_equal(first.starts, again.starts)
        assert [own.tolist() for own in first.candidates] == [own.tolist() for own in again.candidates]

    def test_nothing_is_kept_without_a_folder(self, monkeypatch):
        local = local_score("bge", D)
        begun(local)
        monkeypatch.setattr(climbed, "climb_all", lambda *_: (_ for _ in ()).throw(ArithmeticError))
        with pytest.raises(ArithmeticError):
            begun(local)
