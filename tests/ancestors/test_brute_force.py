"""Ancestors against all (order, graph) pairs of four and five variables: exact answers, and those from draws."""

from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.cases import CASES, NAMES, both
from helpers.data import gaussian_data, letters
from helpers.levels import parameters
from reference.ancestors import Relations
from reference.enumeration import Enumeration
from reference.local_scores import local_scores

EXACT = [name for name, case in CASES.items() if not case.circuit]
CIRCUITS = ["circuit of all orders", "part of the orders, blocks", "part, sampled"]
EVIDENCE = {
    "nothing": "",
    "an edge": "A -> B",
    "no edge": "A !-> B, D !-> C",
    "neighbours": "A -- B",
    "two pairs of neighbours": "A -- B, C -- D",
    "an order": "B < C",
    "all kinds": "A -> B, C !-> D, B -- C, A < D",
}
OF_ONE_VARIABLE = ["A ~> B", "A !~> B", "A ~> B, A ~> C", "A ~> B, A !~> D", "B ~> A, C -> D", "D ~> A, D !-> A"]
OF_SEVERAL = ["A ~> B, B ~> C", "A ~> D, B ~> D", "A !~> B, B !~> A", "A ~> B, C !~> B, D -- A"]
ERRORS = 4.5
"""Standard errors that an estimate may be away: one of some hundred thousand is farther."""


@cache
def relations(case):
    return Relations(both(case).brute)


def possible(case, given):
    return bool(relations(case).holds(given, NAMES).any())


@pytest.fixture(
    scope="module",
    params=parameters(EXACT, quick=["fair", "one outsider"], test=[*EXACT[:3], *EXACT[5:7], *EXACT[-4:]]),
)
def exact(request):
    return request.param


@pytest.mark.parametrize("given", EVIDENCE.values(), ids=EVIDENCE)
def test_all_pairs(exact, given):
    if not possible(exact, given):
        return
    found = both(exact).posterior.ancestor_probabilities(given or None)
    np.testing.assert_allclose(found, relations(exact).matrix(NAMES, given), rtol=0, atol=1e-9)
    assert not both(exact).posterior.ancestor_standard_errors(given or None).to_numpy().any()


@pytest.mark.parametrize("given", EVIDENCE.values(), ids=EVIDENCE)
def test_events_of_one_variable(exact, given):
    if not possible(exact, given):
        return
    posterior = both(exact).posterior
    for event in OF_ONE_VARIABLE:
        expected = relations(exact).probability(event, NAMES, given)
        assert posterior.probability(event, given or None) == pytest.approx(expected, abs=1e-9), event
        assert posterior.standard_error(event, given or None) == 0.0, event


@pytest.mark.parametrize("given", EVIDENCE.values(), ids=EVIDENCE)
def test_descendant_sets(exact, given):
    if not possible(exact, given):
        return
    for source, name in enumerate(NAMES):
        found = both(exact).posterior.descendant_sets(name, given or None)
        expected = relations(exact).descendant_sets(source, NAMES, given)
        assert dict(zip(found["descendants"], found["probability"], strict=True)) == pytest.approx(expected, abs=1e-9)
        assert found["probability"].is_monotonic_decreasing


@pytest.mark.parametrize(
    "case", parameters(["fair", "one outsider", *CIRCUITS], quick=[], test=["fair", *CIRCUITS[1:]])
)
@pytest.mark.parametrize("given", ["", "A -> B", "B < C", "A -- C"])
def test_events_of_several_variables(case, given):
    if not possible(case, given):
        return
    posterior = both(case).posterior
    for event in OF_SEVERAL:
        expected = relations(case).probability(event, NAMES, given)
        found = posterior.probability(event, given or None)
        of_draws = np.sqrt((found * (1 - found) + 1e-4) / 10_000)  # the brute force has the same circuit
        assert abs(found - expected) < ERRORS * of_draws, event
        if case not in CIRCUITS:
            assert (found > 0.0) <= (posterior.standard_error(event, given or None) > 0.0)
            assert posterior.standard_error(event, given or None) <= 1.001 * of_draws


