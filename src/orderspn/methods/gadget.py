"""Gadget: a sample of DAGs, each counted once, by partition MCMC."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from orderspn.chains.diagnostics import diagnose
from orderspn.core.arguments import check_integer
from orderspn.core.deadline import less_than_usual
from orderspn.gadget.sampler import DagSample, GadgetEffort, adjacency_of, sample_dags
from orderspn.gadget.terrain import whole_terrain
from orderspn.leaves.tables import LeafTables
from orderspn.methods.memory import Demand, gadget_bytes
from orderspn.methods.parents import Parents, refined_parents
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.methods.rehearsal import rehearsal
from orderspn.models.sampled_graphs import SampledGraphs
from orderspn.parents.sizes import FamilySizes
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.landscape import landscape_of_all
from orderspn.search.lost_mass import LostShare

N_GRAPHS = 10_000
"""Graphs by default."""

SHARE_OF_MEMORY = 4
"""Graphs may take one part in so many of the memory, a byte for each pair of variables."""

FEWEST_GRAPHS = 64

TABLES_TIME = 2.0
"""Time for all tables of the families, as a multiple of that for scores and for what a search over orders reads."""

STARTS, AFTERWARDS = 0.15, 0.15
"""Parts of the time there is for the starts, and for what the families lack after the sample."""


@dataclass(frozen=True)
class GadgetSettings:
    """How graphs are to be sampled, checked."""

    effort: GadgetEffort
    n_graphs: int

    @classmethod
    def checked(cls, d: int, memory: int, n_graphs: int | None, chains: int | None, factor: float) -> GadgetSettings:
        """Check arguments and fill in defaults for `d` variables."""
        usual = GadgetEffort.usual(d, factor)
        effort = usual if chains is None else replace(usual, chains=check_integer("chains", chains, 1))
        return cls(effort, default_n_graphs(d, memory) if n_graphs is None else check_integer("n_graphs", n_graphs, 1))


def gadget_demand(settings: GadgetSettings, sizes: FamilySizes, n_jobs: int) -> Demand:
    """Memory of graphs, chains and families."""
    effort = settings.effort
    return Demand(
        gadget_bytes(sizes, effort, settings.n_graphs, n_jobs),
        f"{settings.n_graphs:,} graphs of {sizes.d} variables, {effort.runs} runs of {effort.chains} chains, and the "
        f"parent sets of {max(sizes.candidates, default=0)} candidates each take",
        "Lower n_graphs=, chains= or candidates=",
    )


def default_n_graphs(d: int, memory: int) -> int:
    """As many graphs as have room, within reason."""
    return max(FEWEST_GRAPHS, min(N_GRAPHS, memory // (SHARE_OF_MEMORY * d * d)))


def learn_gadget(problem: Problem, search: Effort, settings: GadgetSettings) -> Solution:
    """Refine candidates with sampled orders, then sample partitions and DAGs."""
    effort = settings.effort
    if problem.deadline.left < math.inf:
        learn_gadget(rehearsal(problem.workers), Effort.shortest(), GadgetSettings(GadgetEffort(2, 2, 20), 8))
    parents = refined_parents(problem, search, TABLES_TIME)
    orders = _starts(problem, parents, replace(search, runs=effort.runs), effort.chains)
    terrain = whole_terrain(parents.families, problem.workers)
    seed = problem.seed.spawn(1)[0]
    sampling = problem.deadline.share(1.0 - AFTERWARDS)
    sample = sample_dags(terrain, orders, settings.n_graphs, effort, seed, problem.workers, sampling)
    adjacency = adjacency_of(parents.families, sample.parent_sets)
    diagnostics = diagnose(sample.partitions, adjacency)
    model = SampledGraphs(
        problem.variables,
        problem.local,
        [family.candidates for family in parents.families],
        [family.strangers for family in parents.families],
        adjacency,
        sample.log_scores + sum(family.log_scale for family in parents.families),
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
        "runs": effort.runs,
        "chains": effort.chains,
        "iterations": sample.iterations,
        "acceptance": sample.acceptance,
        "swap_rates": sample.swaps,
        "diagnostics": diagnostics.as_dict(),
        **({} if left_out is None else {"lost_share": left_out.share}),
        **problem.time_report(shortened | _asked(left_out, problem.d)),
    }
    return Solution(model, report, () if diagnostics.warning is None else (diagnostics.warning,))


def _starts(problem: Problem, parents: Parents, search: Effort, chains: int) -> np.ndarray:
    """Good orders to begin with (runs, chains, d): where a short search over orders ends."""
    landscape = landscape_of_all(LeafTables.of(parents.families, problem.workers))
    known = parents.starts
    if known is not None and len(known) != search.runs:
        known = known[np.arange(search.runs) % len(known)]
    short = replace(search, burn_in=max(1, search.burn_in // 4))
    ensemble = Ensemble.started(landscape, short, problem.seed.spawn(1)[0], problem.workers, known)
    ensemble.burn_in("starts", problem.deadline.share(STARTS))
    return ensemble.ends[:, np.arange(chains) % search.temperatures]


def _left_out(problem: Problem, parents: Parents, sample: DagSample) -> LostShare | None:
    """Share of the mass that the families lack, along orders of the layers of sampled DAGs."""
    if not problem.leaves_out(parents.families):
        return None
    levels = sample.partitions.all_states
    chosen = levels[np.linspace(0, len(levels) - 1, min(len(levels), ORDERS_ASKED)).round().astype(np.int64)]
    return problem.lost_share(parents.families, np.argsort(chosen, axis=1, kind="stable"))


def _asked(left_out: LostShare | None, d: int) -> dict[str, list[int]]:
    """Variables of which it is known what they lack, if not of all."""
    return {} if left_out is None else less_than_usual(lost_share_variables=(left_out.variables, d))
