"""Circuits from sampled orders: what they cover, how often, and that their mixture is unbiased."""

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.circuits import families_of_all, own_partitions, same_structure
from helpers.data import gaussian_data, letters
from helpers.families import random_candidates, random_families, scores_of
from helpers.levels import parameters
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.coverage import covers
from orderspn.circuit.from_orders import block_bounds, structure_from_orders
from orderspn.circuit.growth import Growth
from orderspn.circuit.validation import validate
from orderspn.circuit.weighing import weigh_circuit
from orderspn.circuit.weights import ENUMERATED
from orderspn.core.errors import InvalidValue
from orderspn.core.workers import Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.queries.marginals import edge_matrix
from orderspn.search.best_graph import best_within
from reference.circuit import circuit_enumeration, members, way
from reference.lattice import OrderList

# --- where orders are cut -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "block_size", "bounds"),
    [
        (4, 2, [0, 2, 4]),
        (4, 1, [0, 1, 2, 3, 4]),
        (4, 4, [0, 4]),
        (4, 9, [0, 4]),
        (5, 2, [0, 1, 3, 5]),
        (5, 3, [0, 2, 5]),
        (7, 3, [0, 2, 4, 7]),
        (10, 4, [0, 3, 6, 10]),
        (1, 1, [0, 1]),
    ],
)
def test_bounds(d, block_size, bounds):
    assert block_bounds(d, block_size) == bounds


@pytest.mark.parametrize("block_size", [1, 2, 3, 5, 10, 11])
@pytest.mark.parametrize("d", [1, 2, 5, 12, 13, 20, 31, 100])
def test_bounds_make_as_few_blocks_as_possible_of_nearly_equal_size(d, block_size):
    bounds = block_bounds(d, block_size)
    sizes = np.diff(bounds)
    assert (bounds[0], bounds[-1]) == (0, d)
    assert sizes.max() <= block_size
    assert sizes.min() >= max(1, sizes.max() - 1)
    assert len(sizes) == math.ceil(d / block_size)


# --- structure ----------------------------------------------------------------------------------------------------


def random_orders(d, count, seed, spread=None):
    """Orders of all kinds, or with `spread` orders near one of them, so that many share sets of first variables."""
    rng = np.random.default_rng([seed, d, count])
    if spread is None:
        return np.stack([rng.permutation(d) for _ in range(count)])
    return np.argsort(np.arange(d) + rng.normal(scale=spread, size=(count, d)), axis=1)


ORDERS = {
    "one order": (random_orders(5, 1, 0), 2),
    "one order, many times": (np.repeat(random_orders(5, 1, 0), 7, axis=0), 2),
    "random": (random_orders(6, 12, 1), 2),
    "single variables": (random_orders(5, 8, 2), 1),
    "similar, single variables": (random_orders(6, 40, 3, 1.0), 1),
    "similar, pairs": (random_orders(7, 40, 4, 1.0), 2),
    "similar, three blocks": (random_orders(7, 60, 5, 1.5), 3),
    "two blocks": (random_orders(7, 30, 6), 4),
    "one block": (random_orders(5, 6, 7), 5),
    "more than eight": (random_orders(9, 30, 8, 1.0), 3),
    "sets that differ beyond the eighth": (random_orders(12, 60, 8, 1.0), 3),
    "all": (np.array(list(itertools.permutations(range(4)))), 1),
}


@pytest.fixture(params=ORDERS)
def cut(request):
    orders, block_size = ORDERS[request.param]
    return orders, block_size, structure_from_orders(orders, block_size)


def fronts(order, bounds):
    """The sets of variables before each bound."""
    return [frozenset(order[:bound]) for bound in bounds]


def splits(first, last):
    """Which bounds are split at which, in halves, from the whole down: {(first, last): middle}."""
    if last - first < 2:
        return {}
    middle = (first + last) // 2
    return {(first, last): middle, **splits(first, middle), **splits(middle, last)}


def test_it_is_an_order_spn(cut):
    validate(cut[2])


