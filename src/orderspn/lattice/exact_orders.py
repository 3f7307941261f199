"""The exact model of all orders of one block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from orderspn.core.dag import are_acyclic
from orderspn.core.linear_extensions import log_linear_extensions
from orderspn.core.masks import check_ordered
from orderspn.core.room import Room
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.coverage import Coverage, Size
from orderspn.lattice.expected_weights import MeanWeights, weights_of_blocks
from orderspn.lattice.leaf_values import leaf_values
from orderspn.lattice.orders import sample_orders, trace_best_order
from orderspn.lattice.passes import log_prefix_maxima, log_prefix_sums, log_suffix_sums
from orderspn.lattice.path_effects import levels_memory, path_effects
from orderspn.lattice.predecessors import Lattices, OwnVisits, Predecessors, SharedVisits
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.leaves.order_constraints import with_needs
from orderspn.leaves.tables import LeafTables


@dataclass(frozen=True, eq=False)
class ExactOrders:
    """The distribution over all orders of `variables` after `before`, given their families.

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
        """Return the model of all orders of all variables, after the context variables."""
        return cls(families, *root_block(families), workers)

    @property
    def effect_bytes(self) -> int:
        """No bytes: there is one block."""
        return 0

    @property
    def largest_block(self) -> int:
        """Number of variables of the largest block: all of them."""
        return int(self.variables.size)

    def with_families(self, families: Sequence[Family]) -> ExactOrders:
        """Return the same block with other families, such as those under evidence."""
        return ExactOrders(families, self.before, self.variables, self.workers)

    @cached_property
    def log_mass(self) -> float:
        """Log of the summed scores of all (order, graph) pairs of the block."""
        return float(self._log_prefix[-1])

    def visits(self) -> Predecessors:
        """Return the posterior of the parent sets of each variable, and of precedences."""
        lattices = self._lattices()
        if self._tables.shared:
            return SharedVisits(lattices, self._log_leaves, "visits")
        return OwnVisits(
            self._blocks,
            self._tables,
            lattices.log_weights,
            lattices.openings(),
            self._lattices,
            lambda: self._log_leaves,
            self.workers,
            "visits",
        )

    def best_order(self, ranks: np.ndarray) -> tuple[np.ndarray, float]:
        """Return an order of the best graph, and the excess of its log score over its log probability."""
        log_leaves = leaf_values(self._tables, self._blocks, "log_best", self.workers, "best parents")
        log_maxima = log_prefix_maxima(self._blocks, log_leaves, self.workers, "best orders")
        return trace_best_order(self._blocks, 0, log_leaves, log_maxima, ranks), self.log_mass

    def mean_log_excess(self) -> float:
        """Return the excess of the log score of a pair over its log probability, which is the same for all pairs."""
        return self.log_mass

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` orders of the variables, shape (n, block)."""
        visited = np.zeros((n, 3), dtype=np.int64)
        visited[:, 0] = np.arange(n)
        uniforms = rng.random((n, self.variables.size))
        return sample_orders(self._blocks, self._log_leaves, self._log_prefix, visited, uniforms, self.workers)

    def effects(self, weights: MeanWeights) -> np.ndarray:
        """Return the mean total effect of every variable on those of the block, shape (d, block), diagonal 0.

        Paths from outside of the block enter it with their first edge.
        """
        expected, blocks, log_leaves = weights_of_blocks(
            self._tables, self._blocks, self._log_leaves, weights, self.workers
        )
        return path_effects(
            blocks,
            0,
            log_leaves,
            self._log_prefix,
            self._log_suffix(),
            expected,
            levels_memory(self.workers.memory),
            self.workers,
            Room(),
            self.workers.steps("effects", len(self.families)),
        )

    def log_order_masses(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log of the number of possible orders of each DAG (n, d, d); -inf if there is none."""
        # Variables before the block do not matter for the orders of the block.
        own = np.ix_(np.arange(len(graphs)), self.variables, self.variables)
        joined, graphs = with_needs(graphs, self.families)[own], graphs[own]
        followed = are_acyclic(joined) | ~are_acyclic(graphs)  # graphs that are no DAGs raise an error below
        log_counts = np.full(len(joined), -np.inf)
        if followed.any():
            log_counts[followed] = log_linear_extensions(joined[followed])
        return log_counts

    def size(self) -> Size:
        """Return the size: one block, with all orders of its variables."""
        return Size(1, 0, 1.0, 0.0, 1, math.lgamma(self.variables.size + 1))

    def coverage(self, n_orders: int, rng: np.random.Generator) -> Coverage:  # noqa: ARG002
        """Return full coverage."""
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

    def _lattices(self) -> Lattices:
        return Lattices(self._blocks, self._tables, self._log_prefix, self._log_suffix(), np.zeros(1), self.workers)

    def _log_suffix(self) -> np.ndarray:
        # Not cached: at 25 variables it takes a quarter of a gigabyte, and two queries use it once each.
        return log_suffix_sums(self._blocks, self._log_leaves, self.workers, "orders from the end")
