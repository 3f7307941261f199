"""Graphs of all orders: the exact order-modular posterior."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.core.stored_arrays import StoredArrays
from orderspn.lattice.descendants import MOST_VARIABLES, Descendants
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.context import root_block
from orderspn.models.family_graphs import most_probable_given
from orderspn.models.memory import exact_order_bytes, kept_order_bytes
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.parts import Parts
from orderspn.models.protocol import Lines
from orderspn.queries.descendant_sets import DescendantSets
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph


@dataclass(frozen=True, eq=False, repr=False)
class ExactOrderGraphs(OrderGraphs):
    """Graphs of all orders, exactly."""

    kind: ClassVar[str] = "orders"
    nature: ClassVar[str] = "sums over all orders"
    stored: ClassVar[StoredArrays] = {}

    @property
    def kept_bytes(self) -> int:
        """Bytes that the model keeps between two queries, about."""
        return kept_order_bytes(self.families, [self.orders.largest_block], self.learned is not self.families)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:  # noqa: ARG002
        """Return the most probable graph, which needs no search."""
        return most_probable_given(self, evidence, added)

    def exact_descendants(self, source: int) -> DescendantSets | None:
        """Return the distribution of the descendants of a variable; None if there are too many variables."""
        if self._descendants is None:
            return None
        probabilities = self._descendants.probabilities(source)
        masks = np.flatnonzero(probabilities)
        members = np.zeros((masks.size, len(self.variables)), dtype=bool)
        ordered = self._descendants.variables
        members[:, ordered] = masks[:, None] >> np.arange(ordered.size) & 1
        return DescendantSets.merged(members, probabilities[masks], np.zeros(masks.size))

    def exact_ancestors(self) -> np.ndarray | None:
        """Return the probability that one variable is an ancestor of another (d, d); None if there are too many."""
        return None if self._ancestors is None else self._ancestors.copy()

    @cached_property
    def _ancestors(self) -> np.ndarray | None:
        # Kept: probabilities and their errors are asked for one after the other.
        return None if self._descendants is None else self._descendants.matrix(self.workers)

    @cached_property
    def _descendants(self) -> Descendants | None:
        context, ordered = root_block(self.families)
        return Descendants(self.families, context, ordered) if ordered.size <= MOST_VARIABLES else None

    def lines(self) -> Lines:
        """Return the lines of a summary about the model."""
        return [("covered", "all orders")]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return no arrays: the model follows from scores and candidates."""
        return {}

    @classmethod
    def restore(cls, parts: Parts) -> ExactOrderGraphs:
        """Rebuild the model: sum over all orders."""
        families, workers = parts.families(lambda n_jobs: exact_order_bytes(parts.sizes, n_jobs))
        return cls(parts.variables, parts.score, families, ExactOrders.over_all(families, workers), workers)
