"""What a distribution over graphs must answer; the posterior adds names, frames and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np

from orderspn.core.randomness import RandomState
from orderspn.core.workers import Workers
from orderspn.lattice.extent import Coverage, Size
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph, MostProbableGraph
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.local import LocalScore


class GraphModel(Protocol):
    """A distribution over the graphs of named variables."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names, by index."""

    @property
    def score(self) -> LocalScore:
        """Local scores of parent sets."""

    @property
    def workers(self) -> Workers:
        """Threads to use."""

    @property
    def candidates(self) -> Sequence[np.ndarray]:
        """Variables that may be parents in any combination, of each variable."""

    @property
    def outsiders(self) -> Sequence[np.ndarray]:
        """Variables that may be parents besides them, one or two at a time."""

    @property
    def log_evidence(self) -> float:
        """Log of the summed scores of everything covered."""

    def check_event(self, edges: Edges) -> None:
        """Raise an `Unavailable` error for an event, or evidence, that this distribution says nothing about."""

    def given(self, evidence: Edges, added: Edges) -> Self:
        """The same under evidence, of which `added` is new; an `ImpossibleEvidence` error says why it cannot be."""

    def log_probability(self, evidence: Edges, event: Edges) -> float:
        """Log probability of an event; `evidence` is what the model is given already."""

    def standard_error(self, event: Edges) -> float:
        """Monte Carlo standard error of the probability of an event."""

    def edge_standard_errors(self) -> np.ndarray:
        """Monte Carlo standard errors of the edge probabilities (d, d)."""

    def edge_matrix(self) -> np.ndarray:
        """Edge probabilities (d, d), [cause, effect]."""

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Parent sets of positive probability and their probabilities, most probable first."""

    def most_probable_graph(self) -> MostProbableGraph:
        """The graph with the highest score."""

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RandomState) -> BestGraph:
        """The best graph that a search finds, under evidence of which `added` is new."""

    def sample(self, n: int, rng: RandomState) -> GraphSamples:
        """Draw graphs."""

    def sample_dags(self, n: int, rng: RandomState) -> GraphSamples:
        """Draw graphs that count once each, by weights where they are drawn otherwise."""

    def effects(self) -> np.ndarray:
        """Mean total effects (d, d), 1 on the diagonal."""

    def estimate_effects(self, n: int, rng: RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Mean total effects and their Monte Carlo standard errors, each (d, d)."""

    def precedence(self) -> np.ndarray:
        """Probability that one variable comes before another (d, d)."""

    def entropy(self) -> float:
        """Entropy in nats."""

    def size(self) -> Size:
        """Nodes, edges and number of orders."""

    def coverage(self, n_orders: int, rng: RandomState) -> Coverage:
        """How much of the mass is covered."""


def is_posterior(value: Any) -> bool:
    """Whether something answers as a posterior does: it has edge probabilities, and graphs can be drawn from it."""
    return callable(getattr(value, "edge_probabilities", None)) and callable(getattr(value, "sample", None))