def test_its_regions_are_the_pieces_between_bounds(cut):
    """Each set (S_1, S_2) that lies between two bounds of the halving in some order, once; and no other."""
    orders, block_size, structure = cut
    bounds = block_bounds(orders.shape[1], block_size)
    halving = splits(0, len(bounds) - 1)
    wanted = {(0, len(bounds) - 1), *itertools.chain(*(((a, m), (m, b)) for (a, b), m in halving.items()))}
    expected = set()
    for order in orders.tolist():
        sets = fronts(order, bounds)
        expected |= {(sets[a], sets[b] - sets[a]) for a, b in wanted}
    found = [
        (frozenset(members(before)), frozenset(members(variables)))
        for before, variables in zip(structure.before, structure.variables, strict=True)
    ]
    assert len(found) == len(set(found))
    assert set(found) == expected
    blocks = {found[b] for b in structure.blocks}
    assert blocks == {
        (sets[i], sets[i + 1] - sets[i])
        for sets in (fronts(order, bounds) for order in orders.tolist())
        for i in range(len(bounds) - 1)
    }


def test_it_covers_the_orders_and_mixtures_of_shared_nodes(cut):
    """An order is covered if at each cut, from the whole down, some given order of that region has the same cut."""
    orders, block_size, structure = cut
    d = orders.shape[1]
    bounds = block_bounds(d, block_size)
    known = {}
    for order in orders.tolist():
        sets = fronts(order, bounds)
        for (a, b), m in splits(0, len(bounds) - 1).items():
            known.setdefault((sets[a], sets[b]), set()).add(sets[m])

    def expected(order):
        sets = fronts(order, bounds)
        return all(sets[m] in known.get((sets[a], sets[b]), ()) for (a, b), m in splits(0, len(bounds) - 1).items())

    asked = [tuple(order) for order in orders.tolist()]
    asked += [tuple(order) for order in random_orders(d, 400, 99).tolist()]
    asked += [tuple(order) for order in random_orders(d, 400, 98, 1.0).tolist()]
    if d <= 6:
        asked = list(itertools.permutations(range(d)))
    answers = covers(structure, np.array(asked)).tolist()
    assert answers == [expected(order) for order in asked]
    assert answers == [way(structure, order) is not None for order in asked]
    assert covers(structure, orders).all()


def test_partitions_count_the_orders_that_have_them(cut):
    """Of the orders that pass through a node, wherever they came from."""
    orders, block_size, structure = cut
    bounds = block_bounds(orders.shape[1], block_size)
    halving = splits(0, len(bounds) - 1)
    expected = Counter()
    for order in orders.tolist():
        sets = fronts(order, bounds)
        for (a, b), m in halving.items():
            expected[sets[a], sets[b] - sets[a], sets[m] - sets[a]] += 1
    found = {}
    for region in range(structure.n_regions):
        before, whole = frozenset(members(structure.before[region])), frozenset(members(structure.variables[region]))
        for p in own_partitions(structure, region):
            first = frozenset(members(structure.variables[structure.first[p]]))
            found[before, whole, first] = int(structure.multiplicity[p])
    assert found == expected
    if structure.n_partitions:
        assert structure.multiplicity[list(own_partitions(structure, 0))].sum() == len(orders)
        assert (structure.multiplicity > ENUMERATED).all()


def test_the_order_of_orders_does_not_matter(cut):
    """But for the numbers of nodes: the same sets, as often."""
    orders, block_size, structure = cut
    again = structure_from_orders(orders[::-1], block_size)

    def content(s):
        sets = [(tuple(members(b)), tuple(members(v))) for b, v in zip(s.before, s.variables, strict=True)]
        parts = zip(s.owner, s.first, s.second, s.multiplicity.tolist(), strict=True)
        return set(sets), {(sets[o], sets[f], sets[t], m) for o, f, t, m in parts}

    assert content(again) == content(structure)


