"""Every query of the posterior that counts each DAG once, against a list of all DAGs of four variables."""

import itertools
import math
import re
from dataclasses import dataclass
from functools import cache

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from helpers.cases import EVIDENCE, NAMES, UNEQUAL, sparse, with_a_hole
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.data import gaussian_data
from helpers.each import check_each
from helpers.evidence import as_edges, as_indices
from helpers.questions import Question, check_refusals, possible
from helpers.selection import chosen, coverage
from models.all_dags import every_dag, masks_of
from orderspn.core.errors import Unavailable
from orderspn.models.dag_graphs import DagGraphs
from reference.dags import number_of_dags
from reference.enumeration import Enumeration
from reference.forward_selection import forward_selection
from reference.local_scores import all_mean_weights, local_scores

PAIRS = list(itertools.permutations(range(4), 2))
EVENTS = ["B -> C", "D !-> C", "A -> B, B -> C", "C -> D, A !-> B, D !-> B", "B -> A, A -> B", "C -> B -> D"]
QUERIES = {
    "edge_probabilities": (),
    "probability": ("B -> C",),
    "standard_error": ("B -> C",),
    "parent_sets": ("A",),
    "most_probable_graph": (),
    "best_graph": (),
    "entropy": (),
}

CASES = {
    "fair": {},
    "uniform": {"prior": "uniform"},
    "callable": {"prior": sparse},
    "callable with weight 0": {"prior": with_a_hole},
    "two parents": {"max_parents": 2},
    "one parent, uniform": {"max_parents": 1, "prior": "uniform"},
    "unequal candidates": {"candidates": UNEQUAL},
    "two candidates, two parents": {"candidates": 2, "max_parents": 2, "prior": "uniform"},
    "one outsider": {"candidates": 1, "outsiders": 1},
}


@dataclass(frozen=True)
class Both:
    """A posterior over DAGs and its brute-force twin."""

    posterior: osp.Posterior
    brute: Enumeration
    weights: dict
    modular: bool = True


def listed_candidates(values, candidates):
    if candidates is None:
        return None
    if isinstance(candidates, int):
        return {child: forward_selection(values, child, candidates) for child in range(4)}
    return {child: [NAMES.index(c) for c in candidates[name]] for child, name in enumerate(NAMES)}


@cache
def both(name):
    arguments = dict(CASES[name])
    outsiders = arguments.pop("outsiders", 0)
    values = gaussian_data(4, 25, seed=200 + list(CASES).index(name))
    method = osp.methods.Exact(target="dag", outsiders=outsiders)
    posterior = osp.learn(values, variables=NAMES, method=method, n_jobs=1, **arguments, standardize=False)
    scores = local_scores(
        values,
        arguments.get("prior", "fair"),
        listed_candidates(values, arguments.get("candidates")),
        arguments.get("max_parents"),
        outsiders,
    )
    return Both(posterior, every_dag(scores), all_mean_weights(values))


def ask_about_edges(case, evidence):
    indices = as_indices(EVIDENCE[evidence], NAMES)
    return Question(both(case), as_edges(*indices, NAMES), indices)


@cache
def all_questions(case):
    return {name: ask_about_edges(case, name) for name in EVIDENCE}


@pytest.fixture(scope="module", params=CASES)
def questions(request, level):
    """One case under pieces of evidence, some of which leave nothing."""
    return chosen(all_questions(request.param), list(CASES).index(request.param), level)


@pytest.fixture(scope="module")
def answerable(questions):
    return possible(questions)


def test_the_list_has_every_dag_once():
    brute = both("fair").brute
    assert len(brute.masks) == number_of_dags(4) == 543
    assert isinstance(both("fair").posterior.model, DagGraphs)


def test_most_cases_leave_graphs_under_most_evidence():
    left = [question.possible for case in CASES for question in all_questions(case).values()]
    assert sum(left) > 0.6 * len(left)
    assert not all(left)


def test_cases_are_asked_about_every_piece_of_evidence():
    assert coverage(map(all_questions, CASES), EVIDENCE, "test") >= 1


def test_the_order_modular_posterior_is_another_one():
    """Otherwise none of these tests would tell which of the two is answered."""
    values = gaussian_data(4, 25, seed=200)
    by_order = osp.learn(values, variables=NAMES, method="exact", standardize=False)
    brute = both("fair").brute
    assert np.abs(by_order.edge_probabilities() - brute.edge_probabilities()).to_numpy().max() > 0.01
    assert by_order.log_evidence > brute.log_evidence + 0.1


