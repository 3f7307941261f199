"""TRUST: an OrderSPN, from sampled orders or grown with an oracle."""

from __future__ import annotations

import math

from orderspn.circuit.learning import (
    CircuitSettings,
    learn_circuit,
    learn_from_orders,
    learn_whole,
    most_blocks,
)
from orderspn.core.deadline import less_than_usual
from orderspn.core.randomness import generator_of
from orderspn.methods.memory import Demand, settings_bytes
from orderspn.methods.parents import refined_parents
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.methods.rehearsal import rehearsal
from orderspn.models.circuit_graphs import CircuitGraphs
from orderspn.parents.sizes import FamilySizes
from orderspn.search.ensemble import Effort

TABLES = 1.5
"""Time for all tables of the families, as a multiple of that for scores and for what a search reads."""


def trust_demand(settings: CircuitSettings, sizes: FamilySizes, n_jobs: int) -> Demand:
    """Memory of a circuit and its families."""
    needed = settings_bytes(sizes, settings, n_jobs)
    if settings.n_orders is not None:
        return Demand(
            needed,
            f"{settings.n_orders} orders cut into blocks of {settings.block_size} variables, with their families, take",
            "Choose a smaller block_size or n_orders, lower candidates=",
        )
    blocks, largest = most_blocks(sizes.d, settings.expansion)
    return Demand(
        needed,
        f"expansion={list(settings.expansion)} gives up to {blocks:,} blocks of {largest} variables, which take",
        "Choose smaller factors, a smaller block_size (and one more factor), lower candidates=",
    )


def learn_trust(problem: Problem, search: Effort, settings: CircuitSettings) -> Solution:
    """Refine candidates, then learn a circuit."""
    if problem.deadline.left < math.inf:
        learn_trust(rehearsal(problem.workers), Effort.shortest(), CircuitSettings(2, "sampled", n_orders=1))
    parents = refined_parents(problem, search, TABLES)
    families = parents.families
    if settings.block_size >= problem.d:
        learned = learn_whole(families, settings, problem.workers)
    elif settings.oracle is None:
        starts, seed = parents.starts, problem.seed.spawn(1)[0]
        learned = learn_from_orders(families, settings, search, starts, seed, problem.workers, problem.deadline)
    else:
        learned = learn_circuit(families, settings, problem.seed, problem.workers)
    sampled = learned.sampled
    if sampled is None:
        sampled = learned.orders.sample(ORDERS_ASKED, generator_of(problem.seed.spawn(1)[0]))
    lost = problem.lost_share(families, sampled)
    asked = less_than_usual(lost_share_variables=(lost.variables, problem.d))
    report = {
        **settings.recorded(),
        **parents.recorded(),
        **learned.report,
        "lost_share": lost.share,
        **problem.time_report(parents.shortened(problem) | learned.shortened | asked),
    }
    graphs = CircuitGraphs(problem.variables, problem.local, tuple(families), learned.orders, problem.workers)
    return Solution(graphs, report, () if learned.warning is None else (learned.warning,))
