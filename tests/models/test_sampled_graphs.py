"""A sample of graphs written down by hand: every answer is a share that can be counted."""

import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.core.errors import Unavailable
from orderspn.core.workers import Workers
from orderspn.models.sampled_graphs import SampledGraphs
from reference.bge import mean_weights

NAMES = letters(3)
VALUES = gaussian_data(3, 20, seed=5)
LOCAL = osp.learn(VALUES, variables=NAMES, standardize=False).model.score
OTHERS = [np.array([1, 2]), np.array([0, 2]), np.array([0, 1])]
NO_VARIABLES = np.empty(0, dtype=np.int64)

# Name -> edges, log score; listed run by run below.
CHAIN, FORK, COLLIDER, EMPTY, FULL = "A -> B -> C", "B -> A, B -> C", "A -> C, B -> C", "", "A -> B, A -> C, B -> C"
LOG_SCORES = {CHAIN: -1.0, FORK: -2.0, COLLIDER: -5.0, EMPTY: -9.0, FULL: -3.0}
DRAWN = [CHAIN, CHAIN, FORK, EMPTY, COLLIDER, FULL, FORK, CHAIN]


def matrix(text):
    graph = np.zeros((3, 3), dtype=bool)
    for cause, effect in osp.Edges.parse(text).present if text else ():
        graph[NAMES.index(cause), NAMES.index(effect)] = True
    return graph


def model_of(drawn, n_runs=2, log_scores=None):
    adjacency = np.stack([matrix(text) if isinstance(text, str) else text for text in drawn])
    scores = np.array([LOG_SCORES[text] for text in drawn]) if log_scores is None else log_scores
    everyone = np.ones(len(drawn), dtype=bool)
    alike = np.full(len(drawn), 1 / len(drawn))
    about = tuple(NAMES), LOCAL, OTHERS, [NO_VARIABLES] * 3, adjacency, scores
    return SampledGraphs(*about, alike, Workers(1), everyone, n_runs)


SETTINGS = {"method": "gadget", "target": "dag", "rows": 20}


def posterior_of(*args, **kwargs):
    return osp.Posterior(model_of(*args, **kwargs), SETTINGS)


@pytest.fixture
def posterior():
    return posterior_of(DRAWN)


def share(condition, among=lambda graph: True):
    """Counted on the list of graphs."""
    chosen = [set(osp.Edges.parse(text).present) if text else set() for text in DRAWN]
    chosen = [graph for graph in chosen if among(graph)]
    return sum(map(condition, chosen)) / len(chosen)


def test_probability(posterior):
    assert posterior.probability("A -> B") == share(lambda g: ("A", "B") in g) == 4 / 8
    assert posterior.probability("A -> B, B -> C") == share(lambda g: {("A", "B"), ("B", "C")} <= g) == 4 / 8
    without = share(lambda g: ("A", "C") in g and ("A", "B") not in g)
    assert posterior.probability("A -> C, A !-> B") == pytest.approx(without) == 1 / 8
    assert posterior.probability("C -> A") == 0.0
    assert posterior.log_probability("C -> A") == -math.inf
    assert posterior.probability(None) == 1.0


def test_probability_given(posterior):
    expected = share(lambda g: ("A", "C") in g, among=lambda g: ("A", "B") in g)
    assert posterior.probability("A -> C", given="A -> B") == expected == 1 / 4
    assert posterior.given("A -> B").probability("A -> C") == expected
    in_steps = posterior.given("A -> B").given("A !-> C")
    assert in_steps.probability("B -> C") == 1.0
    assert in_steps.model.chosen.sum() == 3
    assert str(in_steps.evidence) == "A -> B, A !-> C"


def test_edges(posterior):
    counted = np.mean([matrix(text) for text in DRAWN], axis=0)
    np.testing.assert_array_equal(posterior.edge_probabilities(), counted)
    given = np.mean([matrix(text) for text in DRAWN if matrix(text)[1, 0]], axis=0)
    np.testing.assert_array_equal(posterior.edge_probabilities("B -> A"), given)
    assert not np.array_equal(counted, given)


def test_parent_sets(posterior):
    table = posterior.parent_sets("C")
    assert dict(zip(table["parents"], table["probability"], strict=True)) == {
        ("B",): 5 / 8,
        ("A", "B"): 2 / 8,
        (): 1 / 8,
    }
    assert table["probability"].is_monotonic_decreasing
    assert posterior.parent_sets("C", top=1)["parents"].tolist() == [("B",)]
    under = posterior.parent_sets("C", "A -> B")
    assert dict(zip(under["parents"], under["probability"], strict=True)) == {("B",): 3 / 4, ("A", "B"): 1 / 4}


