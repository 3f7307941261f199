"""Gadget: a sample of DAGs, each counted once, by chains that lead from orders to DAGs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from orderspn.chains.diagnostics import diagnose
from orderspn.core.arguments import check_integer
from orderspn.core.checked_json import Count, Positive, Share, require
from orderspn.core.deadline import less_than_usual
from orderspn.core.randomness import seed_for
from orderspn.gadget.ladder import LadderTransitions
from orderspn.gadget.origin import origin_of_ladder
from orderspn.gadget.parent_scores import all_parent_scores
from orderspn.gadget.sampler import DagSample, GadgetEffort, adjacency_of, sample_dags
from orderspn.leaves.context import root_block
from orderspn.leaves.lists import ParentLists
from orderspn.leaves.tables import LeafTables
from orderspn.methods.memory import Demand, comparison_bytes, sampler_bytes
from orderspn.methods.method import SearchingMethod
from orderspn.methods.parents import Parents, refined_parents
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.methods.report import Diagnostics, Report
from orderspn.methods.timing import rehearsal
from orderspn.models.memory import NUMBER, listed_bytes, with_slack
from orderspn.models.protocol import GraphModel, Lines
from orderspn.models.sampled_graphs import SampledGraphs
from orderspn.parents.plan import check_outsiders
from orderspn.parents.sizes import FamilySizes
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.lost_mass import MOST_VARIABLES, LostShare
from orderspn.search.order_scores import OrderScores, all_order_scores
from orderspn.search.origin import origin_of_orders
from orderspn.search.scored_orders import ScoredOrders

N_GRAPHS, FEWEST_GRAPHS = 10_000, 64
"""Default number of graphs, and the fewest to save memory."""

SHARE_OF_MEMORY = 4
"""Graphs may take a share of 1 / SHARE_OF_MEMORY of the memory, a byte for each pair of variables."""

GRAPHS_IN_THE_MAKING = 2
"""Bytes of a pair of variables in a listed graph while the list is made."""

WALKER, WALKER_ROW = 256, 12
"""Bytes of a variable in a chain, and of each row of its outsiders."""

ORDER_TABLES = 2
"""Numbers per parent set for chains over orders: log masses, and shares in single precision."""

TABLES_TIME = 2.0
"""Time for all tables of the families, as a multiple of that for scores and the tables of a search over orders."""

STARTS, AFTERWARDS = 0.15, 0.15
"""Shares of the available time for the starts, and for the estimate of the mass left out after the sample."""


class GadgetReport(Report):
    """The settings of a posterior by `Gadget`."""

    models = (SampledGraphs.kind,)

    target: Literal["dag"]
    n_graphs: Count
    effort: Positive
    n_runs: Count
    n_chains: Count
    iterations: Count
    acceptance: dict[str, Share]
    swap_rates: list[Share]
    diagnostics: Diagnostics

    def lines(self) -> Lines:
        """Return the length of the chains, and how well they agree."""
        made = f"{self.n_graphs:,} graphs by {self.n_runs} runs of {self.n_chains} chains"
        return [
            ("sampled", f"{made}, {self.iterations:,} moves each"),
            ("accepted", ", ".join(f"{kind} {100 * rate:.1f}%" for kind, rate in self.acceptance.items())),
            self.diagnostics.line(),
        ]

    def check_model(self, model: GraphModel) -> None:
        """Check also that the number of runs is that of the diagnostics."""
        super().check_model(model)
        kept = self.diagnostics.runs_kept
        require(
            cast("SampledGraphs", model).n_runs == kept,
            "the number of runs of its graphs is not that of its diagnostics",
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Gadget(SearchingMethod):
    """A sample of graphs by Markov chains. Answers are frequencies, with standard errors.

    Independent runs of chains are compared; every graph counts once. Half of the chains of a run lead from this
    target to the one that counts a graph once per order, the others sample orders at several temperatures.

    Parameters
    ----------
    n_graphs : int, optional
        Number of graphs to sample, at least four of each run (default 10,000, fewer if memory is short). If missing
        values are imputed, all imputations share this number; each has at least 64.
    n_chains : int, default 16
        Number of chains of each run, at different exponents and temperatures.
    outsiders : "auto", 0, 1 or 2
        Largest number of parents from outside the candidates in a parent set (default 1, or 0 if `candidates` is a
        mapping). With 2, the most promising pairs are added.
    refine : int, optional
        Number of times that candidates are chosen again after a short search over orders (default 2, at most 1000).
    effort : float, default 1
        Length of the chains, as a multiple of the default.
    runs : int, default 4
        Independent runs, which are compared and pooled. More of them are for clusters.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> sample = osp.learn(data, method=osp.methods.Gadget(n_graphs=400, effort=0.2))
    >>> sample.settings["n_graphs"]
    400
    """

    name = "gadget"
    report = GadgetReport
    target = "dag"
    heeds_time_limit = True

    n_graphs: int | None = None
    n_chains: int = GadgetEffort.chains
    outsiders: int | str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_graphs is not None:
            self._keep(n_graphs=check_integer("n_graphs", self.n_graphs, 1))
        self._keep(n_chains=check_integer("n_chains", self.n_chains, 1), outsiders=check_outsiders(self.outsiders))

    def resolved(self, d: int, memory_limit: int) -> Gadget:
        """Fill in the number of graphs."""
        return replace(self, n_graphs=self.n_graphs or default_n_graphs(d, memory_limit))

    def resolved_beside(self, n_context: int, d: int, memory_limit: int) -> Gadget:
        """Fill in the number of graphs, which have all variables."""
        return self.resolved(n_context + d, memory_limit)

    def as_part_of(self, n_posteriors: int) -> Gadget:
        """Share the graphs among several samples."""
        assert self.n_graphs is not None
        return replace(self, n_graphs=min(self.n_graphs, max(FEWEST_GRAPHS, -(-self.n_graphs // n_posteriors))))

    def demand(self, sizes: FamilySizes, n_jobs: int) -> Demand:
        """Return the memory of graphs, chains and families, or of queries of the graphs if that is larger."""
        assert self.n_graphs is not None
        n_graphs, d, chains = self.n_graphs, sizes.d, self.chains(sizes.n_ordered)
        walkers = chains.runs * chains.chains * (WALKER * d + WALKER_ROW * sum(sizes.rows))
        tables = sampler_bytes(sizes, n_jobs) + NUMBER * ORDER_TABLES * sizes.total
        graphs = GRAPHS_IN_THE_MAKING * n_graphs * d * (d + NUMBER) + comparison_bytes(n_graphs, d)
        return Demand(
            max(with_slack(tables + walkers + graphs), listed_bytes(n_graphs, d)),
            f"{n_graphs:,} graphs of {d} variables, {chains.runs} runs of {chains.chains} chains, and the parent sets "
            f"of {max(sizes.candidates, default=0)} candidates each take",
            "Lower n_graphs=, n_chains= or candidates=",
        )

    def chains(self, d: int) -> GadgetEffort:
        """Return the numbers of runs, chains and moves for `d` variables."""
        return replace(GadgetEffort.usual(d, self.effort), chains=self.n_chains, runs=self.runs)

    def learn(self, problem: Problem) -> Solution:
        """Refine candidates with sampled orders, then sample partitions and DAGs."""
        if problem.deadline.left < math.inf:
            tiny = Gadget(n_graphs=8)
            tiny.searched(rehearsal(problem.workers), Effort.shortest(), GadgetEffort(2, 2, 20))
        n = problem.n_ordered
        resumed = problem.resumed is not None
        search = replace(Effort.usual(n, self.effort), runs=self.runs)
        return self.searched(problem, search.after(resumed), self.chains(n).after(resumed))

    def searched(self, problem: Problem, search: Effort, chains: GadgetEffort) -> Solution:
        """Learn with searches and chains of this length."""
        assert self.n_graphs is not None
        parents = refined_parents(problem, search, TABLES_TIME)
        families = parents.families
        stage = problem.workers.stage("graphs")
        order_scores = all_order_scores(LeafTables.of(families, problem.workers))
        orders = _starts(problem, parents, order_scores, replace(search, runs=chains.runs), chains.chains)
        sample = sample_dags(
            LadderTransitions(all_parent_scores(families, problem.workers), order_scores),
            orders,
            self.n_graphs,
            chains,
            seed_for(problem.seed, "graphs"),
            problem.workers,
            problem.deadline.share(1.0 - AFTERWARDS),
            origin_of_ladder(problem.local, families),
            problem.checkpoint.within("partitions"),
        )
        adjacency = adjacency_of(families, sample.parent_sets)
        stage.done("%d sampled in %d runs", len(adjacency), chains.runs)
        diagnostics = diagnose(sample.partitions, adjacency)
        model = SampledGraphs(
            *problem.listed(families, adjacency, sample.log_scores),
            np.full(len(adjacency), 1.0 / len(adjacency)),
            problem.workers,
            np.ones(len(adjacency), dtype=bool),
            diagnostics.runs_kept,
        )
        left_out = _left_out(problem, parents, sample)
        shortened = parents.shortened(problem) | sample.shortened
        report = {
            **parents.recorded(),
            "n_graphs": len(adjacency),
            "n_runs": chains.runs,
            "iterations": sample.iterations,
            "acceptance": sample.acceptance,
            "swap_rates": sample.swaps,
            "diagnostics": diagnostics.as_dict(),
            **({} if left_out is None else {"lost_share": left_out.share}),
            **problem.time_report(shortened | _asked(left_out, problem.n_ordered)),
        }
        state = None if parents.starts is None else parents.searched_to(parents.starts)
        return Solution(model, report, () if diagnostics.warning is None else (diagnostics.warning,), state)


def default_n_graphs(d: int, memory: int) -> int:
    """Return the default number of graphs, or fewer if memory is short."""
    return max(FEWEST_GRAPHS, min(N_GRAPHS, memory // (SHARE_OF_MEMORY * d * d)))


def _starts(problem: Problem, parents: Parents, order_scores: OrderScores, search: Effort, chains: int) -> np.ndarray:
    """Return good orders to begin with (runs, chains, d): the last states of a short search over orders."""
    known = parents.starts
    if known is not None and len(known) != search.runs:
        known = known[np.arange(search.runs) % len(known)]
    short = replace(search, burn_in=max(1, search.burn_in // 4))
    origin = origin_of_orders(problem.local, ParentLists.of(parents.families))
    ensemble = Ensemble.started(
        ScoredOrders.known(order_scores, origin),
        short,
        seed_for(problem.seed, "starts"),
        problem.workers,
        known,
        problem.checkpoint.within("starts"),
    )
    ensemble.burn_in("starts", problem.deadline.share(STARTS))
    # The first half of the chains have temperature 1, and so has the first of the others: see `gadget/ladder.py`.
    return ensemble.ends[:, np.maximum(0, np.arange(chains) - (chains + 1) // 2) % search.temperatures]


def _left_out(problem: Problem, parents: Parents, sample: DagSample) -> LostShare | None:
    """Estimate the share of the mass that the families leave out, for orders of the layers of sampled DAGs."""
    if not problem.leaves_out(parents.families):
        return None
    levels = sample.partitions.all_states
    chosen = levels[np.linspace(0, len(levels) - 1, min(len(levels), ORDERS_ASKED)).round().astype(np.int64)]
    _, variables = root_block(parents.families)
    return problem.lost_share(parents.families, variables[np.argsort(chosen, axis=1, kind="stable")])


def _asked(left_out: LostShare | None, d: int) -> dict[str, list[int]]:
    """Return the number of variables of the estimate of the mass left out, if it is not all of them."""
    return (
        {} if left_out is None else less_than_usual(lost_share_variables=(left_out.variables, min(d, MOST_VARIABLES)))
    )
