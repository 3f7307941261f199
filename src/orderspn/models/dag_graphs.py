"""Graphs of the exact structure-modular posterior: every DAG counts once, whatever the number of its orders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from orderspn.core.errors import ImpossibleEvidence, Unavailable
from orderspn.core.randomness import RandomState, spawn_generators
from orderspn.core.workers import Workers
from orderspn.dags.exact_dags import ExactDags
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.lattice.extent import Coverage, Size
from orderspn.leaves.family import Family
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import find_conflict, restrict
from orderspn.queries.graph_effects import mean_effects
from orderspn.queries.marginals import edge_matrix, entropy
from orderspn.queries.most_probable import BestGraph, MostProbableGraph, most_probable
from orderspn.queries.parent_sets import listed_parent_sets
from orderspn.queries.sampling import GraphSamples, orders_of_graphs
from orderspn.scores.local import LocalScore


@dataclass(frozen=True, eq=False)
class DagGraphs:
    """All DAGs, exactly.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    families : tuple of Family
        Parent sets of each variable, those that evidence leaves.
    workers : Workers
    """

    variables: tuple[str, ...]
    score: LocalScore
    families: tuple[Family, ...]
    workers: Workers
    dags: ExactDags = field(init=False)
    log_scale: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dags", ExactDags(self.families, self.workers))
        object.__setattr__(self, "log_scale", sum(family.log_scale for family in self.families))

    @property
    def candidates(self) -> list[np.ndarray]:
        """Variables that may be parents in any combination, of each variable."""
        return [family.candidates for family in self.families]

    @property
    def outsiders(self) -> list[np.ndarray]:
        """Variables that may be parents besides them, one or two at a time."""
        return [np.unique(family.outsiders[family.outsiders >= 0]) for family in self.families]

    @property
    def log_evidence(self) -> float:
        """Log of the summed scores of all DAGs."""
        return self.dags.log_mass + self.log_scale

    def given(self, evidence: Edges, added: Edges) -> DagGraphs:
        """The same under evidence, of which `added` is new."""
        conflict = find_conflict(evidence, self.families, self.variables)
        if conflict is not None:
            raise ImpossibleEvidence(f"cannot condition on {str(evidence)!r}: {conflict}.")
        model = self._with(restrict(self.families, added, self.variables))
        if model.log_evidence == -math.inf:
            raise ImpossibleEvidence(
                f"cannot condition on {str(evidence)!r}: no graph of the posterior satisfies it "
                f"(at most {self.score.max_parents} parents per variable, from its candidates)."
            )
        return model

    def log_probability(self, evidence: Edges, event: Edges) -> float:
        """Log probability of an event."""
        if find_conflict(evidence & event, self.families, self.variables) is not None:
            return -math.inf
        joint = self._with(restrict(self.families, event, self.variables))
        return min(0.0, joint.dags.log_mass - self.dags.log_mass)

    def standard_error(self, event: Edges) -> float:  # noqa: ARG002
        """No sampling is involved."""
        return 0.0

    def edge_matrix(self) -> np.ndarray:
        """Edge probabilities (d, d), [cause, effect]."""
        return edge_matrix(self.families, self.parent_set_probabilities)

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Parent sets and their probabilities, most probable first."""
        return listed_parent_sets(self.families[child], self.parent_set_probabilities[child], top, self.variables)

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

    @cached_property
    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Of every variable, in the numbering of its family."""
        return self.dags.parent_set_probabilities()

    def _with(self, families: Sequence[Family]) -> DagGraphs:
        return DagGraphs(self.variables, self.score, tuple(families), self.workers)
