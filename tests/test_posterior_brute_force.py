"""Every query of a posterior over four variables against a list of all (order, graph) pairs."""

import math
from functools import cache

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from helpers.cases import CASES, EVIDENCE, NAMES, at_levels, both
from helpers.data import gaussian_data, letters
from helpers.each import check_each
from helpers.evidence import as_edges, as_indices
from helpers.questions import Question, check_refusals, possible
from helpers.selection import chosen, coverage
from reference.enumeration import Enumeration
from reference.local_scores import all_mean_weights, local_scores

SINGLE_EDGES = [(c, e) for c in range(4) for e in range(4) if c != e]
EVENTS = ["B -> C", "D !-> C", "A -> B, B -> C", "C -> D, A !-> B, D !-> B", "B -> A, A -> B", "C -> B -> D"]
QUERIES = {
    "edge_probabilities": (),
    "probability": ("B -> C",),
    "log_probability": ("B -> C",),
    "parent_sets": ("A",),
    "most_probable_graph": (),
    "causal_effects": (),
    "precedence": (),
    "entropy": (),
    "sample": (50,),
}


def ask_about_edges(case, evidence):
    indices = as_indices(EVIDENCE[evidence], NAMES)
    return Question(both(case), as_edges(*indices, NAMES), indices)


@cache
def all_questions(case):
    return {name: ask_about_edges(case, name) for name in EVIDENCE}


@pytest.fixture(scope="module", params=at_levels(CASES))
def questions(request, level):
    """One case under pieces of evidence, some of which leave nothing."""
    return chosen(all_questions(request.param), list(CASES).index(request.param), level)


@pytest.fixture(scope="module")
def answerable(questions):
    return possible(questions)


