"""Graphs of the exact structure-modular posterior: every DAG counts once, however many orders it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.core.stored_arrays import StoredArrays
from orderspn.core.workers import Workers
from orderspn.dags.context_dags import ContextDags, dags_of
from orderspn.dags.exact_dags import ExactDags
from orderspn.lattice.coverage import Coverage
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.models.family_graphs import FamilyGraphs, log_scores_of, most_probable_given
from orderspn.models.memory import exact_dag_bytes
from orderspn.models.parts import Parts
from orderspn.models.protocol import Lines, Target
from orderspn.queries.edges import Edges
from orderspn.queries.effects import mean_effects
from orderspn.queries.marginals import entropy
from orderspn.queries.most_probable import BestGraph, MostProbableGraph, most_probable
from orderspn.queries.sampling import GraphSamples, orders_of_graphs
from orderspn.scores.local import LocalScore


@dataclass(frozen=True, eq=False, repr=False)
class DagGraphs(FamilyGraphs):
    """All DAGs, exactly.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    families : tuple of Family
        Parent sets of each variable, under the evidence.
    workers : Workers
    learned : tuple of Family
        The same families before any evidence; by default `families`.
    """

    kind: ClassVar[str] = "dags"
    target: ClassVar[Target] = "dag"
    nature: ClassVar[str] = "counts every graph once (target='dag') and has no orders"
    stored: ClassVar[StoredArrays] = {}

    variables: tuple[str, ...]
    score: LocalScore
    families: tuple[Family, ...]
    workers: Workers
    learned: tuple[Family, ...] = ()

    def __post_init__(self) -> None:
        if not self.learned:
            object.__setattr__(self, "learned", self.families)

    @cached_property
    def dags(self) -> ExactDags | ContextDags:
        """The sums over DAGs."""
        return dags_of(self.families, self.workers)

    @property
    def log_mass(self) -> float:
        """Log of the summed scores of all DAGs, less the scales of the families."""
        return self.dags.log_mass

    @cached_property
    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Probabilities of the parent sets of every variable, in the numbering of its family."""
        return self.dags.parent_set_probabilities()

    def with_families(self, families: Sequence[Family]) -> DagGraphs:
        """Return the same model with other families, as evidence changes them."""
        return replace(self, families=tuple(families))

    def most_probable_graph(self) -> MostProbableGraph:
        """Return the DAG with the highest score and its probability."""
        best = most_probable(ExactOrders.over_all(self.families, self.workers), self.families, self.variables)
        log_probability = best.log_score - self.log_evidence
        return MostProbableGraph(best.graph, best.order, log_probability, best.log_score, best.edges)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:  # noqa: ARG002
        """Return the most probable graph, which needs no search."""
        return most_probable_given(self, evidence, added)

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw DAGs, each with one of its orders."""
        adjacency = self.dags.sample(n, spawn_generators(rng, 1)[0])
        return GraphSamples(list(self.variables), adjacency, orders_of_graphs(adjacency))

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw DAGs; no weights are needed, because every graph counts once."""
        return self.sample(n, rng)

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects over sampled DAGs and their standard errors, each (d, d)."""
        adjacency = self.dags.sample(n, spawn_generators(rng, 1)[0])
        return mean_effects(adjacency, np.full(n, 1.0 / n), self.score, self.workers)

    def entropy(self) -> float:
        """Return the entropy over DAGs."""
        return entropy(self.dags.log_mass, self.families, self.parent_set_probabilities)

    def coverage(self, n_orders: int, rng: RNGLike) -> Coverage:  # noqa: ARG002
        """Return full coverage: all DAGs are covered."""
        return Coverage(self.log_evidence, self.log_evidence, 1.0, 0.0, "exact")

    def log_weights_of(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log score of each DAG (n, d, d), which is its weight."""
        return log_scores_of(graphs, self.families)

    def lines(self) -> Lines:
        """Return the lines of a summary about the model."""
        return [("covered", "all graphs")]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return no arrays: the model follows from scores and candidates."""
        return {}

    @classmethod
    def restore(cls, parts: Parts) -> DagGraphs:
        """Rebuild the model: sum over all DAGs."""
        families, workers = parts.families(lambda n_jobs: exact_dag_bytes(parts.sizes, n_jobs))
        return cls(parts.variables, parts.score, families, workers)
