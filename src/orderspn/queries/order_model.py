"""What a distribution over orders must offer, so that each query is written once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np

from orderspn.lattice.expected_weights import MeanWeights
from orderspn.lattice.extent import Coverage, Size
from orderspn.lattice.visits import Visits
from orderspn.leaves.family import Family


class OrderModel(Protocol):
    """A distribution over orders of all variables, induced by families."""

    @property
    def log_mass(self) -> float:
        """Log of the summed scores of all (order, graph) pairs covered; -inf if there are none."""

    @property
    def largest_block(self) -> int:
        """Variables of the largest block, within which all orders are summed."""

    def with_families(self, families: Sequence[Family]) -> Self:
        """The same orders under evidence."""

    def visits(self) -> Visits:
        """How probable each predecessor set of each variable is."""

    def best_order(self, ranks: np.ndarray) -> tuple[np.ndarray, float]:
        """The order of the best (order, graph) pair, and by how much its log score exceeds its log probability.

        Ties are broken by ranks.
        """

    def mean_log_excess(self) -> float:
        """By how much the log score of a pair exceeds its log probability, on average."""

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw orders, shape (n, d)."""

    def log_order_masses(self, graphs: np.ndarray) -> np.ndarray:
        """Log weight of all orders of each DAG (n, d, d), up to a constant: what multiplies its score in this model."""

    def size(self) -> Size:
        """Nodes, edges and number of orders."""

    def coverage(self, n_orders: int, rng: np.random.Generator) -> Coverage:
        """How much of the order mass is covered before evidence."""

    def effects(self, weights: MeanWeights) -> np.ndarray:
        """Mean total effects, shape (d, d), diagonal 0, from mean weights given parent sets."""
