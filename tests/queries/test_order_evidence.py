"""What is known about orders, as evidence and as events: every query against a list of all (order, graph) pairs."""

import itertools
import math
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.cases import CASES, NAMES, at_levels, both
from helpers.data import gaussian_data, letters
from helpers.each import check_each
from helpers.order_evidence import CONTRADICTIONS, EVENTS, ORDER_EVIDENCE, order_pairs
from helpers.questions import Question, check_refusals, possible
from helpers.selection import chosen, coverage
from orderspn.core.errors import Unavailable
from reference.enumeration import Enumeration

SINGLE = [(a, b) for a in range(4) for b in range(4) if a != b]
QUERIES = {
    "edge_probabilities": (),
    "precedence": (),
    "causal_effects": (),
    "probability": ("A < B",),
    "log_probability": ("A < B",),
    "standard_error": ("A < B",),
    "parent_sets": ("A",),
    "most_probable_graph": (),
    "entropy": (),
    "sample": (50,),
}


def ask_about_orders(case, evidence):
    return Question(both(case), ORDER_EVIDENCE[evidence], order_pairs(evidence, NAMES))


@cache
def all_questions(case):
    return {name: ask_about_orders(case, name) for name in ORDER_EVIDENCE}


@pytest.fixture(scope="module", params=at_levels(CASES))
def questions(request, level):
    """One case under pieces of evidence, some of which leave nothing."""
    return chosen(all_questions(request.param), list(CASES).index(request.param), level)


@pytest.fixture(scope="module")
def answerable(questions):
    return possible(questions)


@pytest.mark.kernels
class TestEveryCase:
    def test_evidence_and_its_probability(self, answerable):
        def check(question):
            under = question.posterior.given(question.given)
            assert under.log_evidence == pytest.approx(question.brute.log_evidence, rel=0, abs=1e-9)
            assert under.evidence == osp.Edges.parse(question.given)
            expected = question.brute.log_evidence - question.prior_brute.log_evidence
            log_probability = question.posterior.log_probability(question.given)
            assert log_probability == pytest.approx(expected, rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_impossible_evidence(self, questions):
        check_refusals(questions, QUERIES)

    def test_matrices(self, answerable):
        def check(question):
            edges, precedence = question.ask("edge_probabilities"), question.ask("precedence")
            np.testing.assert_allclose(edges, question.brute.edge_probabilities(), rtol=0, atol=1e-9)
            np.testing.assert_allclose(precedence, question.brute.precedence(), rtol=0, atol=1e-9)
            effects = question.brute.effects(question.weights)
            units = "data" if question.posterior.units is None else "sd"
            np.testing.assert_allclose(question.ask("causal_effects", units=units), effects, rtol=0, atol=1e-9)

        check_each(check, answerable)

    def test_events(self, answerable):
        def check(question):
            for event in EVENTS:
                expected = question.expected(event)
                assert question.ask("probability", event) == pytest.approx(expected, rel=0, abs=1e-9)
                log_expected = pytest.approx(math.log(expected), rel=0, abs=1e-9) if expected > 0 else -math.inf
                assert question.ask("log_probability", event) == log_expected
                # Of exact posteriors it is 0; tests/circuit/test_standard_errors.py has those of circuits.
                assert question.posterior.model.kind != "orders" or question.ask("standard_error", event) == 0.0

        check_each(check, answerable)

    def test_parent_sets(self, answerable):
        def check(question):
            for child, name in enumerate(NAMES):
                table = question.ask("parent_sets", name)
                sets = question.brute.parent_sets(child).items()
                expected = {tuple(NAMES[p] for p in sorted(parents)): q for parents, q in sets}
                found = dict(zip(table["parents"], table["probability"], strict=True))
                assert found == pytest.approx(expected, rel=0, abs=1e-9)
                assert len(found) == len(table)

        check_each(check, answerable)

    def test_most_probable_graph(self, answerable):
        def check(question):
            best, brute = question.ask("most_probable_graph"), question.brute
            best_log_probability = brute.best_log_weight() - brute.log_evidence
            assert best.log_probability == pytest.approx(best_log_probability, rel=0, abs=1e-8)
            present = [(NAMES.index(c), NAMES.index(e)) for c, e in best.graph.edges]
            absent = [pair for pair in SINGLE if pair not in present]
            pairs = brute.given(present, absent)
            assert tuple(NAMES.index(v) for v in best.order) in set(map(tuple, pairs.orders.tolist()))
            if question.modular:
                np.testing.assert_allclose(pairs.log_weight, best.log_score, rtol=0, atol=1e-8)
            # As an event, the graph sums over those of its orders that are possible.
            expected = brute.probability(present, absent)
            assert question.ask("probability", best.edges) == pytest.approx(expected, rel=0, abs=1e-9)

        check_each(check, answerable)

    def test_entropy(self, answerable):
        def check(question):
            assert question.ask("entropy") == pytest.approx(question.brute.entropy(), rel=0, abs=1e-8)

        check_each(check, answerable)

    def test_samples_satisfy_the_evidence(self, answerable):
        def check(question):
            samples = question.ask("sample", 50)
            masks = np.einsum("sij,i->sj", samples.adjacency, 1 << np.arange(4))
            drawn = zip(map(tuple, samples.orders.tolist()), map(tuple, masks.tolist()), strict=True)
            assert set(drawn) <= set(question.brute.pair_probabilities())

        check_each(check, answerable)

    def test_weights_that_count_each_graph_once(self, answerable):
        def check(question):
            samples = question.posterior.sample(50, question.given, 1, target="dag")
            graph_probabilities = question.brute.graph_probabilities()
            scores = dict(zip(map(tuple, question.brute.masks.tolist()), _log_scores(question), strict=True))
            masks = np.einsum("sij,i->sj", samples.adjacency, 1 << np.arange(4))
            weights = np.array([math.exp(scores[m]) / graph_probabilities[m] for m in map(tuple, masks.tolist())])
            np.testing.assert_allclose(samples.weights, weights / weights.sum(), rtol=1e-8)

        check_each(check, answerable)


def _log_scores(question):
    """Log scores of the graphs of all pairs, up to a constant, for any weights of their orders in a circuit."""
    families = question.posterior.model.learned
    sets = [f.indicators(np.arange(f.log_score.size), 4) @ (1 << np.arange(4)) for f in families]
    table = np.full((4, 16), -np.inf)
    for family, masks in zip(families, sets, strict=True):
        table[family.child, masks] = family.log_score
    log_scores = sum(table[child, question.brute.masks[:, child]] for child in range(4))
    return log_scores - log_scores.max()


# --- what comes before, and what cannot ---------------------------------------------------------------------------


def test_cases_are_asked_about_every_piece_of_evidence():
    assert coverage(map(all_questions, CASES), ORDER_EVIDENCE, "test") >= 3


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES)
def test_single_pairs_are_precedences(case):
    posterior = both(case).posterior
    before = posterior.precedence()
    for first, second in SINGLE:
        a, b = NAMES[first], NAMES[second]
        assert posterior.probability(f"{a} < {b}") == pytest.approx(before.loc[a, b], rel=0, abs=1e-10)
        assert posterior.probability(osp.Edges(before=[(a, b)])) == posterior.probability(f"{a} < {b}")


