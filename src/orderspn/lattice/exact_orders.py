"""All orders of a block, exactly: the smallest model of orders that answers every question about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from orderspn.core.dag import are_acyclic
from orderspn.core.linear_extensions import log_linear_extensions
from orderspn.core.masks import check_ordered
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.expected_weights import ExpectedWeights, MeanWeights
from orderspn.lattice.extent import Coverage, Size
from orderspn.lattice.leaf_values import leaf_values
from orderspn.lattice.orders import sample_orders, trace_best_order
from orderspn.lattice.passes import log_prefix_maxima, log_prefix_sums, log_suffix_sums
from orderspn.lattice.path_effects import path_effects
from orderspn.lattice.visits import Visits, collect_visits
from orderspn.leaves.family import Family
from orderspn.leaves.needs import with_needs
from orderspn.leaves.tables import LeafTables

EFFECTS_MEMORY = 2 * 2**30
"""Bytes that the levels of the recursion for effects may take."""


@dataclass(frozen=True, eq=False)
class ExactOrders:
    """The distribution over all orders of `variables`, with `before` in front, that its families induce.

    Attributes
    ----------
    families : sequence of Family
        Families of all variables of the data, by index.
    before, variables : numpy.ndarray
        The block `(S_1, S_2)`: ascending indices.
    workers : Workers
        Threads to use.
    """

    families: Sequence[Family]
    before: np.ndarray
    variables: np.ndarray
    workers: Workers = field(default_factory=Workers)

    def __post_init__(self) -> None:
        check_ordered(self.variables.size)

    @classmethod
    def over_all(cls, families: Sequence[Family], workers: Workers) -> ExactOrders:
        """The block of all variables."""
        return cls(families, np.empty(0, dtype=np.int64), np.arange(len(families)), workers)

    @property
    def largest_block(self) -> int:
        """All variables are in one block."""
        return int(self.variables.size)

    def with_families(self, families: Sequence[Family]) -> ExactOrders:
        """The same block under evidence, that is with other families."""
        return ExactOrders(families, self.before, self.variables, self.workers)

    @cached_property
    def log_mass(self) -> float:
        """Log of the summed scores of all (order, graph) pairs of the block."""
        return float(self._log_prefix[-1])

    def visits(self) -> Visits:
        """How probable each predecessor set of each variable is."""
        return collect_visits(
            self._blocks,
            self._tables,
            self._log_leaves,
            self._log_prefix,
            self._log_suffix(),
            np.zeros(1),
            self.workers,
            "visits",
        )

    def best_order(self, ranks: np.ndarray) -> tuple[np.ndarray, float]:
        """The order that the best graph follows, and by what its log score exceeds its log probability."""
        log_leaves = leaf_values(self._tables, self._blocks, "log_best", self.workers, "best parents")
        log_maxima = log_prefix_maxima(self._blocks, log_leaves, self.workers, "best orders")
        return trace_best_order(self._blocks, 0, log_leaves, log_maxima, ranks), self.log_mass

    def mean_log_excess(self) -> float:
        """By what the log score of a pair exceeds its log probability: the same for all."""
        return self.log_mass

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` orders of the variables, shape (n, block)."""
        visited = np.zeros((n, 3), dtype=np.int64)
        visited[:, 0] = np.arange(n)
        uniforms = rng.random((n, self.variables.size))
        return sample_orders(self._blocks, self._log_leaves, self._log_prefix, visited, uniforms, self.workers)

    def effects(self, weights: MeanWeights) -> np.ndarray:
        """Mean total effect of every variable on those of the block, shape (d, block), diagonal 0.

        Paths that start outside the block enter it with their first edge.
        """
        expected = ExpectedWeights(self._tables, self._blocks, self._log_leaves, weights, self.workers)
        return path_effects(
            self._blocks,
            0,
            self._log_leaves,
            self._log_prefix,
            self._log_suffix(),
            expected,
            EFFECTS_MEMORY,
            self.workers,
            self.workers.steps("effects", len(self.families)),
        )

    def log_order_masses(self, graphs: np.ndarray) -> np.ndarray:
        """Log of the number of possible orders that each DAG (n, d, d) follows; -inf where there is none."""
        joined = with_needs(graphs, self.families)
        followed = are_acyclic(joined) | ~are_acyclic(graphs)  # what never was a DAG is an error below
        log_counts = np.full(len(joined), -np.inf)
        if followed.any():
            log_counts[followed] = log_linear_extensions(joined[followed])
        return log_counts

    def size(self) -> Size:
        """One block, with all orders of its variables."""
        return Size(1, 0, 1.0, 0.0, 1, math.lgamma(self.variables.size + 1))

    def coverage(self, n_orders: int, rng: np.random.Generator) -> Coverage:  # noqa: ARG002
        """All orders are covered."""
        return Coverage(self.log_mass, self.log_mass, 1.0, 0.0, "exact")

    @cached_property
    def _tables(self) -> LeafTables:
        return LeafTables.of(self.families, self.workers)

    @cached_property
    def _blocks(self) -> Blocks:
        rows = np.zeros((2, 1, len(self.families)), dtype=bool)
        rows[0, 0, self.before] = True
        rows[1, 0, self.variables] = True
        return Blocks.of(self._tables, rows[0], rows[1])

    @cached_property
    def _log_leaves(self) -> np.ndarray:
        return leaf_values(self._tables, self._blocks, "log_mass", self.workers, "parents")

    @cached_property
    def _log_prefix(self) -> np.ndarray:
        return log_prefix_sums(self._blocks, self._log_leaves, self.workers, "orders")

    def _log_suffix(self) -> np.ndarray:
        # Not kept: at 25 variables it is a quarter of a gigabyte and two queries need it, each once.
        return log_suffix_sums(self._blocks, self._log_leaves, self.workers, "orders from the end")