def test_orders_are_not_changed(cut):
    orders, block_size, structure = cut
    before = orders.copy()
    assert same_structure(structure_from_orders(orders, block_size), structure)
    np.testing.assert_array_equal(orders, before)


def test_what_follows_either_may_follow_the_other():
    """0 1 | 2 3 and 1 0 | 3 2 share the node of {0, 1}: two orders of each side make four."""
    structure = structure_from_orders(np.array([[0, 1, 2, 3], [1, 0, 3, 2]]), 1)
    covered = {order for order in itertools.permutations(range(4)) if way(structure, order) is not None}
    assert covered == {(0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)}
    assert structure.n_partitions == 5
    assert structure.multiplicity.tolist() == [2, 1, 1, 1, 1]


def test_orders_with_nothing_in_common_are_not_mixed():
    structure = structure_from_orders(np.array([[0, 1, 2, 3], [2, 0, 3, 1]]), 1)
    covered = {order for order in itertools.permutations(range(4)) if way(structure, order) is not None}
    assert covered == {(0, 1, 2, 3), (2, 0, 3, 1)}


def test_a_node_may_be_below_several():
    """Six single variables: the piece between the first and the third is reached with different sets behind it."""
    orders, block_size = ORDERS["similar, single variables"]
    structure = structure_from_orders(orders, block_size)
    parents = np.zeros(structure.n_regions, dtype=np.int64)
    for part in (structure.first, structure.second):
        for region in range(structure.n_regions):
            parents[region] += np.unique(structure.owner[part == region]).size
    assert parents.max() > 1


def test_what_is_no_order_is_refused():
    """One variable twice and another one missing: the parts of a node would have different sizes."""
    with pytest.raises(InvalidValue, match="not an OrderSPN"):
        structure_from_orders(np.array([[0, 0, 1, 2], [0, 1, 2, 3]]), 2)


def test_one_block_is_the_root():
    structure = structure_from_orders(random_orders(5, 6, 7), 8)
    assert (structure.n_regions, structure.n_partitions) == (1, 0)


def test_growth_knows_its_regions():
    growth = Growth(3)
    root = growth.root
    first = np.array([True, False, False])
    parts = growth.divide(root, first, 2)
    again = growth.region(np.zeros(3, dtype=bool), first)
    assert again == parts[0]
    assert growth.variables[parts[1]].tolist() == [False, True, True]
    assert growth.before[parts[1]].tolist() == first.tolist()


# --- what it says -------------------------------------------------------------------------------------------------

CASES = {
    "pairs": (lambda: families_of_all(4, seed=3), 2),
    "single variables": (lambda: families_of_all(4, seed=4), 1),
    "one outsider": (lambda: with_outsiders(4, 1), 2),
    "two outsiders, unequal blocks": (lambda: with_outsiders(5, 2), 2),
}


def with_outsiders(d, at_once):
    rng = np.random.default_rng([d, at_once])
    return random_families(rng, random_candidates(rng, d, 1), 2.0, 0.0, at_once)


@pytest.mark.kernels
@pytest.mark.parametrize("weights", ["sampled", "elbo", "uniform"])
@pytest.mark.parametrize("case", CASES)
def test_edges_and_precedences_equal_the_list_of_pairs(case, weights):
    make, block_size = CASES[case]
    families = make()
    d = len(families)
    structure = structure_from_orders(random_orders(d, 7, 0), block_size)
    model = weigh_circuit(structure, families, weights, Workers())
    brute = circuit_enumeration(structure, model.circuit.log_weights, scores_of(families))
    found = model.visits()
    assert model.log_mass == pytest.approx(brute.log_evidence, rel=0, abs=1e-10)
    np.testing.assert_allclose(edge_matrix(families, found.parent_sets), brute.edge_probabilities(), atol=1e-10)
    np.testing.assert_allclose(found.precedence, brute.precedence(), rtol=0, atol=1e-10)


