"""Graphs of a distribution over orders, exact or a circuit: order-modular, a graph counts once for each of its orders.

Everything is exact: sums over orders by the order model, sums over parent sets by the families.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from orderspn.core.errors import ImpossibleEvidence, InvalidValue
from orderspn.core.memory import readable_bytes
from orderspn.core.randomness import RandomState, spawn_generators
from orderspn.core.workers import Workers
from orderspn.lattice.extent import Coverage, Size
from orderspn.leaves.family import Family
from orderspn.queries.edges import Edges
from orderspn.queries.effect_estimate import estimate_effects
from orderspn.queries.effects_memory import effects_memory
from orderspn.queries.evidence import find_conflict, possible_families, restrict
from orderspn.queries.marginals import Marginals, edge_matrix, entropy, marginals
from orderspn.queries.most_probable import BestGraph, MostProbableGraph, most_probable, search_best
from orderspn.queries.order_model import OrderModel
from orderspn.queries.parent_sets import listed_parent_sets
from orderspn.queries.sampling import GraphSamples, counted_once, sample_graphs
from orderspn.scores.local import LocalScore
from orderspn.search.ensemble import Effort

EFFECTS_LIMIT = 8 * 2**30
"""Bytes that the expected weights may take when effects are averaged exactly."""

SEARCH_FOR_BEST = 2.0
"""How much longer than for samples chains search for the best graph."""


@dataclass(frozen=True, eq=False)
class OrderGraphs:
    """Graphs given orders.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    families : tuple of Family
        Parent sets of each variable, those that evidence leaves.
    orders : OrderModel
    workers : Workers
    covers_all : bool
        Whether the model has every order.
    """

    variables: tuple[str, ...]
    score: LocalScore
    families: tuple[Family, ...]
    orders: OrderModel
    workers: Workers
    covers_all: bool
    log_scale: float = field(init=False)

    def __post_init__(self) -> None:
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
        """Log of the summed scores of all (order, graph) pairs covered."""
        return self.orders.log_mass + self.log_scale

    def given(self, evidence: Edges, added: Edges) -> OrderGraphs:
        """The same under evidence, of which `added` is new."""
        conflict = find_conflict(evidence, self.families, self.variables)
        if conflict is not None:
            raise ImpossibleEvidence(f"cannot condition on {str(evidence)!r}: {conflict}.")
        model = self._with(restrict(self.families, added, self.variables))
        if model.log_evidence == -math.inf:
            partial = "" if self.covers_all else ", and orders that its circuit covers"
            raise ImpossibleEvidence(
                f"cannot condition on {str(evidence)!r}: no graph of the posterior satisfies it "
                f"(at most {self.score.max_parents} parents per variable, from its candidates{partial})."
            )
        return model

    def log_probability(self, evidence: Edges, event: Edges) -> float:
        """Log probability of an event."""
        if find_conflict(evidence & event, self.families, self.variables) is not None:
            return -math.inf
        joint = self.orders.with_families(restrict(self.families, event, self.variables))
        return min(0.0, joint.log_mass - self.orders.log_mass)

    def standard_error(self, event: Edges) -> float:  # noqa: ARG002
        """No sampling is involved."""
        return 0.0

    def edge_matrix(self) -> np.ndarray:
        """Edge probabilities (d, d), [cause, effect]."""
        return edge_matrix(self.families, self.marginals.parent_sets)

    def parent_sets(self, child: int, top: int | None) -> tuple[list[tuple[str, ...]], np.ndarray]:
        """Parent sets and their probabilities, most probable first."""
        return listed_parent_sets(self.families[child], self.marginals.parent_sets[child], top, self.variables)

    def most_probable_graph(self) -> MostProbableGraph:
        """The graph of the best (order, graph) pair."""
        return most_probable(self.orders, self.families, self.variables)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RandomState) -> BestGraph:
        """The best graph along any order, also under evidence that the orders here leave no room for."""
        if self.covers_all:
            best = (self.given(evidence & added, added) if added else self).most_probable_graph()
            return BestGraph(best.graph, best.order, best.log_score, best.edges)
        search = Effort.usual(len(self.variables), SEARCH_FOR_BEST * effort)
        families = possible_families(self.families, evidence, added, self.variables)
        orders = self.orders.with_families(families) if added else self.orders
        covered = None if orders.log_mass == -math.inf else orders
        return search_best(covered, families, self.variables, search, rng, self.workers)

    def sample(self, n: int, rng: RandomState) -> GraphSamples:
        """Draw orders, then graphs."""
        return sample_graphs(self.orders, self.families, self.variables, n, rng, self.workers)

    def sample_dags(self, n: int, rng: RandomState) -> GraphSamples:
        """Draw orders and graphs, and weigh each graph by the inverse of what its orders weigh."""
        return counted_once(self.sample(n, rng), self.orders)

    def effects(self) -> np.ndarray:
        """Mean total effects (d, d), 1 on the diagonal, if their tables fit the memory."""
        needed = effects_memory(self.families, self.orders.largest_block, self.workers.n_jobs)
        if needed > EFFECTS_LIMIT:
            raise InvalidValue(
                f"exact effects need about {readable_bytes(needed)} for the expected weights of all parent sets; the "
                f"limit is {readable_bytes(EFFECTS_LIMIT)}. Use estimate_effects(), or learn with fewer candidates=."
            )
        effects: np.ndarray = self.orders.effects(self._mean_weights) + np.eye(len(self.variables))
        return effects

    def estimate_effects(self, n: int, rng: RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Mean total effects over sampled orders and their standard errors, each (d, d)."""
        generator = spawn_generators(rng, 1)[0]
        return estimate_effects(self.orders, self.families, self._mean_weights, n, generator, self.workers)

    def precedence(self) -> np.ndarray:
        """Probability that one variable comes before another (d, d)."""
        return self.marginals.precedence

    def entropy(self) -> float:
        """Entropy over (order, graph) pairs."""
        return entropy(self.orders.mean_log_excess(), self.families, self.marginals.parent_sets)

    def size(self) -> Size:
        """Nodes, edges and number of orders."""
        return self.orders.size()

    def coverage(self, n_orders: int, rng: RandomState) -> Coverage:
        """How much of the mass of all orders is covered, before evidence."""
        return self.orders.coverage(n_orders, spawn_generators(rng, 1)[0]).shifted(self.log_scale)

    @cached_property
    def marginals(self) -> Marginals:
        """Posteriors of single families, and precedences."""
        return marginals(self.orders, self.families, self.workers)

    def _with(self, families: Sequence[Family]) -> OrderGraphs:
        orders = self.orders.with_families(families)
        return OrderGraphs(self.variables, self.score, tuple(families), orders, self.workers, self.covers_all)

    def _mean_weights(self, family: Family) -> np.ndarray:
        return self.score.expected_weights(family.child, family.candidates, family.outsiders)
