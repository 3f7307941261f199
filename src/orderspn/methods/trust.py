"""TRUST: an OrderSPN, from sampled orders or grown with an oracle."""

from __future__ import annotations

from orderspn.circuit.learning import (
    CircuitSettings,
    learn_circuit,
    learn_from_orders,
    learn_whole,
)
from orderspn.core.randomness import generator_of
from orderspn.methods.parents import refined_parents
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.search.ensemble import Effort


def learn_trust(problem: Problem, search: Effort, settings: CircuitSettings) -> Solution:
    """Refine candidates, then learn a circuit."""
    parents = refined_parents(problem, search)
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
    report = {
        **settings.recorded(),
        "refinements": parents.rounds,
        **learned.report,
        "lost_share": problem.lost_share(families, sampled),
        **problem.time_report(),
    }
    graphs = problem.graphs(families, learned.orders, covers_all=False)
    return Solution(graphs, report, () if learned.warning is None else (learned.warning,))
