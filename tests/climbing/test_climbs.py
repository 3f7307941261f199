"""Climbs: the best of all graphs where these can be listed, the same steps in both kinds of code, and laws."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from climbing.problems import COMPILED, KINDS, OTHERS, joined, local_score
from helpers.data import gaussian_data, letters
from helpers.examples import costly
from orderspn.climbing import iterated
from orderspn.climbing.any_score import AnyScoreClimber, ScoreMemo
from orderspn.climbing.compiled import CompiledClimber
from orderspn.climbing.iterated import climb, climb_all, random_order
from orderspn.climbing.terms import climb_terms
from orderspn.core.dag import all_dags
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.data.dataset import Dataset
from orderspn.scores.bge import BGe
from orderspn.scores.parent_rules import ParentRules


def climbs(local, n_climbs=1, restarts=10, seed=0, n_jobs=1, deadline=None):
    seeds = np.random.SeedSequence(seed)
    return climb_all(local, n_climbs, restarts, seeds, Workers(n_jobs), deadline or Deadline())


def log_score(local, graph):
    return sum(local.of_set(child, np.flatnonzero(graph[:, child])) for child in range(len(graph)))


def check_valid(local, found):
    """The graph follows its order, breaks no rule, and has the score that is told."""
    place = np.full(len(found.graph), -1)
    place[found.order] = np.arange(found.order.size)
    causes, effects = np.nonzero(found.graph)
    assert (place[causes] < place[effects]).all()
    assert not found.graph[:, local.context].any()
    assert not (found.graph & ~local.rules.allowed).any()
    assert not (local.rules.required & ~found.graph).any()
    assert found.log_score == pytest.approx(log_score(local, found.graph), abs=1e-7)


@cache
def graphs_of_four():
    return all_dags(4)


def best_of_all(local):
    """The highest score of the DAGs of four variables."""
    scores = [{} for _ in range(4)]
    best = -np.inf
    for graph in graphs_of_four():
        total = 0.0
        for child in range(4):
            parents = tuple(np.flatnonzero(graph[:, child]).tolist())
            if parents not in scores[child]:
                scores[child][parents] = local.of_set(child, np.array(parents, dtype=np.int64))
            total += scores[child][parents]
        best = max(best, total)
    return best


def best_of_orders(local, d):
    """The highest score of any DAG by dynamic programming over sets of first variables."""
    context = set(local.context.tolist())
    tables = []
    for child in range(d):
        others = np.array([v for v in range(d) if v != child], dtype=np.int64)
        table, sets = local.table(child, others), {}
        for mask in range(1 << others.size):
            key = sum(1 << int(v) for b, v in enumerate(others) if mask >> b & 1)
            sets[key] = table[mask]
        tables.append({key: max(v for other, v in sets.items() if other & key == other) for key in sets})
    best = {sum(1 << v for v in context): 0.0}
    for placed in range(1 << d):
        if placed in best:
            for child in range(d):
                if not placed >> child & 1:
                    after = placed | 1 << child
                    best[after] = max(best.get(after, -np.inf), best[placed] + tables[child][placed])
    return best[(1 << d) - 1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_of_all_graphs_of_four_variables_is_found(kind):
    for seed in range(3):
        local = local_score(kind, 4, seed)
        (found,) = climbs(local, restarts=30)
        check_valid(local, found)
        assert found.log_score == pytest.approx(best_of_all(local), abs=1e-7)


@pytest.mark.parametrize("kind", COMPILED)
def test_the_best_of_five_variables_is_found(kind):
    local = local_score(kind, 5, seed=1)
    (found,) = climbs(local, restarts=60)
    check_valid(local, found)
    assert found.log_score == pytest.approx(best_of_orders(local, 5), abs=1e-7)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["bge", "bic", "interventions", "context"])
def test_the_best_of_nine_variables_is_found(kind):
    local = local_score(kind, 9, seed=2, rows=200)
    (found,) = climbs(local, restarts=300)
    assert found.log_score == pytest.approx(best_of_orders(local, 9), abs=1e-7)


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["bge", "far means", "knowledge and context"])
def test_a_short_climb_is_valid(kind):
    local = local_score(kind, 4)
    (found,) = climbs(local, restarts=1)
    check_valid(local, found)


@pytest.mark.parametrize("kind", COMPILED)
def test_compiled_climbs_take_the_same_steps_as_plain_ones(kind):
    for d, seed in [(4, 0), (7, 1), (7, 2)]:
        local = local_score(kind, d, seed, rows=100)
        terms, memo = climb_terms(local), ScoreMemo(local)
        rngs = [np.random.default_rng(seed) for _ in range(2)]
        orders = [random_order(local, rng) for rng in rngs]
        compiled = climb(CompiledClimber(terms, local.context, orders[0]), 3, rngs[0], Deadline())
        plain = climb(AnyScoreClimber(memo, orders[1]), 3, rngs[1], Deadline())
        np.testing.assert_array_equal(compiled.order, plain.order)
        np.testing.assert_array_equal(compiled.graph, plain.graph)
        assert compiled.log_score == pytest.approx(plain.log_score, abs=1e-7)


@pytest.mark.parametrize("kind", OTHERS)
def test_other_scores_are_climbed_set_by_set(kind):
    local = local_score(kind, 5, seed=3)
    assert climb_terms(local) is None
    (found,) = climbs(local, restarts=8)
    check_valid(local, found)
    assert found.log_score == pytest.approx(best_of_orders(local, 5), abs=1e-7)


def test_a_memo_that_is_full_begins_anew(monkeypatch):
    local = local_score("categories", 5)
    (expected,) = climbs(local, restarts=2)
    monkeypatch.setattr("orderspn.climbing.any_score.REMEMBERED", 30)
    (found,) = climbs(local, restarts=2)
    np.testing.assert_array_equal(found.graph, expected.graph)


def test_a_score_that_contradicts_itself_does_not_climb_for_ever():
    """A user's score says that one more parent is always better, and then that it is not."""
    local = local_score("categories", 4)

    class TwoFaced:
        n_variables = 4
        log_likelihoods = local.likelihood.log_likelihoods
        settings = local.likelihood.settings

        def log_likelihoods_with_one_more(self, child, parents):
            return np.zeros(4)

    (found,) = climbs(replace(local, likelihood=TwoFaced()), restarts=1)
    assert np.isfinite(found.log_score)


