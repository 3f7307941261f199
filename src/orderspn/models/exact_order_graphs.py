"""Graphs of all orders: the exact order-modular posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.core.stored_arrays import StoredArrays
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.models.family_graphs import most_probable_given
from orderspn.models.memory import exact_order_bytes
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.parts import Parts
from orderspn.models.protocol import Lines
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph


@dataclass(frozen=True, eq=False, repr=False)
class ExactOrderGraphs(OrderGraphs):
    """Graphs of all orders, exactly."""

    kind: ClassVar[str] = "orders"
    nature: ClassVar[str] = "sums over all orders"
    stored: ClassVar[StoredArrays] = {}

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:  # noqa: ARG002
        """Return the most probable graph, which needs no search."""
        return most_probable_given(self, evidence, added)

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