def test_most_probable_graph(posterior):
    best = posterior.most_probable_graph()
    assert set(best.graph.edges) == {("A", "B"), ("B", "C")}
    assert best.graph.nodes == nx.DiGraph([("A", "B"), ("B", "C")]).nodes
    assert best.order == ["A", "B", "C"]
    assert best.log_score == -1.0
    assert best.log_probability == pytest.approx(math.log(3 / 8))
    assert len(best.edges.present) + len(best.edges.absent) == 6


def test_most_probable_graph_under_evidence(posterior):
    best = posterior.most_probable_graph(given="A -> C")
    assert set(best.edges.present) == {("A", "B"), ("A", "C"), ("B", "C")}
    assert best.log_probability == pytest.approx(math.log(1 / 2))
    assert best.log_score == -3.0
    found = posterior.best_graph(given="A -> C")
    assert (found.edges, found.log_score, found.order) == (best.edges, -3.0, best.order)
    assert posterior.given("A -> C").best_graph().edges == best.edges
    assert posterior.best_graph().log_score == -1.0
    with pytest.raises(osp.ImpossibleEvidence):
        posterior.best_graph(given="C -> A")


def test_nothing_sampled_satisfies_the_evidence(posterior):
    with pytest.raises(osp.ImpossibleEvidence, match=r"none of the 8 sampled graphs.*n_graphs=.*method='trust'"):
        posterior.given("C -> A")
    with pytest.raises(osp.ImpossibleEvidence, match=r"A -> C.*B -> A.*none of the 8 sampled"):
        posterior.given("A -> C").probability("B -> C", given="B -> A")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda p: p.log_evidence, "method='exact'"),
        (lambda p: p.entropy(), "method='exact'"),
        (lambda p: p.precedence(), "methods.Exact"),
        (lambda p: p.coverage(), "method='exact'"),
        (lambda p: p.size, "sample of graphs"),
    ],
    ids=["log_evidence", "entropy", "precedence", "coverage", "size"],
)
def test_questions_that_a_sample_has_no_answer_to(posterior, ask, says):
    with pytest.raises(Unavailable, match=says):
        ask(posterior)


def naive_effects(text):
    """Mean weights of each variable on its parents, and the sum of all paths."""
    graph = matrix(text)
    b = np.column_stack([mean_weights(VALUES, child, set(np.flatnonzero(graph[:, child]))) for child in range(3)])
    return np.linalg.inv(np.eye(3) - b)