@pytest.mark.parametrize("kind", ["bge", "context", "knowledge", "categories"])
def test_the_number_of_threads_changes_nothing(kind):
    local = local_score(kind, 6)
    one, several = climbs(local, 3, 4, n_jobs=1), climbs(local, 3, 4, n_jobs=3)
    for a, b in zip(one, several, strict=True):
        np.testing.assert_array_equal(a.order, b.order)
        np.testing.assert_array_equal(a.graph, b.graph)
        assert a.log_score == b.log_score


def test_climbs_are_independent_and_the_same_for_more_of_them():
    local = local_score("bge", 10, rows=40)
    few, many = climbs(local, 2, 0), climbs(local, 4, 0)
    np.testing.assert_array_equal(few[1].order, many[1].order)
    assert len({tuple(found.order) for found in many}) == 4


@given(st.integers(0, 1000), st.sampled_from(["bge", "bic", "knowledge", "context", "interventions"]))
@costly
def test_more_restarts_are_never_worse(seed, kind):
    local = local_score(kind, 9, seed % 7, rows=40)
    scores = [climbs(local, restarts=restarts, seed=seed)[0].log_score for restarts in (0, 1, 3, 6)]
    assert (np.diff(scores) >= -1e-8).all()


@st.composite
def rules(draw, d=6):
    """Required edges along a hidden order, forbidden ones anywhere else, and numbers of parents."""
    order = draw(st.permutations(range(d)))
    required, allowed = np.zeros((d, d), dtype=bool), ~np.eye(d, dtype=bool)
    for a, b in draw(st.lists(st.tuples(st.integers(0, d - 1), st.integers(0, d - 1)), max_size=5)):
        if a < b:
            required[order[a], order[b]] = True
    for a, b in draw(st.lists(st.tuples(st.integers(0, d - 1), st.integers(0, d - 1)), max_size=12)):
        allowed[a, b] = required[a, b] and a != b
    most = np.maximum(required.sum(axis=0), draw(st.integers(0, 3)))
    odds = np.zeros((d, d))
    odds[draw(st.integers(0, d - 1))] = draw(st.floats(-4.0, 4.0))
    return ParentRules(allowed & ~np.eye(d, dtype=bool), required, most, odds)


