"""Three ways to make a circuit: one block of all variables, blocks of sampled orders, or partitions by an oracle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orderspn.chains.diagnostics import MOST_EDGES, Diagnostics, diagnose
from orderspn.chains.sample import Sample
from orderspn.circuit.building import build
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.from_orders import block_sizes_of, structure_from_orders, structure_with_paths
from orderspn.circuit.weighing import leaf_entries, weigh_circuit
from orderspn.circuit.weighted_circuit import NO_PATHS
from orderspn.core.deadline import Deadline, less_than_usual, now
from orderspn.core.randomness import seed_for
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.leaves.lists import ParentLists
from orderspn.leaves.tables import LeafTables
from orderspn.methods.limited import Limited
from orderspn.methods.parents import Parents
from orderspn.methods.problem import Problem
from orderspn.oracles.protocol import Oracle
from orderspn.search.ensemble import BURN_IN_DRAWS, Effort, Ensemble
from orderspn.search.order_edges import edges_given_orders
from orderspn.search.order_scores import all_order_scores
from orderspn.search.origin import origin_of_orders
from orderspn.search.sampled_edges import sampled_outsider_shares, sampled_varying_edges
from orderspn.search.scored_orders import ScoredOrders

BURN_IN, AFTERWARDS = 0.35, 0.2
"""Share of the available time for the burn-in, and share of the remaining time for the work after the circuit."""

AGREEMENT, LONGER = 1.05, 4
"""If the R-hat of runs is above this, orders are sampled again with more moves between them, by this factor."""

PAIRS, ENTRIES = 1.5, 0.2
"""Time for the work with a sampled order, as multiples of the time for the probability of one edge given an order: for
every pair of variables, and for every entry of the leaf tables of its blocks."""


@dataclass(frozen=True, eq=False)
class LearnedCircuit:
    """A circuit, the report of its construction, and the orders that it was made from, if any."""

    orders: CircuitOrders
    report: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    sampled: np.ndarray | None = None  # (orders, n), of the variables that are no context
    shortened: dict[str, list[int]] = field(default_factory=dict)
    ends: np.ndarray | None = None  # (runs, temperatures, n), the last states of the chains


def whole_circuit(problem: Problem, families: Sequence[Family], weights: str) -> LearnedCircuit:
    """Make a circuit of one block with all variables, which needs no search."""
    context, variables = root_block(families)
    structure = structure_from_orders(variables[None], variables.size, context)
    return LearnedCircuit(weigh_circuit(structure, families, weights, problem.workers))


def grown_circuit(
    problem: Problem,
    families: Sequence[Family],
    oracle: Oracle,
    expansion: Sequence[int],
    block_size: int,
    weights: str,
) -> LearnedCircuit:
    """Let an oracle propose partitions, layer by layer."""
    stage = problem.workers.stage("circuit")
    built = build(
        LeafTables.of(families, problem.workers),
        oracle,
        expansion,
        block_size,
        seed_for(problem.seed, "circuit"),
        distinct=weights != "sampled",
        workers=problem.workers,
    )
    orders = weigh_circuit(built.structure, families, weights, problem.workers)
    stage.done("%d blocks", len(built.structure.blocks))
    return LearnedCircuit(orders, {"oracle_info": built.info})


def circuit_from_samples(
    problem: Problem, parents: Parents, search: Effort, n_orders: int, block_size: int, weights: str
) -> LearnedCircuit:
    """Sample orders with tempered chains, as many as there is time for, and cut them into blocks."""
    workers, deadline = problem.workers, problem.deadline
    stage = workers.stage("search")
    origin = origin_of_orders(problem.local, ParentLists.of(parents.families))
    tables = LeafTables.of(parents.families, workers)
    orders = ScoredOrders(problem.n_ordered, lambda: all_order_scores(tables), origin)
    laying_out = orders.prepared(deadline)
    ensemble = Ensemble.started(
        orders,
        search,
        seed_for(problem.seed, "orders"),
        workers,
        parents.starts,
        problem.checkpoint.within("orders"),
    )
    trace = ensemble.burn_in("search", deadline.share(BURN_IN))
    stage.done("%d runs of %d chains", search.runs, search.temperatures)
    stage = workers.stage("orders")
    sampling = deadline.share(1.0 - AFTERWARDS).before(laying_out)
    count, each = _timely_orders(ensemble, n_orders, block_size, sampling)
    sample, diagnostics = _agreeing_orders(ensemble, count, sampling.before(count * each))
    stage.done("%d sampled", len(sample.all_states))
    stage = workers.stage("circuit")
    limited = Limited.of(sampled_outsider_shares(sample.all_states, orders), parents.families)
    context, variables = root_block(parents.families)
    sampled = variables[sample.all_states]
    structure, paths = structure_with_paths(sampled, block_size, context)
    report = {
        "n_orders": len(sample.all_states),
        "diagnostics": diagnostics.as_dict(),
        **limited.report,
    }
    shortened = less_than_usual(burn_in=(trace.shape[1], BURN_IN_DRAWS), n_orders=(len(sample.all_states), n_orders))
    paths = paths.reshape(*sample.log_scores.shape, -1) if weights == "sampled" else NO_PATHS
    circuit = weigh_circuit(structure, parents.families, weights, workers, paths)
    stage.done("%d blocks", len(structure.blocks))
    warnings = [text for text in (diagnostics.warning, limited.warning(problem.variables)) if text is not None]
    return LearnedCircuit(circuit, report, tuple(warnings), sampled, shortened, ensemble.ends)


def _agreeing_orders(ensemble: Ensemble, count: int, deadline: Deadline) -> tuple[Sample, Diagnostics]:
    """Sample orders, and once more with more moves between them if runs do not agree yet and there is time for it."""

    def sampled(ensemble: Ensemble, work: str) -> tuple[Sample, Diagnostics]:
        sample = ensemble.sample(count, work, deadline)
        edges = sampled_varying_edges(sample.all_states, ensemble.orders, ensemble.workers, MOST_EDGES)
        return sample, diagnose(sample, edges)

    sample, diagnostics = sampled(ensemble, "orders")
    further_apart = ensemble.thinned(LONGER)
    if diagnostics.agree_within(AGREEMENT) or count * further_apart.seconds_per_order() > deadline.left:
        return sample, diagnostics
    return sampled(further_apart, "orders, further apart")


def _timely_orders(ensemble: Ensemble, n_orders: int, block_size: int, deadline: Deadline) -> tuple[int, float]:
    """Return the number of orders that there is time for, and the seconds for each after it is sampled."""
    if deadline.left == math.inf:
        return n_orders, 0.0
    d = ensemble.orders.n
    some = ensemble.ends.reshape(-1, d)
    begin = now()
    edges_given_orders(some, ensemble.orders.here, ensemble.workers)
    pairs = d * (d - 1) / 2
    seconds_per_pair = (now() - begin) / (len(some) * pairs)
    each = seconds_per_pair * (PAIRS * pairs + ENTRIES * leaf_entries(block_sizes_of(d, block_size)))
    return min(n_orders, int(deadline.left / (each + ensemble.seconds_per_order()))), each
