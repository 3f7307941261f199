"""All orders, or all DAGs, exactly."""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.core.randomness import generator_of
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.methods.memory import Demand
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.exact_order_graphs import ExactOrderGraphs
from orderspn.models.memory import exact_dag_bytes, exact_order_bytes
from orderspn.parents.sizes import FamilySizes

QUICK_CANDIDATES = 16
"""Candidates of the largest family whose left-out sets are scored: each choice of them is a table of 2**K."""


def learn_exact(problem: Problem) -> Solution:
    """Sum over every order."""
    families = problem.families()
    orders = ExactOrders.over_all(families, problem.workers)
    report = {}
    if _worth_seeing(problem, families):
        drawn = orders.sample(ORDERS_ASKED, generator_of(problem.seed.spawn(1)[0]))
        report["lost_share"] = problem.lost_share(families, drawn).share
    model = ExactOrderGraphs(problem.variables, problem.local, tuple(families), orders, problem.workers)
    return Solution(model, report)


def learn_exact_dags(problem: Problem) -> Solution:
    """Sum over every DAG, each counted once."""
    families = tuple(problem.families())
    model = DagGraphs(problem.variables, problem.local, families, problem.workers)
    if not _worth_seeing(problem, families):
        return Solution(model)
    drawn = model.sample(ORDERS_ASKED, problem.seed.spawn(1)[0]).orders
    return Solution(model, {"lost_share": problem.lost_share(families, drawn).share})


def _worth_seeing(problem: Problem, families: Sequence[Family]) -> bool:
    """Whether to see what the families leave out: not where nothing is, or where seeing it would cost more than all."""
    return problem.plan.largest_size <= QUICK_CANDIDATES and problem.leaves_out(families)


def exact_demand(target: str, sizes: FamilySizes, n_jobs: int) -> Demand:
    """Memory of all orders, or of all DAGs."""
    if target == "dag":
        what = f"target='dag' needs, for {sizes.d} variables,"
        return Demand(exact_dag_bytes(sizes, n_jobs), what, "Use method='gadget'")
    return Demand(
        exact_order_bytes(sizes, n_jobs),
        f"method 'exact' needs, for {sizes.d} variables with up to {max(sizes.candidates)} candidates each,",
        "Use method='trust', choose fewer columns with variables=[...], lower candidates=",
    )
