"""Weights of sum nodes: the closed form is the optimum of the ELBO, the others follow their definitions."""

import itertools
from functools import cache

import numpy as np
import pytest

from helpers.circuits import by_hand, families_of_all, full_expansion, grow, own_partitions
from helpers.families import scores_of
from orderspn.circuit.building import n_layers
from orderspn.circuit.passes import upward_sum
from orderspn.circuit.weighing import weigh_circuit
from orderspn.circuit.weights import (
    ENUMERATED,
    WEIGHTS,
    elbo_weights,
    evidence_lower_bound,
    sampled_weights,
    uniform_weights,
)
from orderspn.core.workers import Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.oracles.enumeration import Enumeration
from orderspn.oracles.order_mcmc import OrderMCMC
from reference.circuit import block_masses, circuit_enumeration
from reference.enumeration import Enumeration as AllPairs
from reference.enumeration import log_sum_exp

CLOSED_FORM = ("elbo", "sampled", "uniform")


@cache
def grown(name):
    """(families, structure) of each shape that is tested."""
    d, expansion, block_size, oracle, distinct = {
        "regular, random": (4, (4, 1), 1, None, True),
        "odd, blocks": (5, (4, 2), 2, None, True),
        "drawn": (6, (15,), 3, OrderMCMC(steps=300), False),
        "drawn, some nodes complete": (6, (8, 3, 2), 1, Enumeration(), False),
        "nothing to weigh": (3, (), 3, None, True),
    }[name]
    families = families_of_all(d, seed=d)
    return families, grow(families, expansion, block_size, oracle, distinct=distinct, seed=3)


SHAPES = ("regular, random", "odd, blocks", "drawn", "drawn, some nodes complete", "nothing to weigh")


@pytest.fixture(params=SHAPES)
def shape(request):
    families, structure = grown(request.param)
    return structure, log_masses_of(structure, families)


def log_masses_of(structure, families):
    """By listing the orders of every block."""
    masses = block_masses(structure, scores_of(families))
    return np.array([masses[int(region)] for region in structure.blocks])


def recursive_elbo(structure, log_weights, log_masses, region=0):
    """`sum of w (value of the parts - log w)`, node by node."""
    if structure.block_number[region] >= 0:
        return log_masses[structure.block_number[region]]
    return sum(
        np.exp(log_weights[p])
        * (
            recursive_elbo(structure, log_weights, log_masses, structure.first[p])
            + recursive_elbo(structure, log_weights, log_masses, structure.second[p])
            - log_weights[p]
        )
        for p in own_partitions(structure, region)
        if log_weights[p] > -np.inf
    )


def normalised(structure, theta):
    """Any numbers as log weights."""
    log_weights = theta.copy()
    for region in range(structure.n_regions):
        own = own_partitions(structure, region)
        if own:
            log_weights[own] -= log_sum_exp(theta[own])
    return log_weights


def log_covered(structure, log_masses):
    return upward_sum(structure, np.zeros(structure.n_partitions), log_masses)[0]


@pytest.mark.kernels
@pytest.mark.parametrize("rule", CLOSED_FORM)
def test_weights_of_a_node_sum_to_one(shape, rule):
    structure, log_masses = shape
    log_weights = WEIGHTS[rule](structure, log_masses)
    assert log_weights.shape == (structure.n_partitions,)
    totals = np.bincount(structure.owner, np.exp(log_weights), minlength=structure.n_regions)
    np.testing.assert_allclose(np.delete(totals, structure.blocks), 1.0, rtol=0, atol=1e-12)


@pytest.mark.kernels
def test_the_optimum_is_the_log_of_the_mass_covered(shape):
    structure, log_masses = shape
    optimum = evidence_lower_bound(structure, elbo_weights(structure, log_masses), log_masses)
    assert optimum == pytest.approx(log_covered(structure, log_masses), rel=0, abs=1e-10)