@pytest.mark.kernels
@pytest.mark.parametrize("case", parameters(CASES, quick=["one outsider"], test=["one outsider", *list(CASES)[:1]]))
def test_the_best_pair_is_the_best_of_the_list(case):
    """Not the best graph of the order with the largest sum: parent sets of about the same score make the difference."""
    make, block_size = CASES[case]
    ranks = np.arange(len(make()))
    others = 0
    for seed in range(8):
        families = [
            Family(f.child, f.candidates, f.log_score * 0.2, 0.0, f.outsider_rows) for f in reseeded(make(), seed)
        ]
        structure = structure_from_orders(random_orders(len(families), 7, seed), block_size)
        model = weigh_circuit(structure, families, "elbo", Workers())
        brute = circuit_enumeration(structure, model.circuit.log_weights, scores_of(families))
        order, log_excess = model.best_order(ranks)
        found = best_within(order, families, ranks).log_score - log_excess
        assert found == pytest.approx(brute.best_log_weight() - brute.log_evidence, rel=0, abs=1e-9)
        by_sum = max(brute.order_probabilities().items(), key=lambda item: item[1])[0]
        others += best_within(np.array(by_sum), families, ranks).log_score - log_excess < found - 1e-6
    assert others > 0


def reseeded(families, seed):
    """The same parent sets with other scores."""
    rng = np.random.default_rng([seed, len(families)])
    return [
        Family(f.child, f.candidates, rng.normal(scale=2.0, size=f.log_score.size), 0.0, f.outsider_rows)
        for f in families
    ]


@pytest.mark.parametrize("case", CASES)
def test_sampled_weights_are_relative_frequencies(case):
    make, block_size = CASES[case]
    structure = structure_from_orders(random_orders(len(make()), 20, 1), block_size)
    weights = np.exp(weigh_circuit(structure, make(), "sampled", Workers()).circuit.log_weights)
    for region in range(structure.n_regions):
        own = list(own_partitions(structure, region))
        if own:
            counts = structure.multiplicity[own]
            np.testing.assert_allclose(weights[own], counts / counts.sum(), rtol=1e-12)


ROUNDS, PER_CIRCUIT = 400, 5
UNBIASED = {**CASES, "nodes below several": (lambda: families_of_all(6, seed=5, spread=1.0), 1)}


@pytest.mark.parametrize("case", parameters(UNBIASED, quick=[], test=list(UNBIASED)[:2]))
def test_the_mixture_is_unbiased(case):
    """Circuits of a few orders drawn from the posterior: on average their answers are the exact ones.

    Each circuit is an independent draw of a matrix of edge probabilities and one of precedences; their means over many
    circuits are within four and a half standard errors of the exact ones. Of some 200 entries of all cases, one is
    not with a chance of about one in a thousand. A circuit by mass ("elbo") is biased towards what it covers.
    """
    make, block_size = UNBIASED[case]
    families = make()
    d = len(families)
    lattice = ExactOrders.over_all(families, Workers())
    exact = lattice.visits()
    expected = np.concatenate([edge_matrix(families, exact.parent_sets), exact.precedence])
    rng = np.random.default_rng([17, d])
    drawn = lattice.sample(ROUNDS * PER_CIRCUIT, rng).reshape(ROUNDS, PER_CIRCUIT, d)

    def answers(rule):
        found = []
        for orders in drawn:
            model = weigh_circuit(structure_from_orders(orders, block_size), families, rule, Workers())
            own = model.visits()
            found.append(np.concatenate([edge_matrix(families, own.parent_sets), own.precedence]))
        return np.array(found)

    def deviations(values):
        standard_error = values.std(axis=0, ddof=1) / math.sqrt(ROUNDS)
        varying = standard_error > 1e-9
        np.testing.assert_allclose(values.mean(axis=0)[~varying], expected[~varying], rtol=0, atol=1e-9)
        return (values.mean(axis=0) - expected)[varying] / standard_error[varying]

    sampled = answers("sampled")
    assert np.abs(deviations(sampled)).max() < 4.5
    assert sampled.std(axis=0).max() > 0.02  # single circuits do differ
    assert np.abs(deviations(answers("elbo"))).max() > 4.5