@pytest.mark.parametrize("case", ["fair", "part of the orders", "two candidates", "one outsider"])
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_say_which(case, name):
    evidence, reason = CONTRADICTIONS[name]
    posterior = both(case).posterior
    assert posterior.log_probability(evidence) == -math.inf
    with pytest.raises(osp.ImpossibleEvidence) as caught:
        posterior.given(evidence)
    assert str(caught.value).endswith(f": {reason}.")
    with pytest.raises(osp.ImpossibleEvidence, match="form a cycle"):
        posterior.best_graph(evidence, effort=0.05)


def test_contradiction_with_what_was_known_before():
    posterior = both("one outsider").posterior.given("A < B").given("B < C")
    assert posterior.probability("C < A") == posterior.probability("C -> A") == 0.0
    with pytest.raises(osp.ImpossibleEvidence, match="form a cycle, C -> A < B < C"):
        posterior.given("C -> A")


def test_an_order_that_a_circuit_does_not_cover_is_impossible_there():
    """And only there: the search for the best graph finds one beyond the circuit."""
    case = "sampled orders, elbo"
    covered = set(map(tuple, both(case).brute.orders.tolist()))
    posterior = both(case).posterior
    chains = [" < ".join(NAMES[v] for v in order) for order in set(_all_orders()) - covered]
    assert chains
    for chain in chains[:3]:
        assert posterior.log_probability(chain) == -math.inf
        with pytest.raises(osp.ImpossibleEvidence, match="orders that its circuit covers"):
            posterior.given(chain)
        assert posterior.best_graph(chain, effort=0.05).order == chain.split(" < ")


def _all_orders():
    return map(tuple, both("fair").brute.orders.tolist())


