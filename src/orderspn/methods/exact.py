"""All orders, exactly."""

from __future__ import annotations

from orderspn.core.errors import InvalidValue
from orderspn.core.memory import readable_bytes
from orderspn.core.randomness import generator_of
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.methods.problem import Problem, Solution

ORDERS_ASKED = 256
"""Orders sampled to see what the families leave out, where not all variables are candidates."""


def learn_exact(problem: Problem) -> Solution:
    """Sum over every order."""
    check_memory(problem)
    families = problem.families()
    orders = ExactOrders.over_all(families, problem.workers)
    report = {}
    if problem.plan.largest_size < problem.d - 1:
        drawn = orders.sample(ORDERS_ASKED, generator_of(problem.seed.spawn(1)[0]))
        report["lost_share"] = problem.lost_share(families, drawn)
    return Solution(families, orders, report)


def check_memory(problem: Problem) -> None:
    """Refuse what would not fit: two numbers per set of variables, families, and own leaf tables beside outsiders."""
    d, plan, limit = problem.d, problem.plan, problem.memory_limit
    needed = 16 * 2**d + plan.bytes_for(d) + (8 * d * 2 ** (d - 1) if plan.at_once else 0)
    if needed > limit:
        raise InvalidValue(
            f"method 'exact' needs about {readable_bytes(needed)} of memory for {d} variables with up to "
            f"{plan.largest_size} candidates each; the limit is {readable_bytes(limit)}. Use method='trust', choose "
            "fewer columns with variables=[...], lower candidates=, or raise memory_limit= (in bytes)."
        )
