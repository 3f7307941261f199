"""A list of graphs with weights: every answer is a weighted share of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import networkx as nx
import numpy as np

from orderspn.core.errors import ImpossibleEvidence
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.core.workers import Workers
from orderspn.leaves.family import tie_tolerance
from orderspn.models.protocol import Lines, Target
from orderspn.queries.edges import Edges
from orderspn.queries.effects import mean_effects
from orderspn.queries.evidence import find_contradiction, satisfying
from orderspn.queries.most_probable import BestGraph, MostProbableGraph, graph_as_event
from orderspn.queries.sampling import GraphSamples, distinct_graphs, orders_of_graphs
from orderspn.scores.local import LocalScore


@dataclass(frozen=True, eq=False, repr=False)
class ListedGraphs:
    """A list of graphs from a posterior; subclasses define where it comes from.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    candidates, outsiders : sequence of numpy.ndarray
        The variables that may be parents of each variable.
    adjacency : numpy.ndarray
        Shape (m, d, d), bool, [cause, effect].
    log_scores : numpy.ndarray
        Shape (m,): log of prior times likelihood.
    weights : numpy.ndarray
        Shape (m,): weights of the graphs, with sum 1.
    workers : Workers
    chosen : numpy.ndarray
        Shape (m,), bool: the graphs that satisfy the evidence.
    """

    kind: ClassVar[str]
    target: ClassVar[Target] = "dag"
    nature: ClassVar[str]
    tests_neighbours: ClassVar[bool] = True
    tests_ancestors: ClassVar[bool] = True

    variables: tuple[str, ...]
    score: LocalScore
    candidates: Sequence[np.ndarray]
    outsiders: Sequence[np.ndarray]
    adjacency: np.ndarray
    log_scores: np.ndarray
    weights: np.ndarray
    workers: Workers
    chosen: np.ndarray

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n_graphs:,} graphs of {len(self.variables)} variables>"

    def given(self, evidence: Edges, added: Edges) -> Self:
        """Keep the graphs that satisfy the evidence."""
        contradiction = find_contradiction(evidence)
        if contradiction is not None:
            raise ImpossibleEvidence(f"cannot condition on {str(evidence)!r}: {contradiction}.")
        chosen = self.chosen & self._satisfying(added)
        if not self.weights[chosen].any():
            raise ImpossibleEvidence(
                f"cannot condition on {str(evidence)!r}: none of the {len(self.adjacency):,} sampled graphs satisfies "
                "it, although other graphs may. Learn with larger n_graphs=, or with method='trust' or "
                "'exact', which do not rely on samples."
            )
        return replace(self, chosen=chosen)

    def log_probability(self, evidence: Edges, event: Edges) -> float:  # noqa: ARG002
        """Return the log of the share of graphs that satisfy an event."""
        share = float(self._share(self._satisfying(event)[self.chosen]))
        return math.log(share) if share > 0.0 else -math.inf

    def edge_matrix(self) -> np.ndarray:
        """Return the shares of graphs with each edge (d, d), [cause, effect]."""
        return self._share(self._graphs)

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Return the parent sets in the list and their shares, the largest first."""
        sets, which = np.unique(self._graphs[:, :, child], axis=0, return_inverse=True)
        shares = np.bincount(which.ravel(), self._shares)
        best_first = np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)][:top]
        named = [tuple(self.variables[v] for v in np.flatnonzero(row)) for row in sets[best_first]]
        return named, shares[best_first]

    def most_probable_graph(self) -> MostProbableGraph:
        """Return the graph with the highest score, ties broken by names, and its share."""
        log_scores = np.where(self.chosen, self.log_scores, -np.inf)
        tied = log_scores >= log_scores.max() - tie_tolerance(log_scores.max())
        best = self._first_of(np.flatnonzero(self.chosen & tied))
        share = float(self._share((self._graphs == self.adjacency[best]).all(axis=(1, 2))))
        graph: nx.DiGraph[str] = GraphSamples(list(self.variables), self.adjacency[[best]], np.empty((1, 0)))[0]
        order = [self.variables[v] for v in orders_of_graphs(self.adjacency[[best]])[0]]
        edges = graph_as_event(graph, self.variables)
        log_share = math.log(share) if share > 0.0 else -math.inf
        return MostProbableGraph(graph, order, log_share, float(log_scores[best]), edges)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:  # noqa: ARG002
        """Return the best graph of the list."""
        best = (self.given(evidence & added, added) if added else self).most_probable_graph()
        return BestGraph(best.graph, best.order, best.log_score, best.edges)

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw from the list with replacement."""
        generator = spawn_generators(rng, 1)[0]
        graphs = self._graphs
        drawn = (
            generator.integers(0, len(graphs), n)
            if self._alike
            else generator.choice(len(graphs), size=n, p=self._shares)
        )
        return GraphSamples(list(self.variables), graphs[drawn], orders_of_graphs(graphs[drawn]))

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw DAGs; no weights are needed, because every graph counts once."""
        return self.sample(n, rng)

    def effects(self) -> np.ndarray:
        """Return mean total effects over the graphs; the expectation given each graph is exact."""
        return mean_effects(self._graphs, self._shares, self.score, self.workers)[0]

    @property
    def n_graphs(self) -> int:
        """Number of graphs that satisfy the evidence."""
        return int(self.chosen.sum())

    @property
    def n_distinct(self) -> int:
        """Number of different graphs that satisfy the evidence."""
        return len(distinct_graphs(self._graphs)[0])

    @property
    def outsider_rows(self) -> list[np.ndarray]:
        """Outsiders of each variable, as rows of one."""
        return [others[:, None] for others in self.outsiders]

    def weighted_graphs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return graphs (n, d, d) and weights (n,) with sum 1, under the evidence."""
        weights = self.weights[self.chosen]
        return self.adjacency[self.chosen], weights / weights.sum()

    def lines(self) -> Lines:
        """Return the number of graphs, and of those that satisfy the evidence."""
        left = "" if self.chosen.all() else f", {self.n_graphs:,} of which satisfy the evidence"
        return [("graphs", f"{len(self.chosen):,}{left}")]

    @property
    def _graphs(self) -> np.ndarray:
        return self.adjacency if self.chosen.all() else self.adjacency[self.chosen]

    @property
    def _alike(self) -> bool:
        """Whether all graphs have the same weight."""
        return bool((self.weights == self.weights[0]).all())

    @property
    def _shares(self) -> np.ndarray:
        """Weights of the graphs that satisfy the evidence, with sum 1."""
        own = self.weights[self.chosen]
        shares: np.ndarray = np.full(own.size, 1.0 / own.size) if self._alike else own / own.sum()
        return shares

    def _share(self, holds: np.ndarray) -> np.ndarray:
        """Return the weighted share of True over the first axis, the graphs that satisfy the evidence; shape (...)."""
        if self._alike:
            return np.asarray(holds.mean(axis=0))
        # Sums of weights may exceed 1 by rounding; probabilities may not.
        return np.asarray(np.minimum(np.tensordot(self._shares, holds, axes=1), 1.0))

    def _satisfying(self, edges: Edges) -> np.ndarray:
        """Return which graphs satisfy edges, shape (m,), bool."""
        return satisfying(self.adjacency, edges, self.variables)

    def _first_of(self, tied: np.ndarray) -> int:
        """Return, of graphs with equal scores, the one with fewest edges, then the first by the names of its edges."""
        by_name = np.argsort(np.array(self.variables, dtype=object))
        graphs, first = np.unique(self.adjacency[tied][:, by_name][:, :, by_name], axis=0, return_index=True)
        edges = graphs.sum(axis=(1, 2))
        # Rows are sorted, absent before present: of graphs with as many edges the last has the first names.
        fewest = np.flatnonzero(edges == edges.min())
        return int(tied[first[fewest[-1]]])
