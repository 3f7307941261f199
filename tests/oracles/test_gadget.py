"""Gadget as an oracle: the partitions it draws, the orders of its graphs, its runs, and what it says about its work."""

import gc
import itertools
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.levels import parameters
from oracles.questions import (
    LARGER_QUESTIONS,
    QUESTIONS,
    as_draws,
    as_places,
    exact_graph_probabilities,
    exact_probabilities,
    make_question,
    question_of,
)
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.workers import Workers
from orderspn.gadget.parent_scores import all_parent_scores
from orderspn.leaves.family import Family
from orderspn.oracles import gadget
from orderspn.oracles.extensions import random_extensions
from orderspn.oracles.gadget import Gadget, _adjacency
from orderspn.oracles.partitions import evenly_spaced
from orderspn.oracles.registry import check_proposal
from search.order_scores import SOME_BEFORE, THREE_BEFORE, two_modes

AN_OUTSIDER = (8, [1, 6], [0, 3, 4, 7], {"seed": 2, "at_once": 1})
CASES = [(4, [], range(4)), (5, [], range(5), {"at_once": 2}), THREE_BEFORE, AN_OUTSIDER]

FEW = {"three, two before", "orders ruled out", "five, two outsiders, impossible sets"}


def marks_of(name):
    """At the level `test`, a few questions."""
    return pytest.mark.thorough if name in FEW else pytest.mark.exhaustive


def rng(seed=0):
    return np.random.default_rng(seed)


class TestDraws:
    """They follow the exact distribution over partitions, given what is before."""

    @pytest.mark.parametrize("name", [pytest.param(n, marks=marks_of(n)) for n in QUESTIONS])
    def test_partitions(self, name):
        question = make_question(*QUESTIONS[name])
        draws = Gadget().propose(question, 2000, rng(4), distinct=False)
        assert chi_square_p(as_draws(draws), exact_graph_probabilities(question)) > THRESHOLD

    @pytest.mark.parametrize("case", parameters(CASES, quick=[], test=[AN_OUTSIDER]))
    def test_with_and_without_others_before(self, case):
        question = make_question(*case)
        draws = Gadget(runs=2).propose(question, 2000, rng(6), distinct=False)
        assert chi_square_p(as_draws(draws), exact_graph_probabilities(question)) > THRESHOLD

    @pytest.mark.thorough
    @pytest.mark.parametrize("case", [SOME_BEFORE, AN_OUTSIDER])
    def test_the_check_rejects_a_sampler_that_ignores_what_is_before(self, case):
        question = make_question(*case)
        ignorant = question_of(question.tables.families, [], question.variables)
        draws = Gadget().propose(ignorant, 2000, rng(5), distinct=False)
        assert chi_square_p(as_draws(draws), exact_graph_probabilities(question)) < THRESHOLD

    @pytest.mark.thorough
    @pytest.mark.parametrize("case", [SOME_BEFORE, AN_OUTSIDER])
    def test_they_do_not_follow_the_masses_of_orders(self, case):
        """A graph counts once, not once for each of its orders."""
        question = make_question(*case)
        draws = Gadget().propose(question, 2000, rng(5), distinct=False)
        assert chi_square_p(as_draws(draws), exact_probabilities(question)) < THRESHOLD

    @pytest.mark.parametrize("distinct", [True, False])
    @pytest.mark.parametrize("kind", [{"required": 1}, {"demanded": 1, "at_once": 1}])
    def test_no_possible_order(self, distinct, kind):
        circle = [(0, 1), (1, 2), (2, 0)]
        options = {name: circle if name in ("required", "demanded") else value for name, value in kind.items()}
        question = make_question(5, [4], [0, 1, 2, 3], options)
        with pytest.raises(InvalidValue, match="no order of 4 of the variables is possible"):
            Gadget().propose(question, 2, rng(), distinct=distinct)

    @pytest.mark.parametrize(("available", "count"), [(4, 1), (7, 3), (9, 9), (100, 30)])
    def test_they_are_evenly_spaced(self, available, count):
        places = evenly_spaced(available, count)
        assert places.size == count
        assert places[-1] == available - 1
        steps = np.diff(np.concatenate([[-1], places]))
        assert steps.min() >= 1
        assert steps.max() - steps.min() <= 1


def parent_sets_of(graph, families):
    """The numbers of the parent sets of a graph, all variables being candidates of each other."""
    return [[sum(1 << b for b, c in enumerate(f.candidates) if graph[c, f.child]) for f in families]]


@pytest.mark.kernels
@pytest.mark.parametrize("edges", [[], [(0, 1)], [(3, 1), (1, 0), (3, 2)], [(0, 1), (1, 2), (2, 3)], [(2, 0), (2, 3)]])
def test_orders_of_a_graph(edges):
    """They keep every edge, and each choice is among the variables that are free, alike."""
    families = [Family(v, np.array([u for u in range(4) if u != v]), np.zeros(8)) for v in range(4)]
    graph = np.zeros((4, 4), dtype=bool)
    graph[tuple(zip(*edges, strict=True)) if edges else ([], [])] = True
    expected = {}
    for order in itertools.permutations(range(4)):
        probability = 1.0
        for place, chosen in enumerate(order):
            free = [v for v in order[place:] if set(np.flatnonzero(graph[:, v])) <= set(order[:place])]
            probability *= (chosen in free) / max(1, len(free))
        if probability:
            expected[order] = probability
    parent_sets = np.array(parent_sets_of(graph, families))
    adjacency = _adjacency(parent_sets, all_parent_scores(families, Workers(1)))
    np.testing.assert_array_equal(adjacency, graph[None])
    drawn = random_extensions(np.repeat(adjacency, 2000, axis=0), rng(2))
    assert chi_square_p([tuple(order) for order in drawn.tolist()], expected) > THRESHOLD


