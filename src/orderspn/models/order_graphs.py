"""Graphs of a distribution over orders: order-modular, so a graph counts once for each of its orders.

Everything is exact: sums over orders by the order model, sums over parent sets by the families.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.memory import readable_bytes
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.core.workers import Workers
from orderspn.lattice.coverage import Coverage, Size
from orderspn.lattice.predecessors import Predecessors
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.models.family_graphs import FamilyGraphs, log_scores_of
from orderspn.models.protocol import Target
from orderspn.queries.effects import effects_memory, estimate_effects
from orderspn.queries.marginals import entropy
from orderspn.queries.most_probable import MostProbableGraph, most_probable
from orderspn.queries.order_model import OrderModel
from orderspn.queries.sampling import GraphSamples, counted_once, sample_graphs
from orderspn.scores.local import LocalScore


@dataclass(frozen=True, eq=False, repr=False)
class OrderGraphs(FamilyGraphs):
    """Graphs given orders; subclasses define the orders.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    families : tuple of Family
        Parent sets of each variable, under the evidence.
    orders : OrderModel
    workers : Workers
    learned : tuple of Family
        The same families before any evidence, which may add candidates; by default `families`.
    """

    target: ClassVar[Target] = "order"

    variables: tuple[str, ...]
    score: LocalScore
    families: tuple[Family, ...]
    orders: OrderModel
    workers: Workers
    learned: tuple[Family, ...] = ()

    def __post_init__(self) -> None:
        if not self.learned:
            object.__setattr__(self, "learned", self.families)

    @property
    def kept_bytes(self) -> int:
        """Bytes that the model keeps between two queries, about; only needed where answers may take much more."""
        return 0

    @property
    def log_mass(self) -> float:
        """Log of the summed scores of all (order, graph) pairs covered, less the scales of the families."""
        return self.orders.log_mass

    @property
    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Probabilities of the parent sets of every variable, in the numbering of its family."""
        return self._visits.parent_sets

    def edge_matrix(self) -> np.ndarray:
        """Return edge probabilities (d, d), [cause, effect]."""
        return self._visits.edges.copy()

    def with_families(self, families: Sequence[Family]) -> Self:
        """Return the same model with other families, as evidence changes them."""
        return replace(self, families=tuple(families), orders=self.orders.with_families(families))

    def most_probable_graph(self) -> MostProbableGraph:
        """Return the graph of the best (order, graph) pair."""
        return most_probable(self.orders, self.families, self.variables)

    def sample(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw orders, then graphs."""
        return sample_graphs(self.orders, self.families, self.variables, n, rng, self.workers)

    def sample_dags(self, n: int, rng: RNGLike) -> GraphSamples:
        """Draw orders and graphs, with the inverse mass of the orders of each graph as its weight."""
        return counted_once(self.sample(n, rng), self.orders)

    def effects(self) -> np.ndarray:
        """Return mean total effects (d, d), 1 on the diagonal, if their tables fit the memory."""
        within_blocks = effects_memory(self.families, self.orders.largest_block, self.workers)
        needed = self.kept_bytes + self.orders.effect_bytes + within_blocks
        if needed > self.workers.memory:
            raise InvalidValue(
                f"exact effects need about {readable_bytes(needed)} with the expected weights of all parent sets; the "
                f"limit is {readable_bytes(self.workers.memory)}. Use estimate_effects(), learn with fewer "
                "candidates=, or raise memory_limit= (in bytes)."
            )
        effects: np.ndarray = np.eye(len(self.variables))
        effects[:, root_block(self.families)[1]] += self.orders.effects(self._mean_weights)
        return effects

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects over sampled orders and their standard errors, each (d, d)."""
        generator = spawn_generators(rng, 1)[0]
        return estimate_effects(self.orders, self.families, self._mean_weights, n, generator, self.workers)

    def log_weights_of(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log weight of each DAG (n, d, d): its score times the mass of its orders."""
        log_weights = log_scores_of(graphs, self.families)
        possible = np.flatnonzero(log_weights > -np.inf)
        if possible.size:
            log_weights[possible] += self.orders.log_order_masses(graphs[possible])
        return log_weights

    def precedence(self) -> np.ndarray:
        """Return the probability that one variable comes before another (d, d)."""
        return self._visits.precedence

    def entropy(self) -> float:
        """Return the entropy over (order, graph) pairs."""
        return entropy(self.orders.mean_log_excess(), self.families, self.parent_set_probabilities)

    def size(self) -> Size:
        """Return the numbers of nodes, edges and orders."""
        return self.orders.size()

    def coverage(self, n_orders: int, rng: RNGLike) -> Coverage:
        """Return the covered share of the mass of all orders, before evidence."""
        return self.orders.coverage(n_orders, spawn_generators(rng, 1)[0]).shifted(self.log_scale)

    @cached_property
    def _visits(self) -> Predecessors:
        """Posteriors of single families, and precedences."""
        return self.orders.visits()

    def _mean_weights(self, family: Family) -> np.ndarray:
        return self.score.expected_weights(family.child, family.candidates, family.outsider_rows)
