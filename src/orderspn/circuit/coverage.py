"""How much of the posterior over orders a circuit covers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from orderspn.circuit.prior import Prior
from orderspn.circuit.structure import Structure
from orderspn.circuit.weights import evidence_lower_bound
from orderspn.core.workers import Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.lattice.extent import Coverage
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.oracles.posterior_orders import posterior_orders
from orderspn.oracles.protocol import Question

EXACT_UP_TO = 20
"""Variables up to which the exact mass of all orders is computed for comparison: a fraction of a second."""


def circuit_coverage(
    prior: Prior, families: Sequence[Family], workers: Workers, n_orders: int, rng: np.random.Generator
) -> Coverage:
    """Compare a circuit with all orders, exactly where that is quick, else with `n_orders` sampled ones."""
    elbo = evidence_lower_bound(prior.structure, prior.log_weights, prior.log_block_masses)
    d = len(families)
    if d <= EXACT_UP_TO:
        log_all = ExactOrders.over_all(families, workers).log_mass
        return Coverage(elbo, prior.log_covered, math.exp(min(0.0, prior.log_covered - log_all)), 0.0, "exact")
    tables = LeafTables.of(families, workers)
    question = Question(tables, np.empty(0, dtype=np.int64), np.arange(d))
    covered = covers(prior.structure, posterior_orders(question, n_orders, rng))
    share = float(covered.mean())
    cautious = (covered.sum() + 1) / (n_orders + 2)
    error = math.sqrt(cautious * (1 - cautious) / n_orders)
    return Coverage(elbo, prior.log_covered, share, error, "sampled orders")


def covers(structure: Structure, orders: np.ndarray) -> np.ndarray:
    """Which orders (n, d) a circuit covers: those whose halves it has as partitions, all the way down."""
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
        first = np.zeros(order.size, dtype=bool)
        first[order[place : place + n_first]] = True
        chosen = parts.get((region, first.tobytes()))
        if chosen is None:
            return False
        stack += [(int(structure.first[chosen]), place), (int(structure.second[chosen]), place + n_first)]
    return True
