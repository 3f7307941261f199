"""Exact: the sum over all orders, or over all DAGs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderspn.core.arguments import check_choice
from orderspn.core.randomness import generator_of, seed_for
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.methods.memory import Demand
from orderspn.methods.method import TARGETS, Method
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.methods.report import Report
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.exact_order_graphs import ExactOrderGraphs
from orderspn.models.memory import exact_dag_bytes, exact_order_bytes
from orderspn.parents.plan import check_outsiders
from orderspn.parents.sizes import FamilySizes

QUICK_CANDIDATES = 16
"""Most candidates of a family for which the mass left out is estimated: each choice of outsiders is a table of 2**K."""


class ExactReport(Report):
    """The settings of a posterior by `Exact`."""

    models = (ExactOrderGraphs.kind, DagGraphs.kind)


@dataclass(frozen=True, kw_only=True, repr=False)
class Exact(Method):
    """Sum over every order, or over every DAG.

    Memory doubles with each variable: about 25 are comfortable with the target "order", 14 with "dag". 28 take minutes
    and 6 GiB, within `memory_limit=16 * 2**30`.

    Parameters
    ----------
    target : {"order", "dag"}, default "order"
        Whether a graph counts once for each of its topological orders, or once. "dag" takes at most 16 variables.
    outsiders : {0, 1, 2}, default 0
        Largest number of parents from outside the candidates in a parent set.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> osp.learn(data, method=osp.methods.Exact(target="dag"))
    <Posterior: exact, 11 variables, 853 rows>
    """

    name = "exact"
    report = ExactReport
    target: str = "order"
    outsiders: int | str = 0

    def __post_init__(self) -> None:
        check_choice("target", self.target, TARGETS)
        self._keep(outsiders=check_outsiders(self.outsiders))

    def demand(self, sizes: FamilySizes, n_jobs: int) -> Demand:
        """Return the memory of all orders, or of all DAGs."""
        if self.target == "dag":
            what = f"Exact(target='dag') needs, for {sizes.d} variables,"
            return Demand(exact_dag_bytes(sizes, n_jobs), what, "Use method='gadget'")
        return Demand(
            exact_order_bytes(sizes, n_jobs),
            f"method 'exact' needs, for {sizes.d} variables with up to {max(sizes.candidates)} candidates each,",
            "Use method='trust', choose fewer columns with variables=[...], lower candidates=",
        )

    def learn(self, problem: Problem) -> Solution:
        """Score all families and sum."""
        families = problem.families()
        return _all_orders(problem, families) if self.target == "order" else _all_dags(problem, families)


def _all_orders(problem: Problem, families: Sequence[Family]) -> Solution:
    orders = ExactOrders.over_all(families, problem.workers)
    report = {}
    if _estimates_lost_share(problem, families):
        drawn = orders.sample(ORDERS_ASKED, generator_of(seed_for(problem.seed, "orders asked")))
        report["lost_share"] = problem.lost_share(families, drawn).share
    model = ExactOrderGraphs(problem.variables, problem.local, tuple(families), orders, problem.workers)
    return Solution(model, report)


def _all_dags(problem: Problem, families: Sequence[Family]) -> Solution:
    model = DagGraphs(problem.variables, problem.local, tuple(families), problem.workers)
    if not _estimates_lost_share(problem, families):
        return Solution(model)
    drawn = model.sample(ORDERS_ASKED, seed_for(problem.seed, "orders asked")).orders
    return Solution(model, {"lost_share": problem.lost_share(families, drawn).share})


def _estimates_lost_share(problem: Problem, families: Sequence[Family]) -> bool:
    """Whether to estimate the mass left out: not if nothing is, or if the estimate would take longer than the rest."""
    return problem.plan.largest_size <= QUICK_CANDIDATES and problem.leaves_out(families)