class TestEveryCase:
    def test_evidence(self, answerable):
        def check(question):
            posterior = question.posterior.given(question.given)
            assert posterior.log_evidence == pytest.approx(question.brute.log_evidence, rel=0, abs=1e-9)
            assert posterior.evidence == (question.given or osp.Edges())
            expected = question.prior_brute.probability(*question.indices)
            assert question.posterior.probability(question.given) == pytest.approx(expected, rel=1e-9, abs=1e-12)
            expected_log = question.brute.log_evidence - question.prior_brute.log_evidence
            log_probability = question.posterior.log_probability(question.given)
            assert log_probability == pytest.approx(expected_log, rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_impossible_evidence(self, questions):
        check_refusals(questions, QUERIES)

    def test_probability_of_events(self, answerable):
        def check(question):
            for event in EVENTS:
                expected = question.expected(event)
                assert question.ask("probability", event) == pytest.approx(expected, rel=0, abs=1e-9)
                assert question.ask("standard_error", event) == 0.0

        check_each(check, answerable)

    def test_edge_probabilities(self, answerable):
        def check(question):
            frame = question.ask("edge_probabilities")
            np.testing.assert_allclose(frame, question.brute.edge_probabilities(), rtol=0, atol=1e-9)
            for cause, effect in PAIRS:
                single = question.ask("probability", as_edges([(cause, effect)], [], NAMES))
                assert single == pytest.approx(frame.iloc[cause, effect], rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_parent_sets(self, answerable):
        def check(question):
            for child, name in enumerate(NAMES):
                table = question.ask("parent_sets", name)
                sets = question.brute.parent_sets(child).items()
                expected = {tuple(NAMES[p] for p in sorted(parents)): q for parents, q in sets}
                assert table["probability"].is_monotonic_decreasing
                answered = dict(zip(table["parents"], table["probability"], strict=True))
                assert answered == pytest.approx(expected, rel=0, abs=1e-9)
                assert question.ask("parent_sets", name, top=2).equals(table.head(2))

        check_each(check, answerable)

    def test_most_probable_graph(self, answerable):
        def check(question):
            best, brute = question.ask("most_probable_graph"), question.brute
            assert best.log_score == pytest.approx(brute.best_log_weight(), rel=0, abs=1e-9)
            best_log_probability = brute.best_log_weight() - brute.log_evidence
            assert best.log_probability == pytest.approx(best_log_probability, rel=0, abs=1e-9)
            # The graph is worth what is claimed, follows its order and satisfies the evidence.
            present = [(NAMES.index(c), NAMES.index(e)) for c, e in best.graph.edges]
            itself = brute.given(present, [pair for pair in PAIRS if pair not in present])
            assert len(itself.masks) == 1
            assert itself.log_weight[0] == pytest.approx(best.log_score, rel=0, abs=1e-9)
            log_probability = question.ask("log_probability", best.edges)
            assert log_probability == pytest.approx(best.log_probability, abs=1e-9)
            assert all(best.order.index(c) < best.order.index(e) for c, e in best.graph.edges)
            assert sorted(best.order) == sorted(best.graph.nodes) == NAMES
            found = question.ask("best_graph", rng=0)
            assert (found.edges, found.log_score, found.order) == (best.edges, best.log_score, best.order)

        check_each(check, answerable)

    def test_entropy(self, answerable):
        def check(question):
            assert question.ask("entropy") == pytest.approx(question.brute.entropy(), rel=0, abs=1e-9)

        check_each(check, answerable)


SAMPLED = [
    (c, e)
    for c in ("fair", "uniform", "two parents", "unequal candidates", "one outsider")
    for e in ("nothing", "one present", "present and absent, one family")
]


@pytest.fixture(params=SAMPLED, ids=lambda pair: f"{pair[0]}: {pair[1]}")
def sampled(request):
    return ask_about_edges(*request.param)


def test_samples(sampled):
    samples = sampled.ask("sample", 10_000, rng=4)
    assert chi_square_p(masks_of(samples.adjacency), sampled.brute.graph_probabilities()) > THRESHOLD
    assert samples.weights is None
    places = np.argsort(samples.orders, axis=1)
    causes_first = places[:, :, None] < places[:, None, :]
    assert not (samples.adjacency & ~causes_first).any()
    again = sampled.posterior.sample(10_000, sampled.given, 4, target="dag")
    np.testing.assert_array_equal(again.adjacency, samples.adjacency)
    assert again.weights is None


def test_samples_are_not_those_of_orders():
    """The check of samples tells the two posteriors apart."""
    values = gaussian_data(4, 25, seed=200)
    drawn = osp.learn(values, variables=NAMES, method="exact", standardize=False).sample(10_000, rng=4)
    assert chi_square_p(masks_of(drawn.adjacency), both("fair").brute.graph_probabilities()) < THRESHOLD


def test_estimated_effects(sampled):
    estimate = sampled.ask("estimate_effects", 4000, rng=5)
    exact = sampled.brute.effects(sampled.weights)
    effects = np.stack([sampled.brute.given(*graph).effects(sampled.weights) for graph in graphs_of(sampled.brute)])
    error = np.sqrt(np.einsum("p,pij->ij", sampled.brute.p, (effects - exact) ** 2) / 4000)
    assert error.max() > 1e-4
    np.testing.assert_array_less(np.abs(estimate.mean.to_numpy() - exact), 4.5 * error + 1e-12)
    # Neither too small nor too large, but for effects that hardly any of the sampled graphs have.
    ratio = estimate.standard_error.to_numpy()[error > 0.3 * error.max()] / error[error > 0.3 * error.max()]
    assert 0.5 < ratio.min() <= ratio.max() < 1.5


def graphs_of(brute):
    """Each graph as (present, absent) edges."""
    for graph in brute.adjacency:
        yield [p for p in PAIRS if graph[p]], [p for p in PAIRS if not graph[p]]


def test_everything_is_covered():
    posterior = both("fair").posterior
    coverage = posterior.coverage()
    assert (coverage.share, coverage.standard_error) == (1.0, 0.0)
    assert coverage.log_covered == coverage.elbo == posterior.log_evidence


@pytest.mark.parametrize(
    ("ask", "remedies"),
    [
        (lambda p: p.causal_effects(), ["estimate_effects()", "target='order'"]),
        (lambda p: p.precedence(), ["target='order'"]),
        (lambda p: p.size, ["target='dag'"]),
    ],
    ids=["causal_effects", "precedence", "size"],
)
def test_questions_about_orders_are_refused(ask, remedies):
    with pytest.raises(Unavailable) as refusal:
        ask(both("fair").posterior)
    for remedy in remedies:
        assert remedy in str(refusal.value)
    with pytest.raises(Unavailable):
        ask(both("fair").posterior.given("A -> B"))


def test_samples_that_count_by_orders_are_refused():
    with pytest.raises(ValueError, match=r"cannot be sampled for target=.order.; learn with methods.Exact"):
        both("fair").posterior.sample(3, target="order")


def test_too_many_variables_are_refused():
    with pytest.raises(ValueError, match=r"at most 16 variables; got 17.*method='gadget'.*target='order'"):
        osp.learn(gaussian_data(17, 30, seed=0), method=osp.methods.Exact(target="dag"), standardize=False)


def test_too_much_memory_is_refused():
    with pytest.raises(ValueError, match=r"the limit is 1.0 MiB.*method='gadget'.*memory_limit="):
        osp.learn(
            gaussian_data(12, 30, seed=0), method=osp.methods.Exact(target="dag"), memory_limit=2**20, standardize=False
        )
    assert (
        osp.learn(
            gaussian_data(4, 30, seed=0), method=osp.methods.Exact(target="dag"), memory_limit=2**20, standardize=False
        ).log_evidence
        < 0.0
    )


IMPOSSIBLE = {
    "both": ("fair", "A -> B, A !-> B", "present and absent"),
    "cycle": ("fair", "A -> B, B -> C, C -> A", "form a cycle, "),
    "candidate": ("unequal candidates", "A -> C", "not among the candidate causes of 'C'"),
    "too many": ("two parents", "A -> D, B -> D, C -> D", "largest number of parents, 2"),
    "weight 0": ("callable with weight 0", "A -> D, B -> D, C !-> D", "no graph of the posterior satisfies it"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_evidence(name):
    case, evidence, reason = IMPOSSIBLE[name]
    posterior = both(case).posterior
    with pytest.raises(osp.ImpossibleEvidence, match="cannot condition on.*" + re.escape(reason)):
        posterior.given(evidence)
    assert posterior.probability(evidence) == 0.0
    assert posterior.log_probability(evidence) == -math.inf


def test_evidence_in_steps_that_contradicts_itself():
    """The error of the second step has all of the evidence in its message."""
    with pytest.raises(osp.ImpossibleEvidence, match=r"A -> B.*form a cycle"):
        both("fair").posterior.given("A -> B").given("B -> A")
    assert both("fair").posterior.given("A -> B").probability("B -> A") == 0.0


def test_the_most_probable_graph_has_no_cycles_and_all_nodes():
    graph = both("callable").posterior.most_probable_graph().graph
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.number_of_edges() > 0