def test_no_other_weights_are_better(shape):
    structure, log_masses = shape
    optimal = elbo_weights(structure, log_masses)
    optimum = evidence_lower_bound(structure, optimal, log_masses)
    rng = np.random.default_rng(0)
    for scale in (1e-6, 1e-3, 0.1, 1.0, 10.0):
        for _ in range(20):
            other = normalised(structure, optimal + scale * rng.normal(size=optimal.size))
            elbo = evidence_lower_bound(structure, other, log_masses)
            assert elbo <= optimum + 1e-10
            if scale >= 0.1 and structure.n_partitions:
                assert elbo < optimum - 1e-6


@pytest.mark.kernels
@pytest.mark.parametrize("rule", ["sampled", "uniform"])
@pytest.mark.parametrize("name", SHAPES[:-1])
def test_other_rules_lose_something(name, rule):
    families, structure = grown(name)
    log_masses = log_masses_of(structure, families)
    elbo = evidence_lower_bound(structure, WEIGHTS[rule](structure, log_masses), log_masses)
    assert elbo < log_covered(structure, log_masses) - 1e-6


@pytest.mark.kernels
def test_elbo_is_the_recursion_of_the_paper(shape):
    structure, log_masses = shape
    rng = np.random.default_rng(1)
    candidates = [rule(structure, log_masses) for rule in (elbo_weights, sampled_weights, uniform_weights)]
    candidates += [normalised(structure, rng.normal(scale=3, size=structure.n_partitions)) for _ in range(3)]
    for log_weights in candidates:
        assert evidence_lower_bound(structure, log_weights, log_masses) == pytest.approx(
            recursive_elbo(structure, log_weights, log_masses), rel=0, abs=1e-10
        )


@pytest.mark.parametrize("rule", CLOSED_FORM)
@pytest.mark.parametrize(("expansion", "block_size"), [([4, 1], 1), ([5, 2], 1), ([3], 2), ([6, 2], 1)])
def test_elbo_is_mean_log_score_plus_entropy(rule, expansion, block_size):
    """`E_q[log p(order, graph)] + H(q)`, summed over a list of all pairs."""
    families = families_of_all(4, seed=7)
    structure = grow(families, expansion, block_size, OrderMCMC(steps=100), distinct=rule != "sampled")
    scores = scores_of(families)
    log_masses = log_masses_of(structure, families)
    log_weights = WEIGHTS[rule](structure, log_masses)
    q = circuit_enumeration(structure, log_weights, scores)
    log_score = AllPairs.of(scores)
    table = dict(zip(pairs(log_score), log_score.log_weight, strict=True))
    mean = sum(p * table[pair] for p, pair in zip(q.p, pairs(q), strict=True))
    elbo = evidence_lower_bound(structure, log_weights, log_masses)
    assert elbo == pytest.approx(mean + q.entropy(), rel=0, abs=1e-9)
    assert elbo <= log_score.log_evidence + 1e-10


def pairs(enumeration):
    return list(zip(map(tuple, enumeration.orders.tolist()), map(tuple, enumeration.masks.tolist()), strict=True))


def by_mass(families, expansion, block_size):
    """The heaviest partitions of every node: with more of them, nested structures."""
    return grow(families, expansion, block_size, Enumeration())


def firsts(structure):
    """By sum node (S_1, S_2), its first parts."""
    return {
        (structure.before[r].tobytes(), structure.variables[r].tobytes()): {
            structure.variables[structure.first[p]].tobytes() for p in own_partitions(structure, r)
        }
        for r in np.setdiff1d(np.arange(structure.n_regions), structure.blocks)
    }