class TestDistinctPartitions:
    @pytest.mark.thorough
    @pytest.mark.parametrize("case", [SOME_BEFORE, THREE_BEFORE, AN_OUTSIDER])
    def test_the_most_probable_are_chosen(self, case):
        question = make_question(*case)
        exact = exact_graph_probabilities(question)
        ranked = sorted(exact, key=lambda places: -exact[places])
        proposal = Gadget(iterations=40_000).propose(question, 3, rng(), distinct=True)
        check_proposal(question, proposal, 3, distinct=True)
        chosen = as_places(proposal.first)
        assert chosen[0] == ranked[0]
        # Frequencies are estimates: a neighbour in the ranking may take a place, a much lighter one may not.
        assert sum(exact[places] for places in chosen) >= 0.98 * sum(exact[places] for places in ranked[:3])

    def test_few_are_seen_and_all_are_delivered(self):
        question = make_question(*LARGER_QUESTIONS["twelve, scores hundreds apart"])
        proposal = Gadget().propose(question, 500, rng(), distinct=True)
        assert proposal.info["distinct"] < 500
        check_proposal(question, proposal, 500, distinct=True)


class TestRuns:
    """Several runs, of which those that found the best region count."""

    def test_those_stuck_below_are_dropped(self):
        """Of two modes a hundred nats apart, random starts lead to either."""
        question = question_of(two_modes(400.0, 300.0).families, [], range(4))
        seen = set()
        for seed in range(8):
            proposal = Gadget(runs=3, chains=1).propose(question, 20, rng(seed), distinct=False)
            check_proposal(question, proposal, 20, distinct=False)
            kept, gap = proposal.info["runs_kept"], proposal.info["score_gap"]
            assert as_places(proposal.first) == [(0, 1)] or gap < 10.0
            assert (gap > 10.0) == (kept < 1.0)
            seen.add(kept)
        assert len(seen) > 1

    @pytest.mark.parametrize("distinct", [True, False])
    def test_the_fewest_moves(self, distinct):
        question = make_question(*QUESTIONS["five, impossible sets"])
        proposal = Gadget(runs=2, chains=1, iterations=2).propose(question, 6, rng(), distinct=distinct)
        check_proposal(question, proposal, 6, distinct=distinct)


class TestLayouts:
    """Families are laid out once for all questions about them."""

    def test_questions_from_threads_share_one(self, monkeypatch):
        calls = []

        def counted(families, workers):
            calls.append(len(families))
            return tables_of(families, workers)

        tables_of = gadget.tables_of
        monkeypatch.setattr(gadget, "tables_of", counted)
        question = make_question(*SOME_BEFORE)
        with ThreadPoolExecutor(4) as pool:
            ask = [pool.submit(Gadget().propose, question, 5, rng(3), distinct=False) for _ in range(4)]
            answers = [as_draws(asked.result()) for asked in ask]
        assert answers == answers[:1] * 4
        assert calls == [8]

    @pytest.mark.thorough
    def test_it_is_forgotten_with_the_families(self):
        question = make_question(*SOME_BEFORE)
        Gadget(iterations=2).propose(question, 5, rng(), distinct=False)
        tables = weakref.ref(question.tables)
        assert tables() in gadget._layouts._known
        del question
        gc.collect()
        assert tables() is None


class TestInfo:
    @pytest.mark.parametrize("distinct", [True, False])
    def test_acceptance(self, distinct):
        question = make_question(*LARGER_QUESTIONS["eight"])
        info = Gadget().propose(question, 10, rng(), distinct=distinct).info
        rates = {name: rate for name, rate in info.items() if name.startswith("acceptance_")}
        assert set(rates) == {
            "acceptance_split_or_merge",
            "acceptance_exchange",
            "acceptance_relocation",
            "acceptance_edge_reversal",
            "acceptance_order_walk",
        }
        assert all(0.0 < rate < 1.0 for rate in rates.values())
        assert set(info) - set(rates) == {"distinct", "runs_kept", "score_gap"}
        assert info["runs_kept"] == 1.0
        assert info["score_gap"] == 0.0
        assert info["distinct"] >= 1.0

    def test_distinct_partitions_are_counted(self):
        question = make_question(*LARGER_QUESTIONS["eight"])
        proposal = Gadget().propose(question, 30, rng(), distinct=False)
        assert proposal.info["distinct"] == len(proposal.first)


class TestParameters:
    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            ({"runs": 0}, InvalidValue),
            ({"runs": None}, InvalidType),
            ({"chains": 0}, InvalidValue),
            ({"chains": 1.5}, InvalidType),
            ({"iterations": 1}, InvalidValue),
            ({"iterations": "5"}, InvalidType),
            ({"iterations": True}, InvalidType),
        ],
    )
    def test_wrong_ones_are_named(self, wrong, error):
        (name,) = wrong
        with pytest.raises(error, match=f"{name} must be"):
            Gadget(**wrong)

    def test_settings(self):
        oracle = Gadget(runs=3, chains=5, iterations=700)
        assert Gadget(**{k: v for k, v in oracle.settings().items() if k != "name"}) == oracle
