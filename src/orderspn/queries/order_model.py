"""The interface of a distribution over orders, for which every query is written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np

from orderspn.lattice.coverage import Coverage, Size
from orderspn.lattice.expected_weights import MeanWeights
from orderspn.lattice.predecessors import Predecessors
from orderspn.leaves.family import Family


class DrawsOrders(Protocol):
    """Anything that draws orders of all variables but the context ones."""

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw orders, shape (n, ordered variables)."""


class OrderModel(DrawsOrders, Protocol):
    """A distribution over orders of all variables but the context ones, given the families of all.

    Context variables come before all orders and are not in them.
    """

    @property
    def log_mass(self) -> float:
        """Log of the summed scores of all covered (order, graph) pairs; -inf if there are none."""

    @property
    def effect_bytes(self) -> int:
        """Bytes that effects take between blocks, beside what is taken within them."""

    @property
    def largest_block(self) -> int:
        """Number of variables of the largest block."""

    def with_families(self, families: Sequence[Family]) -> Self:
        """Return the same orders with other families, such as those under evidence."""

    def visits(self) -> Predecessors:
        """Return the posterior of the parent sets of each variable, and of precedences."""

    def best_order(self, ranks: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the order of the best (order, graph) pair, and the excess of its log score over its log probability.

        Ties are broken by ranks.
        """

    def mean_log_excess(self) -> float:
        """Return the mean excess of the log score of a pair over its log probability."""

    def log_order_masses(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log weight of all orders of each DAG (n, d, d): the factor on its score, up to a constant."""

    def size(self) -> Size:
        """Return the numbers of nodes, edges and orders."""

    def coverage(self, n_orders: int, rng: np.random.Generator) -> Coverage:
        """Return the share of the mass of all orders that is covered, before evidence."""

    def effects(self, weights: MeanWeights) -> np.ndarray:
        """Return the mean total effects of all variables on the ordered ones, (d, ordered variables), diagonal 0.

        They follow from mean weights of parent sets.
        """
