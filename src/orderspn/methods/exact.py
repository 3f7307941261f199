"""All orders, or all DAGs, exactly."""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.core.errors import InvalidValue
from orderspn.core.masks import check_ordered
from orderspn.core.memory import readable_bytes
from orderspn.core.randomness import generator_of
from orderspn.dags.exact_dags import MOST_VARIABLES, dag_bytes
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.models.dag_graphs import DagGraphs
from orderspn.parents.plan import ParentPlan

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
    return Solution(problem.graphs(families, orders, covers_all=True), report)


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


def check_exact_memory(target: str, d: int, plan: ParentPlan, limit: int) -> None:
    """Refuse what would not fit, before any work."""
    if target == "dag":
        _check_memory_of_dags(d, plan, limit)
    else:
        _check_memory_of_orders(d, plan, limit)


def _check_memory_of_dags(d: int, plan: ParentPlan, limit: int) -> None:
    if d > MOST_VARIABLES:
        raise InvalidValue(
            f"target='dag' sums over all DAGs of at most {MOST_VARIABLES} variables; got {d}. Use method='gadget', "
            "which samples them, or target='order', or choose fewer columns with variables=[...]."
        )
    needed = dag_bytes(d) + plan.bytes_for(d)
    if needed > limit:
        raise InvalidValue(
            f"target='dag' needs about {readable_bytes(needed)} of memory for {d} variables; the limit is "
            f"{readable_bytes(limit)}. Use method='gadget', or raise memory_limit= (in bytes)."
        )


def _check_memory_of_orders(d: int, plan: ParentPlan, limit: int) -> None:
    """Two numbers per set of variables, families, and own leaf tables beside outsiders."""
    needed = 16 * 2**d + plan.bytes_for(d) + (8 * d * 2 ** (d - 1) if plan.at_once else 0)
    if needed > limit:
        raise InvalidValue(
            f"method 'exact' needs about {readable_bytes(needed)} of memory for {d} variables with up to "
            f"{plan.largest_size} candidates each; the limit is {readable_bytes(limit)}. Use method='trust', choose "
            "fewer columns with variables=[...], lower candidates=, or raise memory_limit= (in bytes)."
        )
    check_ordered(d)
