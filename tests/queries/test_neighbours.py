"""Neighbours, "A -- B", as events and as evidence: every query against a list of all (order, graph) pairs or graphs."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from helpers.cases import NAMES, both
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.data import gaussian_data, letters
from reference.dags import DagList, adjacency_of
from reference.enumeration import Enumeration, log_sum_exp
from reference.local_scores import local_scores

CASES = [
    "fair",
    "unequal candidates",
    "circuit of all orders, blocks",
    "part, sampled",
    "one outsider, part of the orders",
    "sampled orders, elbo",
]
EVIDENCE = [
    "A -- B",
    "A -- B, C -- D",
    "B -- A, A -> D",
    "A -- B, B -- D, A -- D",
    "A -- D, D !-> A",
    "A -- B, A < D",
    "A -- B, B !-- C",
    "A -- B, A -> B, D -- B",
]
EVENTS = ["A -- B", "C -- D", "B -- D, A -> B", "A !-- C", "A -> B", "A -- B, A -- D, B -- D", "D < A, A -- C"]


def holds(brute, text):
    """Which pairs satisfy "A -> B, B -- C, D < A", all words apart."""
    keep = np.ones(len(brute.masks), dtype=bool)
    graphs, places = brute.adjacency, np.argsort(brute.orders, axis=1)
    for statement in text.split(","):
        one, sign, other = statement.split()
        a, b = NAMES.index(one), NAMES.index(other)
        forward, backward = graphs[:, a, b], graphs[:, b, a]
        keep &= {
            "->": forward,
            "!->": ~forward,
            "--": forward | backward,
            "!--": ~(forward | backward),
            "<": places[:, a] < places[:, b],
        }[sign]
    return keep


def under(brute, text):
    keep = holds(brute, text)
    return Enumeration(brute.orders[keep], brute.masks[keep], brute.log_weight[keep])


@pytest.fixture(params=list(itertools.product(CASES, EVIDENCE)), ids=": ".join)
def asked(request):
    """A posterior, evidence, and the list under that evidence."""
    case, evidence = request.param
    brute = under(both(case).brute, evidence)
    if not len(brute.log_weight):
        with pytest.raises(osp.ImpossibleEvidence, match="cannot condition on"):
            both(case).posterior.given(evidence)
    return both(case), evidence, brute


@pytest.mark.thorough
def test_every_answer_is_exact(asked):
    twin, evidence, brute = asked
    posterior = twin.posterior
    assert posterior.probability(evidence) == pytest.approx(twin.brute.p[holds(twin.brute, evidence)].sum(), abs=1e-9)
    if not len(brute.log_weight):
        assert posterior.log_probability(evidence) == -math.inf
        return
    given = posterior.given(evidence)
    assert given.evidence == osp.Edges.parse(evidence)
    assert given.log_evidence == pytest.approx(brute.log_evidence, rel=0, abs=1e-9)
    assert given.entropy() == pytest.approx(brute.entropy(), rel=0, abs=1e-8)
    np.testing.assert_allclose(given.edge_probabilities(), brute.edge_probabilities(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(given.precedence(), brute.precedence(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(given.causal_effects(), brute.effects(twin.weights), rtol=0, atol=1e-9)
    errors = given.edge_standard_errors().to_numpy()
    assert (np.nan_to_num(errors) == 0.0).all()  # known if the posterior has none
    if evidence in EVIDENCE[:1]:
        assert posterior.edge_standard_errors().to_numpy().any() == np.isnan(errors).any()
    for event in EVENTS:
        expected = brute.p[holds(brute, event)].sum()
        assert given.probability(event) == pytest.approx(expected, rel=0, abs=1e-9)
        assert np.nan_to_num(given.standard_error(event)) == 0.0
    for child, name in enumerate(NAMES):
        table = given.parent_sets(name)
        expected = {tuple(NAMES[p] for p in sorted(s)): q for s, q in brute.parent_sets(child).items()}
        assert dict(zip(*map(table.get, ["parents", "probability"]), strict=True)) == pytest.approx(expected, abs=1e-9)
        assert table["probability"].is_monotonic_decreasing
    best = given.most_probable_graph()
    assert best.log_probability == pytest.approx(brute.best_log_weight() - brute.log_evidence, rel=0, abs=1e-8)
    assert given.probability(best.edges) == pytest.approx(brute.p[(brute.adjacency == matrix(best)).all((1, 2))].sum())


def matrix(best):
    return nx.to_numpy_array(best.graph, nodelist=NAMES).astype(bool)


@pytest.mark.thorough
def test_the_search_finds_the_best_graph(asked):
    twin, evidence, brute = asked
    if twin.modular and len(brute.log_weight):
        found = twin.posterior.best_graph(evidence, effort=0.1)
        assert found.log_score >= brute.best_log_weight() - 1e-8
        given = twin.posterior.given(evidence).best_graph(effort=0.1)
        assert given.log_score == pytest.approx(found.log_score)
        for one, other in osp.Edges.parse(evidence).adjacent:
            assert found.graph.has_edge(one, other) or found.graph.has_edge(other, one)


@pytest.mark.parametrize("case", ["fair", "part, sampled"])
def test_draws_have_the_right_frequencies(case):
    twin = both(case)
    brute = under(twin.brute, "A -- B, B -- D")
    samples = twin.posterior.sample(20_000, "A -- B, B -- D", rng=1)
    masks = (samples.adjacency << np.arange(4)[:, None]).sum(axis=1)
    drawn = list(zip(map(tuple, samples.orders.tolist()), map(tuple, masks.tolist()), strict=True))
    assert chi_square_p(drawn, brute.pair_probabilities()) > THRESHOLD
    again = twin.posterior.sample(20_000, "A -- B, B -- D", rng=1)
    np.testing.assert_array_equal(again.adjacency, samples.adjacency)
    estimate = twin.posterior.estimate_effects(2000, "A -- B, B -- D", rng=2)
    error = (estimate.mean - twin.posterior.causal_effects("A -- B, B -- D")).abs()
    assert (error <= 6 * estimate.standard_error + 1e-9).to_numpy().all()


@pytest.fixture(scope="module")
def graphs():
    """The posterior in which every graph counts once, and a list of all graphs."""
    values = gaussian_data(4, 30, seed=5)
    posterior = osp.learn(values, variables=NAMES, method=osp.methods.Exact(target="dag"), n_jobs=1, standardize=False)
    return posterior, DagList(local_scores(values, "fair", None, None, 0))


@pytest.mark.parametrize("pairs", [["AB"], ["AB", "CD"], ["AB", "BC", "AC"]])
def test_every_graph_counts_once(graphs, pairs):
    posterior, brute = graphs
    adjacency = adjacency_of(brute.masks)
    either = adjacency | adjacency.transpose(0, 2, 1)
    keep = np.logical_and.reduce([either[:, NAMES.index(a), NAMES.index(b)] for a, b in pairs])
    log_weights, kept = brute.log_weights[keep], adjacency[keep]
    p = np.exp(log_weights - log_sum_exp(log_weights))
    given = posterior.given(osp.Edges(adjacent=[tuple(pair) for pair in pairs]))
    assert given.log_evidence == pytest.approx(log_sum_exp(log_weights), abs=1e-9)
    np.testing.assert_allclose(given.edge_probabilities(), np.einsum("g,gij->ij", p, kept), rtol=0, atol=1e-9)
    assert given.entropy() == pytest.approx(-(p * np.log(p)).sum(), abs=1e-8)
    assert given.most_probable_graph().log_probability == pytest.approx(np.log(p.max()), abs=1e-8)
    with pytest.raises(ValueError, match="is about orders"):
        given.precedence()
    with pytest.raises(ValueError, match="is about orders"):
        given.given("A < B")


def test_weights_of_draws_count_graphs_once():
    twin = both("fair")
    samples = twin.posterior.sample(20_000, "A -- B", rng=3, target="dag")
    graphs = under(twin.brute, "A -- B").masks
    brute = DagList(local_scores(gaussian_data(4, 30, seed=100), "fair", None, None, 0))
    keep = np.isin([hash(tuple(m)) for m in brute.masks.tolist()], [hash(tuple(m)) for m in graphs.tolist()])
    p = np.where(keep, brute.p, 0.0)
    expected = np.einsum("g,gij->ij", p / p.sum(), adjacency_of(brute.masks))
    np.testing.assert_allclose(samples.edge_frequencies(), expected, rtol=0, atol=0.03)


@pytest.mark.thorough
def test_samples_of_graphs_are_tested_directly():
    posterior = osp.learn(
        gaussian_data(4, 30, seed=5),
        variables=NAMES,
        method=osp.methods.Gadget(n_graphs=400, effort=0.1),
        rng=1,
        standardize=False,
    )
    drawn = posterior.model.adjacency
    either = drawn[:, 0, 1] | drawn[:, 1, 0]
    assert posterior.probability("A -- B") == pytest.approx(either.mean())
    assert posterior.standard_error("A -- B") > 0.0
    given = posterior.given("A -- B")
    np.testing.assert_allclose(given.edge_probabilities(), drawn[either].mean(axis=0))
    with pytest.raises(osp.ImpossibleEvidence, match="A and B are given as both neighbours and not"):
        given.given("A !-- B")


def test_pairs_and_graphs_are_present_edges():
    posterior = both("fair").posterior
    text = posterior.probability("A -> B, B -> C", given="A -> D")
    assert posterior.probability([("A", "B"), ["B", "C"]], given=[("A", "D")]) == text
    graph = nx.DiGraph([("A", "B"), ("B", "C")])
    graph.add_node("D")
    assert posterior.probability(graph, given=nx.DiGraph([("A", "D")])) == text
    with pytest.raises(TypeError, match=r"event must be a directed graph.*Edges\(adjacent=graph\.edges\)"):
        posterior.probability(nx.Graph([("A", "B")]))
    with pytest.raises(TypeError, match=r"event must hold \(cause, effect\) pairs of names; got 'A'"):
        posterior.probability(("A", "B"))


def test_too_many_neighbours():
    names = letters(6)
    posterior = osp.learn(gaussian_data(6, 30, seed=1), variables=names, n_jobs=1, standardize=False)
    pairs = list(itertools.combinations(names, 2))
    with pytest.raises(ValueError, match=r"at most 10 pairs of neighbours.*got 11"):
        posterior.probability(osp.Edges(adjacent=pairs[:11]))
    # Edges whose direction is given as well are no choice.
    assert posterior.probability(osp.Edges(present=pairs, adjacent=pairs)) == posterior.probability(pairs)


def test_files_keep_neighbours(tmp_path):
    given = both("part, sampled").posterior.given("A -- B, B < D")
    given.save(tmp_path / "posterior.npz")
    again = osp.load(tmp_path / "posterior.npz", n_jobs=1)
    assert again.evidence == given.evidence
    assert again.edge_probabilities().equals(given.edge_probabilities())
    assert again.summary() == given.summary()


def test_knowledge_has_directions():
    with pytest.raises(ValueError, match=r"knowledge must be about directed edges.*posterior\.given\('A -- B'\)"):
        osp.Knowledge.parse("A -- B")