def test_the_exact_orders_of_the_test_above_are_exact():
    """Against a list of all orders, so that nothing is compared with itself alone."""
    families = with_outsiders(4, 1)
    listed = OrderList(scores_of(families), [], range(4))
    np.testing.assert_allclose(
        ExactOrders.over_all(families, Workers()).visits().precedence, listed.precedence(), rtol=0, atol=1e-11
    )


# --- learned ------------------------------------------------------------------------------------------------------


@cache
def learned(outsiders, n_jobs=1):
    return osp.learn(
        gaussian_data(8, 60, seed=5, density=0.3),
        variables=letters(8),
        method=osp.methods.Trust(outsiders=outsiders, n_orders=2000, block_size=3),
        candidates=3,
        rng=1,
        n_jobs=n_jobs,
        standardize=False,
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("outsiders", parameters([0, 1, 2], quick=[], test=[1]))
def test_learned_circuits_are_near_the_exact_posterior(outsiders):
    """Of the same families, within what their own diagnostics call the largest error."""
    posterior = learned(outsiders)
    assert isinstance(posterior.model.orders, CircuitOrders)
    lattice = ExactOrders.over_all(posterior.model.families, Workers())
    exact = edge_matrix(posterior.model.families, lattice.visits().parent_sets)
    error = np.abs(posterior.edge_probabilities().to_numpy() - exact).max()
    assert error < 5 * posterior.settings["diagnostics"]["edge_standard_error"]
    assert error > 1e-6


@pytest.mark.exhaustive
def test_the_share_of_outsiders_is_that_of_the_parent_sets():
    posterior = learned(1)
    shares = []
    for family, name in zip(posterior.model.families, letters(8), strict=True):
        inside = {posterior.variables[c] for c in family.candidates}
        table = posterior.parent_sets(name)
        outside = [p for s, p in zip(table["parents"], table["probability"], strict=True) if set(s) - inside]
        shares.append(sum(outside))
    error = 5 * posterior.settings["diagnostics"]["edge_standard_error"]
    assert posterior.settings["outsider_share"] == pytest.approx(np.mean(shares), abs=error)
    assert posterior.settings["outsider_share"] > 1e-6
    assert learned(0).settings["outsider_share"] == 0.0


@pytest.mark.parametrize("outsiders", parameters([0, 2], quick=[], test=[]))
def test_threads_change_no_bit(outsiders):
    one, two = learned(outsiders), learned(outsiders, 2)
    assert same_structure(one.model.orders.circuit.structure, two.model.orders.circuit.structure)
    assert one.edge_probabilities().equals(two.edge_probabilities())
    assert one.causal_effects().equals(two.causal_effects())
    assert dict(one.settings) == dict(two.settings)


@pytest.mark.exhaustive
@pytest.mark.parametrize("outsiders", [1, 2])
def test_evidence_on_outsiders_computes_what_a_new_circuit_would(outsiders):
    """Leaf tables of families that did not change are taken over, and only theirs."""
    posterior = learned(outsiders)
    family = next(f for f in posterior.model.families if f.n_rows > 1)
    names = posterior.variables
    outsider, child = names[int(family.outsider_rows[0, 0])], names[family.child]
    for evidence in (osp.Edges([(outsider, child)]), osp.Edges(absent=[(outsider, child), (child, outsider)])):
        under = posterior.given(evidence)
        prior = posterior.model.orders.circuit
        anew = weigh_circuit(prior.structure, under.model.families, prior.log_weights, Workers())
        np.testing.assert_array_equal(under.model.orders.log_block_masses, anew.circuit.log_block_masses)
        np.testing.assert_array_equal(under.model.orders._log_leaves, anew._log_leaves)
        present = under.edge_probabilities().loc[outsider, child]
        assert present == pytest.approx(1.0 if evidence.present else 0.0, abs=1e-12)
