"""DiBS: graphs of particles that are moved together to where the posterior is, by variational inference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.core.arguments import check_choice, check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.jax import require_jax
from orderspn.core.randomness import seed_for
from orderspn.dibs.graphs import acyclic_graphs, log_scores, score_weights, trimmed_graphs
from orderspn.dibs.particles import DibsSettings, run
from orderspn.dibs.problem import problem_of, tables_of
from orderspn.leaves.family import Family
from orderspn.methods.memory import Demand, dibs_bytes
from orderspn.methods.parents import refined_parents
from orderspn.methods.problem import ORDERS_ASKED, Problem, Solution
from orderspn.models.particle_graphs import ParticleGraphs
from orderspn.parents.plan import ParentPlan
from orderspn.parents.sizes import FamilySizes
from orderspn.queries.sampling import orders_of_graphs
from orderspn.search.ensemble import Effort

WEIGHTS = ("uniform", "score")
"""Every particle alike, or every distinct graph in proportion to its score (DiBS+)."""


@dataclass(frozen=True)
class ParticleSettings:
    """How particles are to be moved and weighed, checked."""

    dibs: DibsSettings
    weights: str

    @classmethod
    def checked(cls, n_graphs: int | None, weights: str | None, factor: float) -> ParticleSettings:
        """Check arguments and fill in defaults."""
        particles = DibsSettings.particles if n_graphs is None else check_integer("n_graphs", n_graphs, 1)
        # More steps cool more slowly to the same end; fewer stop earlier, as a shorter run of the authors would.
        growth = 1.0 / max(1.0, factor)
        return cls(
            DibsSettings(particles, max(1, round(factor * DibsSettings.steps)), alpha=growth, beta=growth),
            "uniform" if weights is None else check_choice("weights", weights, WEIGHTS),
        )


def check_dibs(plan: ParentPlan) -> None:
    """Refuse what DiBS cannot do, before any work."""
    require_jax("method='dibs'")
    if plan.at_once:
        raise InvalidValue(
            f"method='dibs' has no parents from outside the candidates; got outsiders={plan.at_once}. Leave it out, or "
            "use method='gadget'."
        )


def dibs_demand(settings: ParticleSettings, sizes: FamilySizes, n_jobs: int) -> Demand:
    """Memory of particles and families."""
    return Demand(
        dibs_bytes(sizes, settings.dibs, n_jobs),
        f"{settings.dibs.particles:,} particles of {sizes.d} variables, and the parent sets of "
        f"{max(sizes.candidates, default=0)} candidates each, take",
        "Lower n_graphs= or candidates=",
    )


def learn_dibs(problem: Problem, search: Effort, settings: ParticleSettings) -> Solution:
    """Refine candidates where not all others are, then move particles and take their graphs."""
    parents = refined_parents(problem, search, 1.0)
    families = parents.families
    whole = problem_of(tables_of(families), np.empty(0, dtype=np.int64), np.arange(problem.d))
    steps = problem.workers.steps("particles", settings.dibs.steps)
    logits = run(whole, settings.dibs, seed_for(problem.seed, "particles"), steps.advance).logits
    graphs, cyclic = acyclic_graphs(logits, whole.block.targets)
    untrimmed, graphs = graphs, trimmed_graphs(graphs, logits, whole)
    scores = log_scores(graphs, whole)
    possible = scores > -np.inf
    if not possible.any():
        raise InvalidValue(
            f"none of the {len(graphs)} particles ended with a graph that prior=, max_parents= and knowledge= allow. "
            "Raise effort= for more steps, or use method='gadget'."
        )
    graphs, scores = graphs[possible], scores[possible]
    uniform = np.full(len(graphs), 1.0 / len(graphs))
    model = ParticleGraphs(
        problem.variables,
        problem.local,
        [family.candidates for family in families],
        [family.strangers for family in families],
        graphs,
        scores + sum(family.log_scale for family in families),
        uniform if settings.weights == "uniform" else score_weights(graphs, scores),
        problem.workers,
        np.ones(len(graphs), dtype=bool),
    )
    report = {
        "refinements": parents.rounds,
        "n_graphs": len(graphs),
        "distinct_graphs": model.n_distinct,
        "cyclic_particles": int(cyclic.sum()),
        "trimmed_particles": int((graphs != untrimmed[possible]).any(axis=(1, 2)).sum()),
        "impossible_particles": int((~possible).sum()),
        "steps": settings.dibs.steps,
        "weights": settings.weights,
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


def _left_out(problem: Problem, families: Sequence[Family], graphs: np.ndarray) -> dict[str, float]:
    """Share of the mass that the families lack, along orders of the graphs."""
    if not problem.leaves_out(families):
        return {}
    return {"lost_share": problem.lost_share(families, orders_of_graphs(graphs[:ORDERS_ASKED])).share}