@given(rules(), st.integers(0, 5))
def test_rules_are_kept(known, seed):
    local = replace(local_score("bge", 6, seed), known=known)
    (found,) = climbs(local, restarts=2, seed=seed)
    check_valid(local, found)
    assert (found.graph.sum(axis=0) <= known.most).all()


@given(st.permutations(range(6)), st.integers(0, 20))
@costly
def test_the_order_of_columns_does_not_matter(places, seed):
    values = gaussian_data(6, 50, seed)
    scores = []
    for columns in (list(range(6)), list(places)):
        local = joined(BGe().fit(Dataset(tuple(letters(6)), values[:, columns])), 6)
        scores.append(climbs(local, restarts=100)[0].log_score)
    assert scores[0] == pytest.approx(scores[1], abs=1e-7)


def test_orders_to_begin_with_have_required_parents_first():
    local = local_score("knowledge and context", 6)
    for seed in range(20):
        order = random_order(local, np.random.default_rng(seed)).tolist()
        assert sorted(order) == [1, 2, 3, 4, 5]
    chain = ParentRules.none(6)
    chain.required[[3, 1, 5], [1, 5, 0]] = True
    local = replace(local_score("bge", 6), known=chain)
    orders = {tuple(random_order(local, np.random.default_rng(seed)).tolist()) for seed in range(50)}
    assert len(orders) > 5
    for order in orders:
        place = {v: p for p, v in enumerate(order)}
        assert place[3] < place[1] < place[5] < place[0]


def test_moves_stop_at_required_edges():
    chain = ParentRules.none(5)
    chain.required[[0, 1], [1, 2]] = True
    local = replace(local_score("bge", 5), known=chain)
    order = np.arange(5)
    for climber in (
        CompiledClimber(climb_terms(local), local.context, order),
        AnyScoreClimber(ScoreMemo(local), order),
    ):
        climber.disturb(np.array([1]), np.array([4]))
        assert climber.order.tolist() == [0, 1, 2, 3, 4]
        climber.disturb(np.array([2]), np.array([0]))
        assert climber.order.tolist() == [0, 1, 2, 3, 4]
        climber.disturb(np.array([0, 4]), np.array([0, 1]))
        assert climber.order.tolist() == [0, 4, 1, 2, 3]
        assert climber.graph[0, 1]
        assert climber.graph[1, 2]


class Clock:
    """A clock that goes on by a second each time it is read."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        self.seconds += 1.0
        return self.seconds


@pytest.mark.parametrize("seconds", [0.5, 10.0, 40.0])
def test_a_deadline_ends_the_search_with_a_valid_graph(monkeypatch, seconds):
    monkeypatch.setattr("orderspn.core.deadline.now", Clock())
    local = local_score("bge", 8)
    (found,) = climbs(local, restarts=1000, deadline=Deadline.after(seconds))
    check_valid(local, found)
    assert not found.in_time
    assert found.restarts < 1000


def test_what_is_done_in_time_says_so():
    (found,) = climbs(local_score("bge", 4), restarts=3, deadline=Deadline.after(1000.0))
    assert (found.in_time, found.restarts) == (True, 3)


def test_progress_is_told_restart_by_restart():
    told = []
    workers = Workers(1, lambda work, done, total: told.append((work, done, total)))
    climb_all(local_score("bge", 4), 2, 3, np.random.SeedSequence(0), workers, Deadline())
    assert told == [("climbing", done, 8) for done in range(1, 9)]


def test_restarts_disturb_the_order(monkeypatch):
    """Without disturbance no restart could find anything new; with it, some do."""
    local = local_score("bge", 12, seed=5, rows=60)

    def scores():
        return np.array([climbs(local, restarts=6, seed=seed)[0].log_score for seed in range(12)])

    disturbed = scores()
    monkeypatch.setattr(iterated, "LEAST_MOVED", 0)
    monkeypatch.setattr(iterated, "MOST_MOVED", 0)
    assert (scores() <= disturbed + 1e-8).all()
    assert (scores() < disturbed - 1e-6).any()


def test_generators_are_those_of_the_climbs():
    """A climb alone is the climb of the same number among several."""
    local = local_score("bge", 7)
    found = climbs(local, 2, 3)[1]
    rng = generator_of(np.random.SeedSequence(0).spawn(2)[1])
    alone = climb(CompiledClimber(climb_terms(local), local.context, random_order(local, rng)), 3, rng, Deadline())
    np.testing.assert_array_equal(found.order, alone.order)
