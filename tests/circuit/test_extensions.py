"""What a circuit weighs each DAG by, against the list of all pairs that it covers."""

import math

import numpy as np
import pytest

from helpers.cases import CASES, QUICK, both
from helpers.circuits import by_hand
from helpers.levels import parameters
from orderspn.circuit.extensions import log_order_masses
from orderspn.circuit.weighted_circuit import WeightedCircuit
from orderspn.core.workers import Workers
from reference.dags import adjacency_of, all_dags, linear_extensions

ONE = Workers(1)
CIRCUITS = [name for name, case in CASES.items() if case.circuit]


@pytest.mark.kernels
@pytest.mark.parametrize("name", parameters(CIRCUITS, quick=[name for name in CIRCUITS if name in QUICK]))
def test_probability_is_score_times_mass_of_orders(name):
    """For every DAG: q(G) / score(G) is the mass, up to one constant for all."""
    posterior, brute = both(name).posterior, both(name).brute
    model = posterior.model
    probabilities = brute.graph_probabilities()
    masks = all_dags(4)
    log_masses = model.orders.log_order_masses(adjacency_of(masks))
    log_ratios = []
    for row, log_mass in zip(masks.tolist(), log_masses, strict=True):
        log_score = log_score_of(model.families, row)
        if tuple(row) in probabilities:
            log_ratios.append(math.log(probabilities[tuple(row)]) - log_score - log_mass)
        else:
            assert log_mass == -math.inf or log_score == -math.inf
    assert len(log_ratios) > 50
    np.testing.assert_allclose(log_ratios, log_ratios[0], rtol=0, atol=1e-9)


def log_score_of(families, masks):
    """Of a graph, from the tables of its families."""
    total = 0.0
    for family, mask in zip(families, masks, strict=True):
        members = np.array([v for v in range(4) if mask >> v & 1])
        sets = family.indicators(np.arange(family.log_score.size), 4)
        wanted = np.isin(np.arange(4), members)
        found = np.flatnonzero((sets == wanted).all(axis=1))
        total += family.log_score[found[0]] + family.log_scale if found.size else -np.inf
    return total


@pytest.mark.kernels
def test_circuits_that_leave_out_orders_do_not_cover_all_graphs():
    """Otherwise the case of -inf would not be met above."""
    left_out = [
        np.isneginf(both(name).posterior.model.orders.log_order_masses(adjacency_of(all_dags(4)))).any()
        for name in CIRCUITS
    ]
    assert any(left_out)
    assert not all(left_out)


@pytest.mark.kernels
def test_one_block_counts_orders():
    structure = by_hand(4, [([], [0, 1, 2, 3])], {})
    prior = WeightedCircuit(structure, np.empty(0), np.zeros(1), 0.0)
    graphs = adjacency_of(all_dags(4))
    counts = [linear_extensions(graph) for graph in graphs]
    np.testing.assert_allclose(np.exp(log_order_masses(prior, graphs, ONE)), counts, rtol=1e-12)


@pytest.mark.kernels
def test_by_hand():
    """Two ways to begin: {0, 1} with weight 3/4, or {1} before the others with 1/4; blocks have masses 2, 5, 7, 11."""
    regions = [([], [0, 1, 2]), ([], [0, 1]), ([0, 1], [2]), ([], [1]), ([1], [0, 2])]
    structure = by_hand(3, regions, {0: [(1, 2), (3, 4)]})
    masses = dict(zip([1, 2, 3, 4], [2.0, 5.0, 7.0, 11.0], strict=True))
    log_masses = np.log([masses[int(region)] for region in structure.blocks])
    prior = WeightedCircuit(structure, np.log([0.75, 0.25]), log_masses, 0.0)
    first, second = 0.75 / (2 * 5), 0.25 / (7 * 11)
    expected = {
        (): 2 * first + 2 * second,
        ((0, 1),): first,  # 0 before 1 before 2
        ((1, 0),): first + 2 * second,
        ((0, 2),): 2 * first + second,
        ((2, 0),): second,
        ((2, 1),): 0.0,
        ((0, 1), (1, 2)): first,
        ((1, 2), (2, 0)): second,
        ((2, 0), (0, 1)): 0.0,
    }
    graphs = np.zeros((len(expected), 3, 3), dtype=bool)
    for number, edges in enumerate(expected):
        for edge in edges:
            graphs[number][edge] = True
    for workers in (ONE, Workers(2)):
        np.testing.assert_allclose(
            np.exp(log_order_masses(prior, graphs, workers)), list(expected.values()), rtol=1e-12
        )


def test_evidence_does_not_change_what_orders_weigh():
    """Conditioning keeps the proportions of the graphs that are left."""
    posterior = both("sampled orders").posterior
    graphs = adjacency_of(all_dags(4))
    graphs = graphs[graphs[:, 0, 1]]
    under = posterior.given("A -> B").model.orders.log_order_masses(graphs)
    before = posterior.model.orders.log_order_masses(graphs)
    seen = np.isfinite(before)
    assert seen.any()
    np.testing.assert_array_equal(np.isfinite(under), seen)
    np.testing.assert_allclose(np.ptp(under[seen] - before[seen]), 0.0, atol=1e-9)
