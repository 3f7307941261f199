"""Graphs of the exact structure-modular posterior: every DAG counts once, whatever the number of its orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.core.randomness import RandomState, spawn_generators
from orderspn.core.workers import Workers
from orderspn.dags.exact_dags import ExactDags
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.lattice.extent import Coverage, Size
from orderspn.leaves.family import Family
from orderspn.models.family_graphs import FamilyGraphs
from orderspn.queries.edges import Edges
from orderspn.queries.effects import mean_effects
from orderspn.queries.marginals import entropy
from orderspn.queries.most_probable import BestGraph, MostProbableGraph, most_probable
from orderspn.queries.sampling import GraphSamples, orders_of_graphs
from orderspn.scores.local import LocalScore


@dataclass(frozen=True, eq=False)
class DagGraphs(FamilyGraphs):
    """All DAGs, exactly.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    families : tuple of Family
        Parent sets of each variable, those that evidence leaves.
    workers : Workers
    learned : tuple of Family
        The same families before any evidence; by default `families`.
    """

    variables: tuple[str, ...]
    score: LocalScore
    families: tuple[Family, ...]
    workers: Workers
    learned: tuple[Family, ...] = ()

    def __post_init__(self) -> None:
        if not self.learned:
            object.__setattr__(self, "learned", self.families)

    @cached_property
    def dags(self) -> ExactDags:
        """The sums over DAGs."""
        return ExactDags(self.families, self.workers)

    @property
    def log_mass(self) -> float:
        """Log of the summed scores of all DAGs, less the scales of the families."""
        return self.dags.log_mass

    @cached_property
    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Of every variable, in the numbering of its family."""
        return self.dags.parent_set_probabilities()

    def with_families(self, families: Sequence[Family]) -> DagGraphs:
        """The same under evidence, that is with other families."""
        return replace(self, families=tuple(families))

    def check_event(self, edges: Edges) -> None:
        """A DAG counted once has no order."""
        if edges.before:
            raise Unavailable(
                f"{str(Edges(before=edges.before))!r} is about orders; this posterior counts every graph once "
                "(target='dag'), whatever its orders. Learn with target='order' (method 'exact' or 'trust')."
            )

    def most_probable_graph(self) -> MostProbableGraph:
        """The DAG with the highest score: that of the best order, and alone in its probability."""
        best = most_probable(ExactOrders.over_all(self.families, self.workers), self.families, self.variables)
        log_probability = best.log_score - self.log_evidence
        return MostProbableGraph(best.graph, best.order, log_probability, best.log_score, best.edges)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RandomState) -> BestGraph:  # noqa: ARG002
        """The most probable graph: nothing has to be searched for."""
        best = (self.given(evidence & added, added) if added else self).most_probable_graph()
        return BestGraph(best.graph, best.order, best.log_score, best.edges)

    def sample(self, n: int, rng: RandomState) -> GraphSamples:
        """Draw DAGs, each with one of its orders."""
        adjacency = self.dags.sample(n, spawn_generators(rng, 1)[0])
        return GraphSamples(list(self.variables), adjacency, orders_of_graphs(adjacency))

    def sample_dags(self, n: int, rng: RandomState) -> GraphSamples:
        """Every graph counts once as it is."""
        return self.sample(n, rng)

    def effects(self) -> np.ndarray:
        """No recursion over layers sums paths exactly."""
        raise Unavailable(
            "exact effects are averaged over orders; this posterior counts every graph once (target='dag'). Use "
            "estimate_effects(), which averages over sampled graphs, or learn with target='order'."
        )

    def estimate_effects(self, n: int, rng: RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Mean total effects over sampled DAGs and their standard errors, each (d, d)."""
        adjacency = self.dags.sample(n, spawn_generators(rng, 1)[0])
        return mean_effects(adjacency, np.full(n, 1.0 / n), self.score, self.workers)

    def precedence(self) -> np.ndarray:
        """A DAG counted once has no order."""
        raise Unavailable(
            "precedence is a question about orders; this posterior counts every graph once (target='dag'), whatever "
            "its orders. Learn with target='order'."
        )

    def entropy(self) -> float:
        """Entropy over DAGs."""
        return entropy(self.dags.log_mass, self.families, self.parent_set_probabilities)

    def size(self) -> Size:
        """There is no circuit."""
        raise Unavailable("size describes circuits over orders; this posterior sums over DAGs (target='dag').")

    def coverage(self, n_orders: int, rng: RandomState) -> Coverage:  # noqa: ARG002
        """All DAGs are covered."""
        return Coverage(self.log_evidence, self.log_evidence, 1.0, 0.0, "exact")
