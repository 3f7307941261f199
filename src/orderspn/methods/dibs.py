"""DiBS: graphs of particles that are moved by variational inference to approximate the posterior."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from orderspn.core.arguments import check_choice, check_integer
from orderspn.core.checked_json import Count, Positive
from orderspn.core.errors import InvalidValue
from orderspn.core.jax import require_jax
from orderspn.core.randomness import seed_for
from orderspn.dibs.graphs import acyclic_graphs, log_scores, score_weights, trimmed_graphs
from orderspn.dibs.particles import DibsSettings, particle_bytes, run
from orderspn.dibs.problem import problem_of, tables_of
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.methods.memory import Demand, sampler_bytes
from orderspn.methods.method import SearchingMethod
from orderspn.methods.parents import refined_parents
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.methods.report import Report
from orderspn.models.memory import with_slack
from orderspn.models.particle_graphs import ParticleGraphs
from orderspn.models.protocol import Lines
from orderspn.parents.sizes import FamilySizes
from orderspn.queries.sampling import orders_of_graphs
from orderspn.search.ensemble import Effort

WEIGHTS = ("uniform", "score")
"""Equal weights of particles, or weights of distinct graphs in proportion to their scores (DiBS+)."""


class DiBSReport(Report):
    """The settings of a posterior by `DiBS`."""

    models = (ParticleGraphs.kind,)

    target: Literal["dag"]
    n_graphs: Count
    distinct_graphs: Count
    cyclic_particles: Count
    trimmed_particles: Count
    impossible_particles: Count
    steps: Count
    effort: Positive
    n_particles: Count
    weights: Literal["uniform", "score"]

    def lines(self) -> Lines:
        """Return the number of steps, and what graphs the particles have."""
        counted = "equally" if self.weights == "uniform" else "by their scores"
        moved = f"{self.n_graphs:,} in {self.steps:,} steps, {self.cyclic_particles} with cycles (broken)"
        return [("particles", f"{moved}; {self.distinct_graphs:,} different graphs, weighted {counted}")]


@dataclass(frozen=True, kw_only=True, repr=False)
class DiBS(SearchingMethod):
    """Graphs of a few particles, moved by variational inference (needs the extra [jax]).

    Answers are shares of the particles' graphs. All parents come from the candidates: there are no outsiders.

    Parameters
    ----------
    n_particles : int, default 30
        Number of particles that are moved together.
    weights : {"uniform", "score"}, default "uniform"
        Equal weights of all particles, or weights of distinct graphs in proportion to their scores, called DiBS+.
    refine : int, optional
        Number of times that candidates are chosen again after a short search over orders (default 2, at most 1000).
    effort : float, default 1
        Number of steps, as a multiple of the default 3000. More steps anneal more slowly to the same final temperature.
    runs : int, default 4
        Independent searches over orders by which candidates are chosen.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> particles = osp.learn(data, method=osp.methods.DiBS(n_particles=10, effort=0.1))
    >>> particles.settings["steps"]
    300
    """

    name = "dibs"
    report = DiBSReport
    target = "dag"

    n_particles: int = DibsSettings.particles
    weights: str = "uniform"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_jax("method='dibs'")
        check_choice("weights", self.weights, WEIGHTS)
        self._keep(n_particles=check_integer("n_particles", self.n_particles, 1))

    def demand(self, sizes: FamilySizes, n_jobs: int) -> Demand:
        """Return the memory of particles and families."""
        return Demand(
            with_slack(sampler_bytes(sizes, n_jobs) + particle_bytes(self.descent, sizes.d)),
            f"{self.n_particles:,} particles of {sizes.d} variables, and the parent sets of "
            f"{max(sizes.candidates, default=0)} candidates each, take",
            "Lower n_particles= or candidates=",
        )

    @property
    def descent(self) -> DibsSettings:
        """Settings of the descent; fewer steps than the default stop earlier, as in the authors' code."""
        growth = 1.0 / max(1.0, self.effort)
        steps = max(1, round(self.effort * DibsSettings.steps))
        return DibsSettings(self.n_particles, steps, alpha=growth, beta=growth)

    def learn(self, problem: Problem) -> Solution:
        """Refine candidates unless they are all others, then move particles and take their graphs."""
        # `effort` is for the steps; candidates are refined with the default effort.
        search = replace(Effort.usual(problem.n_ordered), runs=self.runs)
        parents = refined_parents(problem, search, 1.0)
        families, descent = parents.families, self.descent
        whole = problem_of(tables_of(families), *root_block(families))
        stage = problem.workers.stage("particles")
        progress = problem.workers.steps("particles", descent.steps)
        logits = run(whole, descent, seed_for(problem.seed, "particles"), progress.advance).logits
        stage.done("%d moved %d steps", self.n_particles, descent.steps)
        graphs, cyclic = acyclic_graphs(logits, whole.block.targets)
        untrimmed, graphs = graphs, trimmed_graphs(graphs, logits, whole)
        scores = log_scores(graphs, whole)
        possible = scores > -np.inf
        if not possible.any():
            raise InvalidValue(
                f"none of the {len(graphs)} particles ended with a graph that prior=, max_parents= and knowledge= "
                "allow. Raise effort= for more steps, or use method='gadget'."
            )
        trimmed = int((graphs != untrimmed)[possible].any(axis=(1, 2)).sum())
        graphs, scores = _of_all_variables(graphs[possible], whole.block.targets), scores[possible]
        uniform = np.full(len(graphs), 1.0 / len(graphs))
        model = ParticleGraphs(
            *problem.listed(families, graphs, scores),
            uniform if self.weights == "uniform" else score_weights(graphs, scores),
            problem.workers,
            np.ones(len(graphs), dtype=bool),
        )
        report = {
            "refinements": parents.rounds,
            "n_graphs": len(graphs),
            "distinct_graphs": model.n_distinct,
            "cyclic_particles": int(cyclic.sum()),
            "trimmed_particles": trimmed,
            "impossible_particles": int((~possible).sum()),
            "steps": descent.steps,
            **_left_out(problem, families, graphs),
        }
        return Solution(model, report, tuple(_warnings(cyclic, ~possible)))


def _warnings(cyclic: np.ndarray, impossible: np.ndarray) -> Iterator[str]:
    if cyclic.any():
        yield (
            f"{int(cyclic.sum())} of {cyclic.size} particles ended with a cycle, which was broken at its least "
            "probable edges. Raise effort= for more steps."
        )
    if impossible.any():
        yield (
            f"{int(impossible.sum())} of {impossible.size} particles ended with a graph that prior=, max_parents= or "
            "knowledge= forbid, and were left out. Raise effort= for more steps."
        )


def _of_all_variables(graphs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return graphs (m, d, n) as (m, d, d): variables that are no targets have no causes."""
    if graphs.shape[1] == graphs.shape[2]:
        return graphs
    every = np.zeros((*graphs.shape[:2], graphs.shape[1]), dtype=bool)
    every[:, :, targets] = graphs
    return every


def _left_out(problem: Problem, families: Sequence[Family], graphs: np.ndarray) -> dict[str, float]:
    """Estimate the share of the mass that the families leave out, for orders of the graphs."""
    if not problem.leaves_out(families):
        return {}
    return {"lost_share": problem.lost_share(families, orders_of_graphs(graphs[:ORDERS_ASKED])).share}