def test_effects_are_means_over_graphs(posterior):
    expected = np.mean([naive_effects(text) for text in DRAWN], axis=0)
    assert np.abs(expected - np.eye(3)).max() > 0.05
    np.testing.assert_allclose(posterior.causal_effects(), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(posterior.estimate_effects(8).mean, expected, rtol=0, atol=1e-12)
    given = np.mean([naive_effects(text) for text in DRAWN if "A -> B" in text], axis=0)
    np.testing.assert_allclose(posterior.causal_effects("A -> B"), given, rtol=0, atol=1e-12)
    np.testing.assert_allclose(posterior.estimate_effects(8, "A -> B").mean, given, rtol=0, atol=1e-12)


def test_estimated_effects_take_graphs_evenly_from_each_run(posterior):
    """Of two runs of four the first and last graph of each."""
    expected = np.mean([naive_effects(DRAWN[i]) for i in (0, 3, 4, 7)], axis=0)
    np.testing.assert_allclose(posterior.estimate_effects(4).mean, expected, rtol=0, atol=1e-12)


def independent_draws(p, n_runs, n_draws, seed):
    rng = np.random.default_rng(seed)
    return [CHAIN if edge else EMPTY for edge in rng.random(n_runs * n_draws) < p]


def test_standard_error_of_independent_draws():
    p, n = 0.3, 4000
    posterior = posterior_of(independent_draws(p, 4, n // 4, 1), 4)
    share = posterior.probability("A -> B")
    assert posterior.standard_error("A -> B") == pytest.approx(math.sqrt(share * (1 - share) / n), rel=0.15)
    assert posterior.standard_error("A !-> B") == pytest.approx(posterior.standard_error("A -> B"), rel=1e-9)
    assert posterior.standard_error(None) == 0.0


def test_standard_error_of_draws_that_stay():
    """Ten equal draws in a row are worth one."""
    once = independent_draws(0.3, 4, 200, 2)
    held = posterior_of([text for text in once for _ in range(10)], 4)
    share = held.probability("A -> B")
    as_if_independent = math.sqrt(share * (1 - share) / 8000)
    error = held.standard_error("A -> B")
    assert error == pytest.approx(math.sqrt(10) * as_if_independent, rel=0.3)
    assert error > 2 * as_if_independent


def test_standard_error_of_runs_that_disagree():
    """Each run sees one graph only: four draws, not four hundred."""
    posterior = posterior_of([text for text in (CHAIN, CHAIN, EMPTY, CHAIN) for _ in range(100)], 4)
    assert posterior.standard_error("A -> B") > 0.15


def test_standard_error_of_a_conditional_probability():
    """Independent draws: the variance is that of a share of the graphs that satisfy the condition."""
    rng = np.random.default_rng(3)
    drawn = [[CHAIN, FULL, COLLIDER, EMPTY][i] for i in rng.choice(4, 8000, p=[0.1, 0.1, 0.3, 0.5])]
    posterior = posterior_of(drawn, 4)
    share = posterior.probability("A -> C", given="A -> B")
    n = sum(text in (CHAIN, FULL) for text in drawn)
    expected = math.sqrt(share * (1 - share) / n)
    assert posterior.standard_error("A -> C", given="A -> B") == pytest.approx(expected, rel=0.15)
    assert posterior.given("A -> B").standard_error("A -> C") == posterior.standard_error("A -> C", given="A -> B")


@pytest.mark.parametrize("event", ["C -> A", "C !-> A"])
def test_standard_error_where_all_graphs_agree(posterior, event):
    assert math.isnan(posterior.standard_error(event))


def test_standard_errors_of_estimated_effects():
    drawn = independent_draws(0.3, 4, 500, 4)
    estimate = posterior_of(drawn, 4).estimate_effects(2000)
    effects = np.stack([naive_effects(CHAIN), naive_effects(EMPTY)])
    share = np.mean([text == CHAIN for text in drawn])
    expected = np.abs(effects[0] - effects[1]) * math.sqrt(share * (1 - share) / 2000)
    assert expected.max() > 0.001
    np.testing.assert_allclose(estimate.standard_error, expected, rtol=0.2, atol=1e-12)


def test_samples_are_sampled_graphs(posterior):
    samples = posterior.sample(4000, rng=6)
    np.testing.assert_allclose(samples.edge_frequencies(), posterior.edge_probabilities(), rtol=0, atol=0.035)
    known = {matrix(text).tobytes() for text in DRAWN}
    assert {graph.tobytes() for graph in samples.adjacency} == known
    under = posterior.sample(50, "A -> C", 6)
    assert {graph.tobytes() for graph in under.adjacency} == {matrix(COLLIDER).tobytes(), matrix(FULL).tobytes()}
    counted_once = posterior.sample(4000, rng=6, target="dag")
    assert counted_once.weights is None
    np.testing.assert_array_equal(counted_once.adjacency, samples.adjacency)


def test_candidates_and_outsiders_by_name(posterior):
    assert posterior.candidates == {"A": ["B", "C"], "B": ["A", "C"], "C": ["A", "B"]}
    other = osp.Posterior(replace(posterior.model, outsiders=[np.array([2]), NO_VARIABLES, NO_VARIABLES]), SETTINGS)
    assert other.outsiders == {"A": ["C"], "B": [], "C": []}


@pytest.mark.parametrize("given", [None, "A -> B"])
def test_errors_of_all_edges_are_those_of_single_ones(posterior, given):
    errors = posterior.edge_standard_errors(given)
    for cause in posterior.variables:
        for effect in posterior.variables:
            if cause != effect:
                expected = posterior.standard_error(f"{cause} -> {effect}", given)
                assert errors.loc[cause, effect] == pytest.approx(expected, nan_ok=True)
    assert (errors.to_numpy() > 0.0).any()


def test_contradictions_are_not_blamed_on_the_sample(posterior):
    with pytest.raises(osp.ImpossibleEvidence, match="present and absent"):
        posterior.given("A -> B, A !-> B")
    with pytest.raises(osp.ImpossibleEvidence, match="form a cycle"):
        posterior.given("A -> B, B -> A")


def test_ties_of_the_most_probable_graph_go_by_names():
    """Fewest edges first, then the first names."""
    equal = ["B -> C", "A -> B", "A -> B, B -> C"]
    for drawn in (equal, equal[::-1]):
        best = posterior_of(drawn, n_runs=1, log_scores=np.zeros(3)).most_probable_graph()
        assert list(best.graph.edges) == [("A", "B")]
