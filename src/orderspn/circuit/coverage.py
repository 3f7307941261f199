"""The share of the posterior over orders that a circuit covers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from orderspn.circuit.structure import Structure
from orderspn.circuit.weighted_circuit import WeightedCircuit
from orderspn.circuit.weights import evidence_lower_bound
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import seed_sequence
from orderspn.core.workers import Workers
from orderspn.lattice.coverage import Coverage
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.order_scores import all_order_scores
from orderspn.search.scored_orders import ScoredOrders

EXACT_UP_TO = 20
"""Largest number of variables for which the exact mass of all orders is computed, in a fraction of a second."""


def circuit_coverage(
    circuit: WeightedCircuit, families: Sequence[Family], workers: Workers, n_orders: int, rng: np.random.Generator
) -> Coverage:
    """Compare a circuit with all orders, exactly if there are few variables, else with about `n_orders` draws."""
    elbo = evidence_lower_bound(circuit.structure, circuit.log_weights, circuit.log_block_masses)
    if circuit.structure.sizes[0] <= EXACT_UP_TO:
        log_all = ExactOrders.over_all(families, workers).log_mass
        return Coverage(elbo, circuit.log_covered, math.exp(min(0.0, circuit.log_covered - log_all)), 0.0, "exact")
    covered = covers(circuit.structure, _independent_orders(families, workers, n_orders, rng))
    cautious = (covered.sum() + 1) / (covered.size + 2)
    error = math.sqrt(cautious * (1 - cautious) / covered.size)
    return Coverage(elbo, circuit.log_covered, float(covered.mean()), error, "sampled orders")


def short_effort(n: int) -> Effort:
    """Return the effort of a search for one share of orders, which needs less than the weights of a circuit.

    `benchmarks/coverage_effort.py` compares shares with exact ones: with draws eight times closer to each other the
    error is about that of independent draws still.
    """
    usual = Effort.usual(n)
    return replace(usual, burn_in=max(1, usual.burn_in // 4), thin=max(1, usual.thin // 8))


def _independent_orders(
    families: Sequence[Family], workers: Workers, n_orders: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw orders by an independent search, shape (about n_orders, n)."""
    order_scores = all_order_scores(LeafTables.of(families, workers))
    ensemble = Ensemble.started(
        ScoredOrders.known(order_scores), short_effort(order_scores.n), seed_sequence(rng), workers
    )
    ensemble.burn_in("search", Deadline())
    return root_block(families)[1][ensemble.sample(n_orders, "orders", Deadline()).all_states]


def covers(structure: Structure, orders: np.ndarray) -> np.ndarray:
    """Return which orders of its root (m, n) a circuit covers: their parts are partitions at every node on the way."""
    parts = {
        (int(owner), structure.variables[first].tobytes()): p
        for p, (owner, first) in enumerate(zip(structure.owner, structure.first, strict=True))
    }
    sizes = structure.sizes.tolist()
    return np.array([_covers_one(structure, parts, sizes, order) for order in orders], dtype=bool)


def _covers_one(structure: Structure, parts: dict[tuple[int, bytes], int], sizes: list[int], order: np.ndarray) -> bool:
    stack = [(0, 0)]
    while stack:
        region, place = stack.pop()
        if structure.block_number[region] >= 0:
            continue
        n_first = sizes[structure.first[structure.partition_starts[region]]]
        first = np.zeros(structure.variables.shape[1], dtype=bool)
        first[order[place : place + n_first]] = True
        chosen = parts.get((region, first.tobytes()))
        if chosen is None:
            return False
        stack += [(int(structure.first[chosen]), place), (int(structure.second[chosen]), place + n_first)]
    return True