@pytest.mark.parametrize(
    ("d", "block_size", "growing"),
    [
        (5, 3, [[1], [2], [4], [9], [10]]),
        (5, 2, [[1, 1], [1, 2], [3, 2], [3, 3], [10, 3]]),
        (4, 1, [[1, 1], [2, 1], [2, 2], [5, 2], [6, 2]]),
        (6, 1, [[2, 1, 1], [2, 2, 1], [2, 2, 2], [7, 2, 2], [20, 3, 2]]),
    ],
)
def test_more_partitions_cover_more_until_all_is_covered(d, block_size, growing):
    families = families_of_all(d, seed=11)
    exact = ExactOrders.over_all(families, Workers()).log_mass
    elbos, structures = [], []
    for expansion in growing:
        structure = by_mass(families, expansion, block_size)
        log_masses = log_masses_of(structure, families)
        elbos.append(evidence_lower_bound(structure, elbo_weights(structure, log_masses), log_masses))
        structures.append(firsts(structure))
    for smaller, larger in itertools.pairwise(structures):
        assert all(parts <= larger[node] for node, parts in smaller.items())  # nested indeed
    assert (np.diff(elbos) > 1e-9).all()
    assert (np.array(elbos) <= exact + 1e-10).all()
    assert elbos[-1] == pytest.approx(exact, rel=0, abs=1e-10)
    assert growing[-1] == full_expansion(d, block_size)


def test_a_partition_added_by_hand_adds_its_mass():
    regions = [(set(), {0, 1}), (set(), {0}), ({0}, {1}), (set(), {1}), ({1}, {0})]
    families = families_of_all(2, seed=5)
    log_0, log_1_after_0, log_1, log_0_after_1 = (
        families[0].log_mass[0],
        families[1].log_mass[1],
        families[1].log_mass[0],
        families[0].log_mass[1],
    )
    one = weigh_circuit(by_hand(2, regions[:3], {0: [(1, 2)]}), families, "elbo", Workers())
    both = weigh_circuit(by_hand(2, regions, {0: [(1, 2), (3, 4)]}), families, "elbo", Workers())
    expected = np.array([log_0 + log_1_after_0, log_1 + log_0_after_1])
    assert one.log_mass == pytest.approx(expected[0], abs=1e-12)
    assert both.log_mass == pytest.approx(np.logaddexp(*expected), abs=1e-12)
    np.testing.assert_allclose(both.circuit.log_weights, expected - np.logaddexp(*expected), atol=1e-12)


def two_orders(multiplicity):
    regions = [(set(), {0, 1}), (set(), {0}), ({0}, {1}), (set(), {1}), ({1}, {0})]
    return by_hand(2, regions, {0: [(1, 2, multiplicity[0]), (3, 4, multiplicity[1])]})


LOG_MASSES = np.array([-1.0, -2.0, -3.0, -4.0])


