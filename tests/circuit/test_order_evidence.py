"""What is known about orders, on circuits: beside the exact posterior, beside lists of pairs, and in what is kept."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.cases import CASES, NAMES, both
from helpers.circuits import full_expansion
from helpers.data import gaussian_data, letters
from helpers.levels import parameters
from helpers.order_evidence import ORDER_EVIDENCE, order_pairs
from orderspn.circuit.extensions import log_order_masses
from orderspn.core.workers import Workers
from orderspn.leaves.tables import LeafTables
from orderspn.queries.evidence import restrict
from reference.circuit import circuit_enumeration
from reference.dags import adjacency_of, all_dags
from reference.local_scores import local_scores

CIRCUITS = [name for name, case in CASES.items() if case.circuit]
CONDITIONS = ["B < D", "E < A, C !-> D, B !-> A, C < B", "D < B < A < C", "A < E, B < E, C < E, D < E", "C -> B < E"]
EVENTS = ["A < B", "E < C", "B -> A, D < E", "C < D, A !-> D, E !-> B", "A < C < E"]


@cache
def learned(d, outsiders, block_size=None):
    """The exact posterior, or with a size of blocks a circuit of all orders; all others as candidates, or two."""
    candidates = "auto" if outsiders is None else 2
    method = osp.methods.Exact(outsiders=outsiders or 0)
    if block_size is not None:
        method = osp.methods.Trust(
            expansion=full_expansion(d, block_size), block_size=block_size, outsiders=outsiders or 0, refine=0
        )
    values = gaussian_data(d, 40, seed=30 + d)
    return osp.learn(
        values, variables=letters(d), candidates=candidates, method=method, n_jobs=1, rng=0, standardize=False
    )


@pytest.fixture(
    params=[*itertools.product([5], [1, 2, 5], [None, 0, 1]), (6, 2, 2), (6, 3, 0)],
    ids=lambda p: f"d={p[0]}, m={p[1]}, outsiders={p[2]}",
)
def twins(request):
    d, block_size, outsiders = request.param
    return learned(d, outsiders, block_size), learned(d, outsiders)


@pytest.mark.thorough
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_circuit_of_all_orders_answers_as_the_exact_posterior(twins, condition):
    assert twins[0].candidates == twins[1].candidates
    if twins[1].probability(condition) == 0.0:
        assert twins[0].log_probability(condition) == -math.inf
        return
    circuit, exact = (posterior.given(condition) for posterior in twins)
    for query in ("edge_probabilities", "precedence", "causal_effects"):
        np.testing.assert_allclose(getattr(circuit, query)(), getattr(exact, query)(), rtol=0, atol=1e-9)
    assert circuit.log_evidence == pytest.approx(exact.log_evidence, rel=0, abs=1e-9)
    assert circuit.entropy() == pytest.approx(exact.entropy(), rel=0, abs=1e-9)
    for event in EVENTS:
        assert circuit.probability(event) == pytest.approx(exact.probability(event), rel=0, abs=1e-9)
    best, other = circuit.most_probable_graph(), exact.most_probable_graph()
    assert best.log_score == pytest.approx(other.log_score, rel=0, abs=1e-9)
    assert best.log_probability == pytest.approx(other.log_probability, rel=0, abs=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("weights", ["elbo", "sampled", "uniform"])
@pytest.mark.parametrize("block_size", parameters([1, 2, 3], test=[2]))
def test_parts_of_the_orders_of_five(block_size, weights):
    values = gaussian_data(5, 30, seed=7)
    expansion = [6, 2, 1][: {1: 3, 2: 2, 3: 1}[block_size]]
    posterior = osp.learn(
        values,
        variables=letters(5),
        method=osp.methods.Trust(oracle="random", expansion=expansion, block_size=block_size, weights=weights),
        n_jobs=1,
        rng=1,
        standardize=False,
    )
    prior = posterior.model.orders.circuit
    brute = circuit_enumeration(prior.structure, prior.log_weights, local_scores(values))
    before = brute.precedence()
    for first, second in itertools.permutations(range(5), 2):
        event = osp.Edges(before=[(letters(5)[first], letters(5)[second])])
        assert posterior.probability(event) == pytest.approx(before[first, second], rel=0, abs=1e-9)
        twin = brute.given(before=[(first, second)])
        if len(twin.log_weight):
            found = posterior.edge_probabilities(event)
            np.testing.assert_allclose(found, twin.edge_probabilities(), rtol=0, atol=1e-9)


# --- what the orders of a graph weigh -----------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize("evidence", parameters(["one", "chain of all", "mixed chain"], quick=["mixed chain"]))
@pytest.mark.parametrize("name", CIRCUITS)
def test_only_possible_orders_of_a_graph_count(name, evidence):
    """What is left of the mass of a graph is what is left of its pairs."""
    posterior, brute = both(name).posterior, both(name).brute
    joint = brute.given(*order_pairs(evidence, NAMES))
    if not len(joint.log_weight):
        assert posterior.log_probability(ORDER_EVIDENCE[evidence]) == -math.inf
        return
    under = posterior.given(ORDER_EVIDENCE[evidence])
    of_all, of_left = brute.graph_probabilities(), joint.graph_probabilities()
    share = math.exp(joint.log_evidence - brute.log_evidence)
    masks = np.array([row for row in all_dags(4).tolist() if tuple(row) in of_all])
    log_all, log_left = (p.model.orders.log_order_masses(adjacency_of(masks)) for p in (posterior, under))
    present = order_pairs(evidence, NAMES)[0]
    compared = 0
    for row, log_ratio in zip(map(tuple, masks.tolist()), log_left - log_all, strict=True):
        if all(row[effect] >> cause & 1 for cause, effect in present):
            expected = of_left.get(row, 0.0) * share / of_all[row]
            assert math.exp(log_ratio) == pytest.approx(expected, rel=1e-8, abs=1e-12)
            compared += 1
    assert compared >= len(of_left)


def test_blocks_that_never_were_possible_are_on_no_way():
    """Where A has no causes and is one of all others, no order begins with another variable."""
    star = osp.learn(
        gaussian_data(4, 30, seed=3),
        variables=NAMES,
        candidates={"A": [], "B": ["A"], "C": ["A"], "D": ["A"]},
        method=osp.methods.Trust(expansion=[6], block_size=2),
        n_jobs=1,
        rng=0,
        standardize=False,
    ).given("A -> B, A -> C, A -> D")
    orders = star.model.orders
    assert np.isneginf(orders.log_block_masses).any()
    prior = replace(orders.circuit, log_block_masses=orders.log_block_masses)
    graphs = np.zeros((2, 4, 4), dtype=bool)
    graphs[0, 0, 1:] = True
    log_star, log_empty = log_order_masses(prior, graphs, Workers())
    assert -np.inf < log_star <= log_empty < np.inf


# --- what is kept, and what is laid out again ---------------------------------------------------------------------


def tables(families):
    return LeafTables.of(families, Workers())


def test_layouts():
    """Where a variable becomes a candidate, shared tables have other places; tables of blocks never."""
    names = letters(5)
    walled, open_to = (learned(5, outsiders).model.families for outsiders in (0, 1))
    for families in (walled, open_to):
        v = next(f.child for f in families if f.candidates.size < 4)
        known, non_candidate = (names[families[v].candidates[0]], _non_candidate(families[v], names))
        same = restrict(families, osp.Edges(before=[(known, names[v])]), names)
        other = restrict(families, osp.Edges(before=[(non_candidate, names[v])]), names)
        assert tables(same).laid_out_as(tables(families))
        assert tables(other).laid_out_as(tables(families)) == (families is open_to)
    assert not tables(walled).laid_out_as(tables(open_to))
    assert not tables(open_to).laid_out_as(tables(walled))


def _non_candidate(family, names):
    return next(n for v, n in enumerate(names) if v != family.child and v not in family.candidates)


def test_families_that_are_not_concerned_stay_the_same_objects():
    families, names = learned(5, 1).model.families, letters(5)
    under = restrict(families, osp.Edges.parse("A < B, D < B, C !-> A"), names)
    assert [one is other for one, other in zip(under, families, strict=True)] == [False, False, True, True, True]
    # What is known already changes nothing, and neither does what follows from an edge.
    again = restrict(under, osp.Edges.parse("D < B"), names)
    assert all(one is other for one, other in zip(again, under, strict=True))
    edge = restrict(families, osp.Edges.parse("A -> B"), names)
    assert restrict(edge, osp.Edges.parse("A < B"), names)[1] is edge[1]


def test_many_outsiders_that_become_candidates():
    """All that come before in one order."""
    posterior = learned(5, 2, 2)
    order = posterior.most_probable_graph().order
    pairs = [(a, b) for a, b in itertools.combinations(order, 2) if a not in posterior.candidates[b]]
    assert len(pairs) > 3
    under, exact = (p.given(osp.Edges(before=pairs)) for p in (posterior, learned(5, 2)))
    assert sum(f.n_rows for f in under.model.families) < sum(f.n_rows for f in posterior.model.families)
    np.testing.assert_allclose(under.edge_probabilities(), exact.edge_probabilities(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(under.causal_effects(), exact.causal_effects(), rtol=0, atol=1e-9)


def test_from_tables_of_blocks_to_shared_ones():
    """Outsiders of one variable only: once they are its candidates there are none left."""
    values, names = gaussian_data(4, 30, seed=5), letters(4)
    common = {"variables": names, "n_jobs": 1, "rng": 0}
    everything = {v: [c for c in names if c != v] for v in names}
    candidates = everything | {"D": ["A", "B"]}
    method = osp.methods.Trust(expansion=[6], block_size=2, outsiders=1)
    posterior = osp.learn(values, candidates=candidates, method=method, **common, standardize=False)
    exact = osp.learn(values, candidates=everything, **common, standardize=False)
    assert not tables(posterior.model.families).shared
    under = posterior.given("A !-> B").given("C < D")
    assert tables(under.model.families).shared
    twin = exact.given("A !-> B, C < D")
    assert under.log_evidence == pytest.approx(twin.log_evidence, rel=0, abs=1e-9)
    for query in ("edge_probabilities", "precedence", "causal_effects"):
        np.testing.assert_allclose(getattr(under, query)(), getattr(twin, query)(), rtol=0, atol=1e-9)
    assert under.outsiders == posterior.outsiders == {"A": [], "B": [], "C": [], "D": ["C"]}


def test_the_bound_on_candidates(monkeypatch):
    monkeypatch.setattr("orderspn.leaves.order_constraints.MOST_CANDIDATES", 2)
    posterior = learned(5, 0)
    child = next(v for v in posterior.variables if len(posterior.candidates[v]) == 2)
    inside, outside = posterior.candidates[child][0], _outside(posterior, child)
    assert 0.0 < posterior.probability(osp.Edges(before=[(inside, child)])) < 1.0
    for ask in (posterior.given, posterior.probability, posterior.best_graph):
        with pytest.raises(ValueError, match=f"cannot ask whether '{outside}' comes before '{child}'.*which has 2 of"):
            ask(osp.Edges(before=[(outside, child)]))


def _outside(posterior, child):
    return next(v for v in posterior.variables if v != child and v not in posterior.candidates[child])
