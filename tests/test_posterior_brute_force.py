"""Every query of a posterior over four variables against a list of all (order, graph) pairs."""

import math

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from helpers.cases import CASES, EVIDENCE, FEW, NAMES, both
from helpers.data import gaussian_data, letters
from helpers.evidence import as_edges, as_indices
from helpers.questions import Question, question_fixture
from reference.enumeration import Enumeration
from reference.local_scores import all_mean_weights, local_scores

SINGLE_EDGES = [(c, e) for c in range(4) for e in range(4) if c != e]
EVENTS = ["B -> C", "D !-> C", "A -> B, B -> C", "C -> D, A !-> B, D !-> B", "B -> A, A -> B", "C -> B -> D"]


def ask_about_edges(case, evidence):
    indices = as_indices(EVIDENCE[evidence], NAMES)
    return Question(case, as_edges(*indices, NAMES), indices)


question = question_fixture(CASES, EVIDENCE, FEW, ask_about_edges)


def test_log_evidence(question):
    if question.possible:
        posterior = question.posterior.given(question.given)
        assert posterior.log_evidence == pytest.approx(question.brute.log_evidence, rel=0, abs=1e-9)
        assert posterior.evidence == (question.given or osp.Edges())
    else:
        with pytest.raises(osp.ImpossibleEvidence, match="cannot condition on"):
            question.posterior.given(question.given)


def test_probability_of_the_evidence_itself(question):
    expected = question.prior_brute.probability(*question.indices)
    assert question.posterior.probability(question.given) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    log_probability = question.posterior.log_probability(question.given)
    if question.possible:
        expected_log = question.brute.log_evidence - question.prior_brute.log_evidence
        assert log_probability == pytest.approx(expected_log, rel=0, abs=1e-9)
    else:
        assert log_probability == -math.inf


def test_edge_probabilities(question):
    frame = question.ask("edge_probabilities")
    if frame is None:
        return
    assert list(frame.index) == list(frame.columns) == NAMES
    assert (frame.index.name, frame.columns.name) == ("cause", "effect")
    np.testing.assert_allclose(frame, question.brute.edge_probabilities(), rtol=0, atol=1e-9)


def test_probability_of_single_edges(question):
    if not question.possible:
        return
    for cause, effect in SINGLE_EDGES:
        present = question.posterior.probability(as_edges([(cause, effect)], [], NAMES), given=question.given)
        absent = question.posterior.probability(as_edges([], [(cause, effect)], NAMES), given=question.given)
        assert present == pytest.approx(question.brute.probability([(cause, effect)]), rel=0, abs=1e-9)
        assert absent == pytest.approx(question.brute.probability([], [(cause, effect)]), rel=0, abs=1e-9)


def test_probability_of_conjunctions(question):
    for event in EVENTS:
        answer = question.ask("probability", event)
        if answer is not None:
            expected = question.brute.probability(*as_indices(event, NAMES))
            assert answer == pytest.approx(expected, rel=0, abs=1e-9)
            log_answer = question.ask("log_probability", event)
            assert math.exp(log_answer) == pytest.approx(expected, rel=0, abs=1e-9)


def test_parent_sets(question):
    for child, name in enumerate(NAMES):
        table = question.ask("parent_sets", name)
        if table is None:
            return
        expected = {
            tuple(NAMES[p] for p in sorted(parents)): q for parents, q in question.brute.parent_sets(child).items()
        }
        assert table["probability"].is_monotonic_decreasing
        assert table["parents"].is_unique
        assert dict(zip(table["parents"], table["probability"], strict=True)) == pytest.approx(
            expected, rel=0, abs=1e-9
        )
        top = question.posterior.parent_sets(name, given=question.given, top=2)
        assert top.equals(table.head(2))


def test_most_probable_graph(question):
    best = question.ask("most_probable_graph")
    if best is None:
        return
    brute = question.brute
    assert best.log_probability == pytest.approx(brute.best_log_weight() - brute.log_evidence, rel=0, abs=1e-8)
    # The graph is worth what is claimed, follows its order and satisfies the evidence.
    present = [(NAMES.index(c), NAMES.index(e)) for c, e in best.graph.edges]
    absent = [edge for edge in SINGLE_EDGES if edge not in present]
    pairs = question.brute.given(present, absent)
    assert set(best.edges.present) == set(best.graph.edges)
    assert len(best.edges.present) + len(best.edges.absent) == 12
    if question.modular:
        assert best.log_score == pytest.approx(brute.best_log_weight(), rel=0, abs=1e-8)
        np.testing.assert_allclose(pairs.log_weight, best.log_score, rtol=0, atol=1e-8)
    assert tuple(NAMES.index(v) for v in best.order) in set(map(tuple, pairs.orders.tolist()))
    assert set(best.graph.nodes) == set(NAMES)
    assert nx.is_directed_acyclic_graph(best.graph)
    # As an event, the graph sums over its orders.
    assert question.posterior.probability(best.edges, given=question.given) == pytest.approx(
        brute.probability(present, absent), rel=0, abs=1e-9
    )


def test_causal_effects(question):
    frame = question.ask("causal_effects", units="data" if question.posterior.units is None else "sd")
    if frame is None:
        return
    assert (frame.index.name, frame.columns.name) == ("cause", "effect")
    np.testing.assert_allclose(frame, question.brute.effects(question.weights), rtol=0, atol=1e-9)


def test_precedence(question):
    frame = question.ask("precedence")
    if frame is not None:
        np.testing.assert_allclose(frame, question.brute.precedence(), rtol=0, atol=1e-9)


def test_entropy(question):
    answer = question.ask("entropy")
    if answer is not None:
        assert answer == pytest.approx(question.brute.entropy(), rel=0, abs=1e-8)


def test_samples_satisfy_the_evidence(question):
    samples = question.ask("sample", 50)
    if samples is None:
        return
    present, absent = question.indices
    assert samples.adjacency.shape == (50, 4, 4)
    assert samples.adjacency.dtype == bool
    possible = set(map(tuple, question.brute.masks.tolist()))
    masks = np.einsum("sij,i->sj", samples.adjacency, 1 << np.arange(4))
    assert {tuple(m) for m in masks.tolist()} <= possible
    assert all(samples.adjacency[:, c, e].all() for c, e in present)
    assert not any(samples.adjacency[:, c, e].any() for c, e in absent)


def test_the_evidence_leaves_what_its_name_says():
    brute = both("fair").brute
    for name in ("only one order", "only one order, chain of all", "tournament"):
        assert len(np.unique(brute.given(*as_indices(EVIDENCE[name], NAMES)).orders, axis=0)) == 1
    for name in ("whole graph", "whole graph of allowed edges", "empty graph"):
        assert len(np.unique(brute.given(*as_indices(EVIDENCE[name], NAMES)).masks, axis=0)) == 1


def test_most_cases_leave_graphs_under_most_evidence():
    possible = [ask_about_edges(c, e).possible for c in CASES for e in EVIDENCE]
    assert sum(possible) > 0.7 * len(possible)
    assert not all(possible)


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