@pytest.mark.kernels
class TestByHand:
    def test_elbo(self):
        log_weights = elbo_weights(two_orders([1, 1]), LOG_MASSES)
        np.testing.assert_allclose(log_weights, np.array([-3.0, -7.0]) - np.logaddexp(-3.0, -7.0), atol=1e-12)

    def test_sampled(self):
        np.testing.assert_allclose(np.exp(sampled_weights(two_orders([3, 1]), LOG_MASSES)), [0.75, 0.25], atol=1e-12)

    def test_uniform(self):
        np.testing.assert_allclose(np.exp(uniform_weights(two_orders([3, 1]), LOG_MASSES)), [0.5, 0.5], atol=1e-12)

    def test_sampled_weighs_complete_nodes_by_mass(self):
        structure = two_orders([ENUMERATED, ENUMERATED])
        np.testing.assert_array_equal(sampled_weights(structure, LOG_MASSES), elbo_weights(structure, LOG_MASSES))

    @pytest.mark.parametrize("rule", CLOSED_FORM)
    def test_an_impossible_partition_gets_no_weight(self, rule):
        log_masses = np.array([-1.0, -np.inf, -3.0, -4.0])
        log_weights = WEIGHTS[rule](two_orders([5, 1]), log_masses)
        np.testing.assert_array_equal(log_weights, [-np.inf, 0.0])
        assert evidence_lower_bound(two_orders([5, 1]), log_weights, log_masses) == -7.0

    @pytest.mark.parametrize("rule", CLOSED_FORM)
    def test_where_nothing_is_possible_there_are_no_weights(self, rule):
        log_weights = WEIGHTS[rule](two_orders([5, 1]), np.array([-np.inf, -2.0, -3.0, -np.inf]))
        np.testing.assert_array_equal(log_weights, [-np.inf, -np.inf])

    def test_weight_on_the_impossible_is_worth_nothing(self):
        """Never more than the log of the covered mass, for any weights."""
        log_masses = np.array([-1.0, -np.inf, -3.0, -4.0])
        assert evidence_lower_bound(two_orders([1, 1]), np.log([0.5, 0.5]), log_masses) == -np.inf

    @pytest.mark.parametrize("rule", CLOSED_FORM)
    def test_masses_beyond_the_range_of_floats(self, rule):
        """Sums of exponentials are taken relative to the largest."""
        log_masses = 1e5 * LOG_MASSES
        log_weights = WEIGHTS[rule](two_orders([1, 1]), log_masses)
        elbo = evidence_lower_bound(two_orders([1, 1]), log_weights, log_masses)
        assert elbo == pytest.approx(-3e5 if rule == "elbo" else -5e5 + np.log(2), rel=1e-12)


@pytest.mark.parametrize("name", ["drawn", "drawn, some nodes complete"])
def test_sampled_weights_are_proportional_to_the_draws(name):
    families, structure = grown(name)
    log_masses = log_masses_of(structure, families)
    weights = np.exp(sampled_weights(structure, log_masses))
    optimal = np.exp(elbo_weights(structure, log_masses))
    unequal = 0
    for region in range(structure.n_regions):
        own = own_partitions(structure, region)
        drawn = structure.multiplicity[own]
        if len(own) and (drawn == ENUMERATED).all():
            np.testing.assert_allclose(weights[own], optimal[own], rtol=1e-12)
        elif len(own):
            np.testing.assert_allclose(weights[own], drawn / drawn.sum(), rtol=1e-12)
            unequal += len(set(drawn.tolist())) > 1
    assert unequal > 0


def test_uniform_weights_are_equal(shape):
    structure, log_masses = shape
    counts = np.diff(structure.partition_starts)[structure.owner]
    np.testing.assert_allclose(np.exp(uniform_weights(structure, log_masses)), 1 / counts, rtol=1e-12)


@pytest.mark.parametrize("d", [4, 5])
@pytest.mark.parametrize("rule", CLOSED_FORM)
def test_circuits_of_all_orders_under_any_rule_that_weighs_by_mass(d, rule):
    families = families_of_all(d, seed=2)
    structure = grow(families, full_expansion(d, 1))
    assert len(full_expansion(d, 1)) == n_layers(d, 1)
    model = weigh_circuit(structure, families, rule, Workers())
    exact = ExactOrders.over_all(families, Workers()).log_mass
    assert model.log_mass == pytest.approx(exact, rel=0, abs=1e-10)
    elbo = evidence_lower_bound(structure, model.circuit.log_weights, model.circuit.log_block_masses)
    if rule == "uniform":
        assert elbo < exact - 1e-3
    else:
        assert elbo == pytest.approx(exact, rel=0, abs=1e-10)


def test_weights_given_as_they_are():
    families, structure = grown("odd, blocks")
    log_weights = normalised(structure, np.random.default_rng(0).normal(size=structure.n_partitions))
    assert weigh_circuit(structure, families, log_weights, Workers()).circuit.log_weights is log_weights


def test_masses_of_blocks():
    families, structure = grown("odd, blocks")
    model = weigh_circuit(structure, families, "elbo", Workers())
    np.testing.assert_allclose(model.circuit.log_block_masses, log_masses_of(structure, families), rtol=0, atol=1e-10)