@pytest.mark.thorough
@pytest.mark.parametrize("case", ["fair", "two candidates", "one outsider, unequal candidates", *CIRCUITS])
@pytest.mark.parametrize("given", ["A ~> B", "A !~> B", "A ~> B, B ~> C", "A ~> C, B !~> C, A -> D", "C ~> A, B < D"])
def test_evidence(case, given):
    if not possible(case, given):
        with pytest.raises(osp.ImpossibleEvidence):
            both(case).posterior.given(given)
        return
    known, posterior = relations(case), both(case).posterior.given(given)
    n = posterior.model.n_graphs
    for found, expected in [
        (posterior.edge_probabilities(), known.edges(NAMES, given)),
        (posterior.ancestor_probabilities(), known.matrix(NAMES, given)),
    ]:
        error = np.sqrt((expected * (1 - expected) + 1 / n) / n)
        assert (np.abs(found.to_numpy() - expected) < ERRORS * error).all()
    assert posterior.probability(given) == 1.0
    assert posterior.precedence().loc["A", "D"] == pytest.approx(posterior.probability("A < D"))


@pytest.mark.thorough
def test_five_variables():
    values = gaussian_data(5, 40, seed=5)
    names = letters(5)
    known = Relations(Enumeration.of(local_scores(values)))
    posterior = osp.learn(values, variables=names, standardize=False, check=False)
    for given in ("", "A -> B", "C < E, A !-> D", "B -- E"):
        found = posterior.ancestor_probabilities(given or None)
        np.testing.assert_allclose(found, known.matrix(names, given), rtol=0, atol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "method",
    [osp.methods.Exact(target="dag"), osp.methods.Gadget(n_graphs=4000, effort=0.2)],
    ids=["exact", "sample"],
)
def test_graphs_that_count_once(method):
    values = gaussian_data(4, 40, seed=0)
    posterior = osp.learn(values, variables=NAMES, standardize=False, check=False, method=method)
    brute = Relations(Enumeration.of(local_scores(values)))
    _, first = np.unique(brute.graphs, axis=0, return_index=True)
    p, reached = brute.p[first] / brute.p[first].sum(), brute.reached[first]
    expected = np.einsum("p,pij->ij", p, reached)
    found, errors = posterior.ancestor_probabilities(), posterior.ancestor_standard_errors()
    assert (np.abs(found - expected) <= ERRORS * errors).to_numpy().all()
    under = posterior.given("A ~> B").ancestor_probabilities()
    p = np.where(reached[:, 0, 1], p, 0.0)
    assert np.abs(under - np.einsum("p,pij->ij", p / p.sum(), reached)).to_numpy().max() < 0.05


def test_mixtures():
    one, two = both("fair").posterior, both("uniform").posterior
    mixture = osp.mix([one, two], weights=[3, 1])
    expected = 0.75 * relations("fair").matrix(NAMES) + 0.25 * relations("uniform").matrix(NAMES)
    np.testing.assert_allclose(mixture.ancestor_probabilities(), expected, rtol=0, atol=1e-9)
    assert mixture.probability("A ~> B") == pytest.approx(expected[0, 1], abs=1e-9)
    sets = mixture.descendant_sets("A")
    assert sets["probability"].sum() == pytest.approx(1.0)
    of_b = sum(p for names, p in zip(sets["descendants"], sets["probability"], strict=True) if "B" in names)
    assert of_b == pytest.approx(expected[0, 1], abs=1e-9)
    under = mixture.given("A ~> B")
    weights = np.array([0.75, 0.25]) * [relations(name).matrix(NAMES)[0, 1] for name in ("fair", "uniform")]
    np.testing.assert_allclose(under.weights, weights / weights.sum(), atol=1e-9)
    assert under.probability("A ~> B") == pytest.approx(1.0)