@pytest.mark.kernels
class TestEveryCase:
    def test_evidence(self, answerable):
        def check(question):
            posterior = question.posterior.given(question.given)
            assert posterior.log_evidence == pytest.approx(question.brute.log_evidence, rel=0, abs=1e-9)
            assert posterior.evidence == (question.given or osp.Edges())
            expected = question.prior_brute.probability(*question.indices)
            assert question.posterior.probability(question.given) == pytest.approx(expected, rel=1e-9, abs=1e-12)
            log_probability = question.posterior.log_probability(question.given)
            expected_log = question.brute.log_evidence - question.prior_brute.log_evidence
            assert log_probability == pytest.approx(expected_log, rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_impossible_evidence(self, questions):
        check_refusals(questions, QUERIES)

    def test_edge_probabilities(self, answerable):
        def check(question):
            frame = question.ask("edge_probabilities")
            assert list(frame.index) == list(frame.columns) == NAMES
            assert (frame.index.name, frame.columns.name) == ("cause", "effect")
            np.testing.assert_allclose(frame, question.brute.edge_probabilities(), rtol=0, atol=1e-9)

        check_each(check, answerable)

    def test_probability_of_single_edges(self, answerable):
        def check(question):
            for cause, effect in SINGLE_EDGES:
                present, absent = (
                    question.ask("probability", as_edges(*edges, NAMES))
                    for edges in (([(cause, effect)], []), ([], [(cause, effect)]))
                )
                assert present == pytest.approx(question.brute.probability([(cause, effect)]), rel=0, abs=1e-9)
                assert absent == pytest.approx(question.brute.probability([], [(cause, effect)]), rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_probability_of_conjunctions(self, answerable):
        def check(question):
            for event in EVENTS:
                expected = question.expected(event)
                assert question.ask("probability", event) == pytest.approx(expected, rel=0, abs=1e-9)
                log_answer = question.ask("log_probability", event)
                assert math.exp(log_answer) == pytest.approx(expected, rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_parent_sets(self, answerable):
        def check(question):
            for child, name in enumerate(NAMES):
                table = question.ask("parent_sets", name)
                sets = question.brute.parent_sets(child).items()
                expected = {tuple(NAMES[p] for p in sorted(parents)): q for parents, q in sets}
                answered = dict(zip(table["parents"], table["probability"], strict=True))
                assert table["probability"].is_monotonic_decreasing
                assert table["parents"].is_unique
                assert answered == pytest.approx(expected, rel=0, abs=1e-9)
                assert question.ask("parent_sets", name, top=2).equals(table.head(2))

        check_each(check, answerable)

    def test_most_probable_graph(self, answerable):
        def check(question):
            best, brute = question.ask("most_probable_graph"), question.brute
            best_log_probability = brute.best_log_weight() - brute.log_evidence
            assert best.log_probability == pytest.approx(best_log_probability, rel=0, abs=1e-8)
            # The graph is worth what is claimed, follows its order and satisfies the evidence.
            present = [(NAMES.index(c), NAMES.index(e)) for c, e in best.graph.edges]
            absent = [edge for edge in SINGLE_EDGES if edge not in present]
            pairs = brute.given(present, absent)
            assert set(best.edges.present) == set(best.graph.edges)
            assert len(best.edges.present) + len(best.edges.absent) == 12
            if question.modular:
                assert best.log_score == pytest.approx(brute.best_log_weight(), rel=0, abs=1e-8)
                np.testing.assert_allclose(pairs.log_weight, best.log_score, rtol=0, atol=1e-8)
            assert tuple(NAMES.index(v) for v in best.order) in set(map(tuple, pairs.orders.tolist()))
            assert set(best.graph.nodes) == set(NAMES)
            assert nx.is_directed_acyclic_graph(best.graph)
            # As an event, the graph sums over its orders.
            expected = brute.probability(present, absent)
            assert question.ask("probability", best.edges) == pytest.approx(expected, rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_causal_effects(self, answerable):
        def check(question):
            frame = question.ask("causal_effects", units="data" if question.posterior.units is None else "sd")
            assert (frame.index.name, frame.columns.name) == ("cause", "effect")
            np.testing.assert_allclose(frame, question.brute.effects(question.weights), rtol=0, atol=1e-9)

        check_each(check, answerable)

    def test_precedence_and_entropy(self, answerable):
        def check(question):
            np.testing.assert_allclose(question.ask("precedence"), question.brute.precedence(), rtol=0, atol=1e-9)
            assert question.ask("entropy") == pytest.approx(question.brute.entropy(), rel=0, abs=1e-8)

        check_each(check, answerable)

    def test_samples_satisfy_the_evidence(self, answerable):
        def check(question):
            samples = question.ask("sample", 50)
            present, absent = question.indices
            assert samples.adjacency.shape == (50, 4, 4)
            assert samples.adjacency.dtype == bool
            masks = np.einsum("sij,i->sj", samples.adjacency, 1 << np.arange(4))
            assert set(map(tuple, masks.tolist())) <= set(map(tuple, question.brute.masks.tolist()))
            assert all(samples.adjacency[:, c, e].all() for c, e in present)
            assert not any(samples.adjacency[:, c, e].any() for c, e in absent)

        check_each(check, answerable)


def test_the_evidence_leaves_what_its_name_says():
    brute = both("fair").brute
    for name in ("only one order", "only one order, chain of all", "tournament"):
        assert len(np.unique(brute.given(*as_indices(EVIDENCE[name], NAMES)).orders, axis=0)) == 1
    for name in ("whole graph", "whole graph of allowed edges", "empty graph"):
        assert len(np.unique(brute.given(*as_indices(EVIDENCE[name], NAMES)).masks, axis=0)) == 1


def test_most_cases_leave_graphs_under_most_evidence():
    left = [question.possible for case in CASES for question in all_questions(case).values()]
    assert sum(left) > 0.7 * len(left)
    assert not all(left)


def test_cases_are_asked_about_every_piece_of_evidence():
    assert coverage(map(all_questions, CASES), EVIDENCE, "test") >= 3


@pytest.mark.parametrize("prior", ["fair", "uniform"])
@pytest.mark.parametrize("max_parents", [None, 2])
def test_five_variables(prior, max_parents):
    values = gaussian_data(5, 40, seed=9)
    names = letters(5)
    posterior = osp.learn(values, variables=names, prior=prior, max_parents=max_parents, standardize=False)
    brute = Enumeration.of(local_scores(values, prior, None, max_parents))
    weights = all_mean_weights(values)
    for evidence in ("", "A -> B, C !-> D, E -> D"):
        indices = as_indices(evidence, names)
        edges = as_edges(*indices, names)
        twin = brute.given(*indices)
        assert posterior.given(edges).log_evidence == pytest.approx(twin.log_evidence, rel=0, abs=1e-9)
        np.testing.assert_allclose(posterior.edge_probabilities(edges), twin.edge_probabilities(), atol=1e-9)
        np.testing.assert_allclose(posterior.precedence(edges), twin.precedence(), atol=1e-9)
        np.testing.assert_allclose(posterior.causal_effects(edges), twin.effects(weights), atol=1e-9)
        assert posterior.entropy(edges) == pytest.approx(twin.entropy(), abs=1e-8)
        best = posterior.most_probable_graph(edges)
        assert best.log_score == pytest.approx(twin.best_log_weight(), abs=1e-8)
