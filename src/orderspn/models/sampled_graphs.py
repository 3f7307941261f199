"""Graphs of a sample: every answer is a share of sampled graphs, with a Monte Carlo standard error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import networkx as nx
import numpy as np

from orderspn.core.errors import ImpossibleEvidence, Unavailable
from orderspn.core.randomness import RandomState, spawn_generators
from orderspn.core.workers import Workers
from orderspn.lattice.extent import Coverage, Size
from orderspn.leaves.family import tie_tolerance
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import find_contradiction
from orderspn.queries.graph_effects import effects_of, expected_coefficients, mean_effects
from orderspn.queries.monte_carlo import conditional_standard_errors, standard_errors
from orderspn.queries.most_probable import BestGraph, MostProbableGraph, graph_as_event
from orderspn.queries.sampling import GraphSamples, orders_of_graphs
from orderspn.scores.local import LocalScore
from orderspn.search.ensemble import LEAST_LOOKS


@dataclass(frozen=True, eq=False)
class SampledGraphs:
    """Graphs drawn by Markov chains.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    candidates, outsiders : sequence of numpy.ndarray
        Which variables may be parents, of each variable.
    adjacency : numpy.ndarray
        Shape (runs * looks, d, d), bool, [cause, effect], run by run.
    log_scores : numpy.ndarray
        Shape (runs * looks,): log of prior times likelihood.
    n_runs : int
        Independent chains, all of the same length.
    workers : Workers
    chosen : numpy.ndarray
        Shape (runs * looks,), bool: the graphs that satisfy the evidence.
    """

    variables: tuple[str, ...]
    score: LocalScore
    candidates: Sequence[np.ndarray]
    outsiders: Sequence[np.ndarray]
    adjacency: np.ndarray
    log_scores: np.ndarray
    n_runs: int
    workers: Workers
    chosen: np.ndarray

    @property
    def log_evidence(self) -> float:
        """A sample does not know it."""
        raise Unavailable(
            "a sample of graphs does not say how large the evidence is; learn with method='exact' or 'trust'."
        )

    def given(self, evidence: Edges, added: Edges) -> SampledGraphs:
        """Keep the graphs that satisfy the evidence."""
        contradiction = find_contradiction(evidence)
        if contradiction is not None:
            raise ImpossibleEvidence(f"cannot condition on {str(evidence)!r}: {contradiction}.")
        chosen = self.chosen & self._satisfying(added)
        if not chosen.any():
            raise ImpossibleEvidence(
                f"cannot condition on {str(evidence)!r}: none of the {len(self.adjacency):,} sampled graphs satisfies "
                "it, which does not mean that none could. Learn with larger n_graphs=, or with method='trust' or "
                "'exact', which need no samples to answer."
            )
        return replace(self, chosen=chosen)

    def log_probability(self, evidence: Edges, event: Edges) -> float:  # noqa: ARG002
        """Log of the share of graphs that satisfy an event."""
        share = float(self._satisfying(event)[self.chosen].mean())
        return math.log(share) if share > 0.0 else -math.inf

    def standard_error(self, event: Edges) -> float:
        """Monte Carlo standard error of the share of graphs that satisfy an event."""
        return float(self._standard_errors(self._satisfying(event)[:, None])[0])

    def edge_standard_errors(self) -> np.ndarray:
        """Monte Carlo standard errors of the edge frequencies (d, d), [cause, effect]; NaN where all graphs agree."""
        d = len(self.variables)
        return self._standard_errors(self.adjacency.reshape(-1, d * d)).reshape(d, d)

    def edge_matrix(self) -> np.ndarray:
        """Edge frequencies (d, d), [cause, effect]."""
        matrix: np.ndarray = self._graphs.mean(axis=0)
        return matrix

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Parent sets that were sampled and their frequencies, most frequent first."""
        sets, counts = np.unique(self._graphs[:, :, child], axis=0, return_counts=True)
        best_first = np.argsort(-counts, kind="stable")[:top]
        named = [tuple(self.variables[v] for v in np.flatnonzero(row)) for row in sets[best_first]]
        return named, counts[best_first] / counts.sum()

    def most_probable_graph(self) -> MostProbableGraph:
        """The sampled graph with the highest score, among equals by names; its probability is its frequency."""
        log_scores = np.where(self.chosen, self.log_scores, -np.inf)
        best = self._first_of(np.flatnonzero(log_scores >= log_scores.max() - tie_tolerance(log_scores.max())))
        frequency = (self._graphs == self.adjacency[best]).all(axis=(1, 2)).mean()
        graph: nx.DiGraph[str] = GraphSamples(list(self.variables), self.adjacency[[best]], np.empty((1, 0)))[0]
        order = [self.variables[v] for v in orders_of_graphs(self.adjacency[[best]])[0]]
        edges = graph_as_event(graph, self.variables)
        return MostProbableGraph(graph, order, math.log(frequency), float(log_scores[best]), edges)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RandomState) -> BestGraph:  # noqa: ARG002
        """The best of the sampled graphs."""
        best = (self.given(evidence & added, added) if added else self).most_probable_graph()
        return BestGraph(best.graph, best.order, best.log_score, best.edges)

    def sample(self, n: int, rng: RandomState) -> GraphSamples:
        """Draw from the sampled graphs, with repetition."""
        adjacency = self._graphs[spawn_generators(rng, 1)[0].integers(0, len(self._graphs), n)]
        return GraphSamples(list(self.variables), adjacency, orders_of_graphs(adjacency))

    def sample_dags(self, n: int, rng: RandomState) -> GraphSamples:
        """Every graph counts once as it is."""
        return self.sample(n, rng)

    def effects(self) -> np.ndarray:
        """Mean total effects over the sampled graphs, given each of which the expectation is exact."""
        graphs = self._graphs
        return mean_effects(graphs, np.full(len(graphs), 1.0 / len(graphs)), self.score, self.workers)[0]

    def estimate_effects(self, n: int, rng: RandomState) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002
        """Mean total effects over `n` graphs at most, evenly spaced, and Monte Carlo standard errors."""
        graphs, n_runs = self._evenly(n)
        effects = effects_of(expected_coefficients(graphs, self.score, self.workers))
        by_run = effects.reshape(n_runs, -1, *effects.shape[1:])
        unknown = np.full(effects.shape[1:], np.nan)
        return effects.mean(axis=0), standard_errors(by_run) if by_run.shape[1] >= LEAST_LOOKS else unknown

    def precedence(self) -> np.ndarray:
        """A sampled graph has no order."""
        raise Unavailable(
            "precedence is a question about orders, which a sample of graphs does not have; learn with method='exact' "
            "or 'trust'."
        )

    def entropy(self) -> float:
        """A sample does not know it."""
        raise Unavailable("a sample of graphs does not say what its entropy is; learn with method='exact' or 'trust'.")

    def size(self) -> Size:
        """There is no circuit."""
        raise Unavailable("size describes circuits over orders; this posterior is a sample of graphs.")

    def coverage(self, n_orders: int, rng: RandomState) -> Coverage:  # noqa: ARG002
        """A sample does not know it."""
        raise Unavailable("a sample of graphs does not say how much it covers; learn with method='exact' or 'trust'.")

    @property
    def _graphs(self) -> np.ndarray:
        return self.adjacency if self.chosen.all() else self.adjacency[self.chosen]

    @property
    def n_graphs(self) -> int:
        """How many sampled graphs satisfy the evidence."""
        return int(self.chosen.sum())

    def _standard_errors(self, events: np.ndarray) -> np.ndarray:
        """Of the shares of graphs with events (graphs, n), shape (n,)."""
        by_run = events.reshape(self.n_runs, -1, events.shape[1])
        return conditional_standard_errors(by_run, self.chosen.reshape(self.n_runs, -1))

    def _satisfying(self, edges: Edges) -> np.ndarray:
        """Which graphs satisfy edges, shape (runs * looks,), bool."""
        index = {name: v for v, name in enumerate(self.variables)}
        holds = np.ones(len(self.adjacency), dtype=bool)
        for cause, effect in edges.present:
            holds &= self.adjacency[:, index[cause], index[effect]]
        for cause, effect in edges.absent:
            holds &= ~self.adjacency[:, index[cause], index[effect]]
        return holds

    def _first_of(self, tied: np.ndarray) -> int:
        """Of graphs that score alike the one with fewest edges, then the first by the names of its edges."""
        by_name = np.argsort(np.array(self.variables, dtype=object))
        graphs, first = np.unique(self.adjacency[tied][:, by_name][:, :, by_name], axis=0, return_index=True)
        edges = graphs.sum(axis=(1, 2))
        # Rows come sorted, absent before present: among equally many edges the last has the first names.
        fewest = np.flatnonzero(edges == edges.min())
        return int(tied[first[fewest[-1]]])

    def _evenly(self, n: int) -> tuple[np.ndarray, int]:
        """At most `n` graphs, as many of each run; those of a condition count as one run, for theirs differ."""
        n_runs = self.n_runs if self.chosen.all() else 1
        graphs = self._graphs.reshape(n_runs, -1, *self.adjacency.shape[1:])
        looks = graphs.shape[1]
        places = np.linspace(0, looks - 1, min(looks, max(1, n // n_runs))).round().astype(np.int64)
        return graphs[:, places].reshape(-1, *self.adjacency.shape[1:]), n_runs