def test_a_cause_that_was_never_possible_stays_so():
    """Evidence on its place makes it a candidate of the tables, but not of the model."""
    posterior = both("unequal candidates").posterior
    under = posterior.given("A < C, D < A")
    assert under.candidates == posterior.candidates == {"A": ["B", "C"], "B": ["A", "C", "D"], "C": [], "D": ["A", "B"]}
    assert under.outsiders == posterior.outsiders
    assert under.probability("A -> C") == 0.0
    assert under.edge_probabilities().loc["A", "C"] == 0.0
    with pytest.raises(osp.ImpossibleEvidence, match="'A' is not among the candidate causes of 'C'"):
        under.given("A -> C")
    with pytest.raises(osp.ImpossibleEvidence, match="'A' is not among the candidate causes of 'C'"):
        under.best_graph("A -> C")


def test_the_face_shows_it():
    posterior = both("fair").posterior.given("A < B").given("C -> D")
    assert str(posterior.evidence) == "C -> D, A < B"
    assert "given 'C -> D, A < B'" in repr(posterior)
    assert "C -> D, A < B" in posterior.summary()


@pytest.mark.parametrize("wrong", ["A < E", "E < A", "F < E"])
def test_names_are_checked(wrong):
    for ask in (both("fair").posterior.given, both("fair").posterior.probability, both("fair").posterior.best_graph):
        with pytest.raises(ValueError, match=r"unknown variable '[EF]'"):
            ask(wrong)


# --- the best graph, by search ------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    "case", ["fair", "part of the orders", "one outsider, part of the orders", "two outsiders, part, blocks"]
)
def test_best_graph_is_the_best_of_all(case, level):
    posterior = both(case).posterior
    families = posterior.model.learned
    twin_without_evidence = Enumeration.of(
        {
            f.child: {frozenset(f.members(n).tolist()): float(s) + f.log_scale for n, s in enumerate(f.log_score)}
            for f in families
        }
    )

    def check(evidence):
        twin = twin_without_evidence.given(*order_pairs(evidence, NAMES))
        for steps in ([ORDER_EVIDENCE[evidence]], ORDER_EVIDENCE[evidence].split(", ", 1)):
            given, added = steps if len(steps) == 2 else (None, steps[0])
            if given and posterior.probability(given) == 0.0:
                continue
            best = posterior.given(given).best_graph(added, effort=0.05)
            assert best.log_score == pytest.approx(twin.best_log_weight(), rel=0, abs=1e-8)
            present = [(NAMES.index(c), NAMES.index(e)) for c, e in best.graph.edges]
            pairs = twin.given(present, [pair for pair in SINGLE if pair not in present])
            assert tuple(NAMES.index(v) for v in best.order) in set(map(tuple, pairs.orders.tolist()))

    names = list(ORDER_EVIDENCE)[:: 5 if level == "quick" else 1]
    check_each(check, {name: name for name in names})


# --- posteriors without orders ------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["dag", "gadget", "dibs"])
def without_orders(request):
    values = np.random.default_rng(0).normal(size=(30, 4))
    if request.param == "dag":
        return osp.learn(values, variables=NAMES, method=osp.methods.Auto(target="dag"), standardize=False)
    if request.param == "gadget":
        return osp.learn(
            values, variables=NAMES, method=osp.methods.Gadget(n_graphs=100, effort=0.05), rng=0, standardize=False
        )
    pytest.importorskip("jax")
    return osp.learn(
        values, variables=NAMES, method=osp.methods.DiBS(n_particles=4, effort=0.01), rng=0, standardize=False
    )


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_posteriors_without_orders_say_so(without_orders):
    for ask in (
        without_orders.given,
        without_orders.probability,
        without_orders.standard_error,
        without_orders.best_graph,
        without_orders.edge_probabilities,
        lambda given: without_orders.sample(5, given),
        lambda given: without_orders.probability("A -> B", given=given),
    ):
        with pytest.raises(Unavailable, match=r"'A < B' is about orders.*methods.Exact.*methods.Trust"):
            ask("C !-> D, A < B")


def test_what_follows_from_other_constraints_costs_nothing():
    values = gaussian_data(6, 40, seed=2)
    posterior = osp.learn(
        values, variables=letters(6), candidates={"B": ["A"], **{name: [] for name in "ACDEF"}}, standardize=False
    )
    names = letters(6)
    chained, all_pairs = list(itertools.pairwise(names)), list(itertools.combinations(names, 2))
    short, long = (posterior.given(osp.Edges(before=pairs)) for pairs in (chained, all_pairs))
    for few, many in zip(short.model.families, long.model.families, strict=True):
        assert few.candidates.tolist() == many.candidates.tolist()
    assert short.log_evidence == long.log_evidence
    mixed = posterior.given(osp.Edges([("A", "B")], before=[("B", "C"), ("A", "C"), ("A", "B")]))
    assert mixed.log_evidence == posterior.given(osp.Edges([("A", "B")], before=[("B", "C")])).log_evidence
