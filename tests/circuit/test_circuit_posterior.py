"""Posteriors of circuits: equal to the exact one where all orders are covered, to a list of pairs elsewhere."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import orderspn as osp
import orderspn.circuit.circuit_orders
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.circuits import families_of_all, full_expansion, grow, unshared
from helpers.data import gaussian_data, letters
from helpers.each import check_each
from helpers.evidence import as_edges, as_indices
from helpers.families import random_families, random_weights
from helpers.levels import parameters
from orderspn.circuit.weighing import weigh_circuit
from orderspn.circuit.weights import elbo_weights
from orderspn.core.workers import Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.oracles.enumeration import Enumeration
from orderspn.queries.evidence import restrict
from reference.circuit import block_masses, circuit_enumeration, members, way
from reference.local_scores import all_mean_weights, local_scores

# --- circuits that cover all orders -------------------------------------------------------------------------------

CONDITIONS = {
    "nothing": None,
    "one edge": "B -> D",
    "one edge less": "A !-> E",
    "several": "E -> A, C !-> D, B !-> A, C -> B",
    "chain": "D -> B -> A -> C",
}
EVENTS = ["A -> B", "E !-> C", "B -> A, D -> E", "C -> D, A !-> D, E !-> B", "A -> C -> E"]


@cache
def values(d):
    return gaussian_data(d, 40, seed=20 + d)


def candidates(outsiders):
    """All others, or two that so many outsiders may join."""
    return 2 if outsiders else "auto"


@cache
def exact(d, outsiders=0):
    method = osp.methods.Exact(outsiders=outsiders)
    return osp.learn(
        values(d), variables=letters(d), candidates=candidates(outsiders), method=method, n_jobs=1, standardize=False
    )


@cache
def complete(d, block_size, outsiders=0):
    return osp.learn(
        values(d),
        variables=letters(d),
        candidates=candidates(outsiders),
        method=osp.methods.Trust(
            expansion=full_expansion(d, block_size), block_size=block_size, outsiders=outsiders, refine=0
        ),
        n_jobs=1,
        rng=0,
        standardize=False,
    )


@pytest.fixture(
    params=[
        *itertools.product([5], [1, 2, 3, 5], [0]),
        *itertools.product([6], [1, 2, 3], [0]),
        *itertools.product([5], [1, 2, 3, 5], [1]),
        *itertools.product([6], [1, 3], [2]),
    ],
    ids=lambda p: f"d={p[0]}, m={p[1]}, outsiders={p[2]}",
)
def twins(request):
    d, block_size, outsiders = request.param
    return complete(d, block_size, outsiders), exact(d, outsiders)


class TestAllOrders:
    """Under every condition."""

    @pytest.mark.thorough
    def test_matrices(self, twins):
        def check(condition):
            for query in ("edge_probabilities", "precedence", "causal_effects"):
                circuit, reference = (getattr(p, query)(condition) for p in twins)
                np.testing.assert_allclose(circuit, reference, rtol=0, atol=1e-9, err_msg=query)

        check_each(check, CONDITIONS)

    @pytest.mark.thorough
    def test_numbers(self, twins):
        def check(condition):
            circuit, reference = (p.given(condition) for p in twins)
            assert circuit.log_evidence == pytest.approx(reference.log_evidence, rel=0, abs=1e-9)
            assert circuit.entropy() == pytest.approx(reference.entropy(), rel=0, abs=1e-9)
            for event in EVENTS:
                assert circuit.probability(event) == pytest.approx(reference.probability(event), rel=0, abs=1e-9)

        check_each(check, CONDITIONS)

    @pytest.mark.thorough
    def test_parent_sets(self, twins):
        def check(condition):
            for child in twins[0].variables:
                circuit, reference = (p.parent_sets(child, condition) for p in twins)
                assert dict(zip(circuit["parents"], circuit["probability"], strict=True)) == pytest.approx(
                    dict(zip(reference["parents"], reference["probability"], strict=True)), rel=0, abs=1e-9
                )

        check_each(check, CONDITIONS)

    def test_most_probable_graph(self, twins):
        def check(condition):
            circuit, reference = (p.most_probable_graph(condition) for p in twins)
            assert circuit.log_score == pytest.approx(reference.log_score, rel=0, abs=1e-9)
            assert circuit.log_probability == pytest.approx(reference.log_probability, rel=0, abs=1e-9)

        check_each(check, CONDITIONS)

    def test_samples_follow_their_orders(self, twins):
        def check(condition):
            samples = twins[0].sample(200, given=condition, rng=0)
            position = np.argsort(samples.orders, axis=1)
            sample, cause, effect = np.nonzero(samples.adjacency)
            assert (position[sample, cause] < position[sample, effect]).all()

        check_each(check, CONDITIONS)


NO_VARIABLES = np.empty(0, dtype=np.int64)


def demanding_families(outsiders):
    """Variable 2 must have a parent, variable 4 the parent 0: many blocks are impossible."""
    families = families_of_all(5, seed=1)
    if outsiders:
        candidates = [[1], [0, 3], [4], [], [1]]  # 0 is an outsider of 4
        families = random_families(np.random.default_rng(3), candidates, 2.0, 0.0, outsiders)
    families[2].log_score[0] = -np.inf
    families[4] = families[4].restricted(np.array([0]), NO_VARIABLES)
    assert families[4].possible
    return families


@pytest.mark.kernels
@pytest.mark.parametrize("rule", ["elbo", "sampled"])
@pytest.mark.parametrize("block_size", [1, 2, 3])
@pytest.mark.parametrize("outsiders", [0, 1, 2])
def test_impossible_blocks(block_size, rule, outsiders):
    """They count for nothing, before evidence and under it."""
    families = demanding_families(outsiders)
    # Growing leaves out what is impossible, so it is grown where everything is possible.
    free = [replace(family, log_score=np.zeros(family.log_score.size)) for family in families]
    circuit = weigh_circuit(grow(free, full_expansion(5, block_size), block_size), families, rule, Workers())
    lattice = ExactOrders.over_all(families, Workers())
    assert np.isneginf(circuit.circuit.log_block_masses).any()
    tables = random_weights(np.random.default_rng(0), families)
    under = [families[0].restricted(NO_VARIABLES, np.array([1])), *families[1:]]
    for one, other in ((circuit, lattice), (circuit.with_families(under), lattice.with_families(under))):
        assert one.log_mass == pytest.approx(other.log_mass, rel=0, abs=1e-10)
        assert one.mean_log_excess() == pytest.approx(other.mean_log_excess(), rel=0, abs=1e-10)
        np.testing.assert_allclose(one.visits().precedence, other.visits().precedence, rtol=0, atol=1e-10)
        effects = (model.effects(lambda family: tables[family.child]) for model in (one, other))
        np.testing.assert_allclose(*effects, rtol=0, atol=1e-10)
        assert one.best_order(np.arange(5))[1] == pytest.approx(other.best_order(np.arange(5))[1], rel=0, abs=1e-10)
        orders = one.sample(100, np.random.default_rng(0)).tolist()
        assert all(order.index(0) < order.index(4) and order[0] != 2 for order in orders)


# --- circuits that cover a part, five variables -------------------------------------------------------------------

PARTS = {
    "single variables, elbo": osp.methods.Trust(expansion=[4, 2, 2], block_size=1, oracle="random", weights="elbo"),
    "pairs, sampled": osp.methods.Trust(expansion=[6, 2], block_size=2, oracle="enumeration", weights="sampled"),
    "pairs, uniform": osp.methods.Trust(expansion=[5, 2], block_size=2, oracle="order-mcmc", weights="uniform"),
    "three, elbo": osp.methods.Trust(expansion=[3], block_size=3, oracle="order-mcmc", weights="elbo"),
    "three, uniform": osp.methods.Trust(expansion=[4], block_size=3, oracle="random", weights="uniform"),
}


@cache
def part(name):
    """A circuit and the list of its pairs."""
    posterior = osp.learn(values(5), variables=letters(5), method=PARTS[name], rng=2, n_jobs=1, standardize=False)
    prior = posterior.model.orders.circuit
    return posterior, circuit_enumeration(prior.structure, prior.log_weights, local_scores(values(5)))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "evidence", parameters(["", "C -> B", "A !-> B, D !-> C, B !-> E", "C -> B, A !-> D"], test=["", "C -> B, A !-> D"])
)
@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_the_orders(name, evidence):
    posterior, brute = part(name)
    indices = as_indices(evidence, letters(5))
    edges, twin = as_edges(*indices, letters(5)), brute.given(*indices)
    assert len(twin.orders)
    circuit = posterior.given(edges)
    assert circuit.log_evidence == pytest.approx(twin.log_evidence, rel=0, abs=1e-9)
    assert posterior.probability(edges) == pytest.approx(brute.probability(*indices), rel=0, abs=1e-9)
    assert circuit.entropy() == pytest.approx(twin.entropy(), rel=0, abs=1e-8)
    np.testing.assert_allclose(circuit.edge_probabilities(), twin.edge_probabilities(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(circuit.precedence(), twin.precedence(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(circuit.causal_effects(), twin.effects(all_mean_weights(values(5))), rtol=0, atol=1e-9)
    best = circuit.most_probable_graph()
    assert best.log_probability == pytest.approx(twin.best_log_weight() - twin.log_evidence, rel=0, abs=1e-8)


@pytest.mark.thorough
@pytest.mark.parametrize("name", PARTS)
def test_the_parts_are_parts(name):
    """Otherwise the tests above would be those of exact posteriors."""
    posterior, _ = part(name)
    assert posterior.log_evidence < exact(5).log_evidence - 1e-3
    assert np.abs(posterior.edge_probabilities() - exact(5).edge_probabilities()).to_numpy().max() > 1e-3


# --- samples ------------------------------------------------------------------------------------------------------

N = 20_000
DRAWN = {
    "single variables, elbo": osp.methods.Trust(expansion=[4, 1], block_size=1, oracle="random", weights="elbo"),
    "pairs, elbo": osp.methods.Trust(expansion=[3], block_size=2, oracle="enumeration", weights="elbo"),
    "single variables, sampled": osp.methods.Trust(expansion=[5, 2], block_size=1, oracle="random", weights="sampled"),
    "pairs, sampled": osp.methods.Trust(expansion=[5], block_size=2, oracle="order-mcmc", weights="sampled"),
    "single variables, uniform": osp.methods.Trust(expansion=[4, 2], block_size=1, oracle="random", weights="uniform"),
    "pairs, uniform": osp.methods.Trust(expansion=[4], block_size=2, oracle="random", weights="uniform"),
}


@cache
def dependent():
    """Four variables, each pair of them related, but weakly."""
    return gaussian_data(4, 12, seed=2, density=1.0)


@cache
def drawn_from(name):
    """A circuit and the list of its pairs."""
    posterior = osp.learn(dependent(), variables=letters(4), method=DRAWN[name], rng=7, n_jobs=1, standardize=False)
    prior = posterior.model.orders.circuit
    return posterior, circuit_enumeration(prior.structure, prior.log_weights, local_scores(dependent()))


def keys(samples):
    masks = np.einsum("sij,i->sj", samples.adjacency, 1 << np.arange(4))
    return [tuple(o) for o in samples.orders.tolist()], [tuple(m) for m in masks.tolist()]


@pytest.mark.thorough
@pytest.mark.parametrize("evidence", ["", "A !-> B", "B !-> A, D !-> C", "A -> B, C !-> D", "B -> A"])
@pytest.mark.parametrize("name", DRAWN)
def test_samples_have_their_exact_probabilities(name, evidence):
    posterior, brute = drawn_from(name)
    indices = as_indices(evidence, letters(4))
    brute = brute.given(*indices)
    samples = posterior.sample(N, given=as_edges(*indices, letters(4)), rng=len(name) + len(evidence))
    orders, graphs = keys(samples)
    assert len(brute.order_probabilities()) > 1
    assert chi_square_p(orders, brute.order_probabilities()) > THRESHOLD
    assert chi_square_p(graphs, brute.graph_probabilities()) > THRESHOLD
    assert chi_square_p(zip(orders, graphs, strict=True), brute.pair_probabilities()) > THRESHOLD


@pytest.mark.thorough
@pytest.mark.parametrize("evidence", ["", "C -> B, A !-> D"])
@pytest.mark.parametrize("name", PARTS)
def test_samples_of_parts_of_unequal_size(name, evidence):
    """Five variables: the second part is the larger one, and layers and blocks need separate random numbers."""
    posterior, brute = part(name)
    indices = as_indices(evidence, letters(5))
    samples = posterior.sample(N, given=as_edges(*indices, letters(5)), rng=len(name))
    orders = [tuple(o) for o in samples.orders.tolist()]
    probabilities = brute.given(*indices).order_probabilities()
    assert len(probabilities) > 1
    assert chi_square_p(orders, probabilities) > THRESHOLD


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in DRAWN if not name.endswith("elbo")])
def test_the_check_rejects_weights_by_mass(name):
    """On the same orders, "sampled" and "uniform" are other distributions than "elbo"."""
    posterior, brute = drawn_from(name)
    structure, scores = posterior.model.orders.circuit.structure, local_scores(dependent())
    masses = np.array([block_masses(structure, scores)[int(b)] for b in structure.blocks])
    by_mass = circuit_enumeration(structure, elbo_weights(structure, masses), scores).order_probabilities()
    assert by_mass.keys() == brute.order_probabilities().keys()
    orders, _ = keys(posterior.sample(N, rng=0))
    assert chi_square_p(orders, by_mass) < THRESHOLD


@pytest.mark.kernels
@pytest.mark.parametrize("name", DRAWN)
def test_sampled_orders_are_covered(name):
    structure = drawn_from(name)[0].model.orders.circuit.structure
    orders = drawn_from(name)[0].sample(300, rng=1).orders
    assert all(way(structure, tuple(order)) is not None for order in orders.tolist())
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(4), (300, 1)))


# --- effects by sampling ------------------------------------------------------------------------------------------


@cache
def middle(outsiders=0):
    """Seven variables, two layers, a part of the orders."""
    return osp.learn(
        gaussian_data(7, 30, seed=3),
        variables=letters(7),
        candidates=candidates(outsiders),
        method=osp.methods.Trust(expansion=[8, 3], block_size=2, weights="elbo", outsiders=outsiders, refine=0),
        rng=4,
        n_jobs=1,
        standardize=False,
    )


@pytest.mark.parametrize("outsiders", [0, 1, 2])
@pytest.mark.parametrize("evidence", [None, "A !-> B, C !-> F"])
def test_estimated_effects_agree_with_exact_ones(evidence, outsiders):
    estimate = middle(outsiders).estimate_effects(4000, given=evidence, rng=0)
    error = (estimate.mean - middle(outsiders).causal_effects(evidence)).to_numpy()
    standard_error = estimate.standard_error.to_numpy()
    assert estimate.n_orders == 4000
    assert (np.abs(error) <= 5 * standard_error + 1e-9).all()
    assert (standard_error > 1e-6).sum() > 20  # most effects do vary from order to order
    np.testing.assert_array_equal(np.diag(estimate.mean), 1.0)


def test_standard_errors_are_honest_and_shrink_with_the_square_root():
    effects = middle().causal_effects().to_numpy()
    few = [middle().estimate_effects(400, rng=seed) for seed in range(30)]
    many = middle().estimate_effects(6400, rng=0).standard_error.to_numpy()
    typical = np.mean([e.standard_error.to_numpy() for e in few], axis=0)
    varying = many > 1e-4
    assert varying.sum() > 15
    np.testing.assert_allclose(many[varying] / typical[varying], 1 / 4, rtol=0.15)
    scores = np.array([(e.mean.to_numpy() - effects)[varying] / e.standard_error.to_numpy()[varying] for e in few])
    assert 0.8 < np.sqrt((scores**2).mean()) < 1.2


# --- evidence -----------------------------------------------------------------------------------------------------


@pytest.fixture
def passes(monkeypatch):
    """The members of the blocks of every pass over lattices, pass by pass."""
    recorded = []
    run = orderspn.circuit.circuit_orders.log_prefix_sums

    def spy(blocks, *args):
        recorded.append([set(blocks.geometry(b)[0].tolist()) for b in range(blocks.count)])
        return run(blocks, *args)

    monkeypatch.setattr(orderspn.circuit.circuit_orders, "log_prefix_sums", spy)
    return recorded


def fresh_middle(outsiders=0):
    known = middle(outsiders)
    prior = known.model.orders.circuit
    orders = weigh_circuit(prior.structure, known.model.families, prior.log_weights, Workers())
    return osp.Posterior(replace(known.model, orders=orders), known.settings)


@pytest.mark.parametrize(
    ("evidence", "children"),
    [("A -> B", {1}), ("C !-> F", {5}), ("A -> B, D -> B, C !-> F", {1, 5}), ("G !-> A, A !-> G", {0, 6})],
)
@pytest.mark.parametrize("outsiders", [0, 2])
def test_evidence_computes_only_the_blocks_that_it_touches(passes, evidence, children, outsiders):
    posterior = fresh_middle(outsiders)
    assert posterior.log_evidence == middle(outsiders).log_evidence
    structure = posterior.model.orders.circuit.structure
    blocks = [set(members(structure.variables[b])) for b in structure.blocks]
    touched = [block for block in blocks if block & children]
    assert 0 < len(touched) < len(blocks)
    passes.clear()
    posterior.probability(evidence)
    assert passes == [touched]
    passes.clear()
    under = posterior.given(evidence)
    assert passes == [touched]
    assert posterior.probability(evidence) == pytest.approx(np.exp(under.log_evidence - posterior.log_evidence))


def test_evidence_upon_evidence_computes_only_what_is_new(passes):
    under = fresh_middle().given("A -> B")
    structure = under.model.orders.circuit.structure
    passes.clear()
    under.probability("C !-> F")
    touched = [members(structure.variables[b]) for b in structure.blocks if structure.variables[b, 5]]
    assert passes == [[set(block) for block in touched]]


@pytest.mark.parametrize("evidence", ["A -> B", "A !-> B, C !-> F", "A -> B, G !-> F, F !-> A"])
@pytest.mark.parametrize("outsiders", [0, 1])
def test_blocks_taken_from_before_are_those_computed_anew(evidence, outsiders):
    """The masses under evidence, bit for bit those of a model that knows of nothing before it."""
    names = letters(7)
    prior = middle(outsiders).model.orders.circuit
    under = middle(outsiders).given(evidence)
    families = restrict(middle(outsiders).model.families, under.evidence, names)
    masses = weigh_circuit(prior.structure, families, prior.log_weights, Workers()).circuit.log_block_masses
    np.testing.assert_array_equal(under.model.orders.log_block_masses, masses)


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize(("one", "two"), [("C -> B", "A !-> D"), ("A !-> B", "D !-> B"), ("C -> B", "C -> B, E !-> A")])
@pytest.mark.thorough
def test_two_steps_are_one(name, one, two):
    posterior, _ = part(name)
    stepwise, at_once = posterior.given(one).given(two), posterior.given(f"{one}, {two}")
    assert stepwise.evidence == at_once.evidence
    assert stepwise.log_evidence == pytest.approx(at_once.log_evidence, rel=0, abs=1e-10)
    assert stepwise.entropy() == pytest.approx(at_once.entropy(), rel=0, abs=1e-9)
    for query in ("edge_probabilities", "precedence", "causal_effects"):
        np.testing.assert_allclose(getattr(stepwise, query)(), getattr(at_once, query)(), rtol=0, atol=1e-10)
    chain_rule = posterior.probability(one) * posterior.probability(two, given=one)
    assert posterior.probability(f"{one}, {two}") == pytest.approx(chain_rule, rel=1e-9)


@pytest.mark.parametrize("weights", ["elbo", "sampled", "uniform"])
def test_evidence_that_only_the_exact_posterior_covers(weights):
    """One order is covered: every edge against it has probability 0."""
    posterior = osp.learn(
        values(5),
        variables=letters(5),
        method=osp.methods.Trust(expansion=[1, 1, 1], block_size=1, weights=weights),
        rng=0,
        n_jobs=1,
        standardize=False,
    )
    before = posterior.precedence()
    order = before.sum(axis=1).sort_values(ascending=False).index.tolist()
    np.testing.assert_array_equal(np.sort(before.to_numpy().ravel()), [0.0] * 15 + [1.0] * 10)
    for first, second in itertools.combinations(order, 2):
        against = f"{second} -> {first}"
        assert exact(5).probability(against) > 0.0
        assert posterior.probability(against) == 0.0
        assert posterior.log_probability(against) == -np.inf
        assert posterior.probability(f"{second} !-> {first}") == 1.0
        with pytest.raises(osp.ImpossibleEvidence, match=f"cannot condition on '{against}': no graph of the posterior"):
            posterior.given(against)
        assert posterior.probability(f"{first} -> {second}") == pytest.approx(
            posterior.edge_probabilities().loc[first, second], abs=1e-12
        )


def test_evidence_that_one_of_two_partitions_covers():
    """A | B and B | A: an edge leaves one of them, and weights are those of the evidence."""
    posterior = osp.learn(
        values(5)[:, :2],
        variables=["A", "B"],
        method=osp.methods.Trust(expansion=[2], block_size=1, weights="uniform"),
        rng=0,
        n_jobs=1,
        standardize=False,
    )
    np.testing.assert_allclose(np.exp(posterior.model.orders.circuit.log_weights), 0.5)
    assert posterior.precedence(given="A -> B").loc["A", "B"] == 1.0
    p = posterior.edge_probabilities()
    assert posterior.precedence(given="A !-> B").loc["A", "B"] == pytest.approx(
        (0.5 - p.loc["A", "B"]) / (1 - p.loc["A", "B"])
    )


@pytest.mark.kernels
def test_a_root_that_is_a_block_is_exact():
    circuit, reference = complete(5, 5), exact(5)
    assert circuit.model.orders.circuit.structure.n_partitions == 0
    assert circuit.log_evidence == reference.log_evidence
    np.testing.assert_allclose(circuit.causal_effects(), reference.causal_effects(), rtol=0, atol=1e-12)


def test_sharing_changes_no_answer():
    """A tree over the same partitions."""
    families = middle().model.families
    shared = grow(families, [9, 3], 2, Enumeration())
    tree = unshared(shared)
    assert shared.n_regions < tree.n_regions
    one, two = (weigh_circuit(structure, families, "elbo", Workers()) for structure in (shared, tree))
    assert one.log_mass == pytest.approx(two.log_mass, rel=0, abs=1e-10)
    np.testing.assert_allclose(one.visits().precedence, two.visits().precedence, rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        one.effects(middle().model._mean_weights), two.effects(middle().model._mean_weights), rtol=0, atol=1e-10
    )
