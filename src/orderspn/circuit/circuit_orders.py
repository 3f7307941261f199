"""An OrderSPN as a model of orders, which answers queries in time linear in its size.

The circuit is a distribution `q(order, graph)` with fixed weights at sum nodes and normalised blocks below. Evidence
changes only the masses of the blocks that contain its effects, and only these are computed again. The values above
follow from the ratios of new to old masses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from orderspn.circuit.coverage import circuit_coverage
from orderspn.circuit.effects import region_effects
from orderspn.circuit.extensions import log_order_masses
from orderspn.circuit.influence import Influences
from orderspn.circuit.passes import descend, downward, log_shares, upward_max, upward_sum
from orderspn.circuit.renewal import Renewal
from orderspn.circuit.size import measure
from orderspn.circuit.weighted_circuit import WeightedCircuit
from orderspn.core.workers import Workers
from orderspn.lattice.block_edges import edges_given_blocks
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.coverage import Coverage, Size
from orderspn.lattice.expected_weights import MeanWeights, weights_of_blocks
from orderspn.lattice.leaf_values import fill_variables, leaf_values
from orderspn.lattice.openings import Openings
from orderspn.lattice.orders import sample_orders, trace_best_order
from orderspn.lattice.passes import log_prefix_maxima, log_prefix_sums, log_suffix_sums
from orderspn.lattice.predecessors import Lattices, OwnVisits, Predecessors, SharedVisits
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family, tie_tolerance
from orderspn.leaves.order_constraints import with_needs
from orderspn.leaves.tables import LeafTables


@dataclass(frozen=True, eq=False)
class CircuitOrders:
    """A circuit with the families of its leaves, possibly under evidence.

    Attributes
    ----------
    circuit : WeightedCircuit
        The circuit before evidence.
    families : tuple of Family
        By index of the variable.
    workers : Workers
    parent : CircuitOrders, optional
        The model to which this one adds evidence; blocks without changed families are taken from it.
    leaves : numpy.ndarray, optional
        The leaf values, if they are known already.
    prefix : numpy.ndarray, optional
        The sums of the blocks, likewise.
    """

    circuit: WeightedCircuit
    families: tuple[Family, ...]
    workers: Workers
    parent: CircuitOrders | None = None
    leaves: np.ndarray | None = None
    prefix: np.ndarray | None = None

    @cached_property
    def log_mass(self) -> float:
        """Log of the covered mass times the probability of the evidence under the circuit."""
        return self.circuit.log_covered + float(self._log_values[0])

    @property
    def largest_block(self) -> int:
        """Number of variables of the largest block."""
        structure = self.circuit.structure
        return int(structure.sizes[structure.blocks].max())

    @property
    def effect_bytes(self) -> int:
        """Bytes of the effects on the members of all regions."""
        sizes = self.circuit.structure.sizes
        return 8 * int(sizes.sum()) * len(self.families)

    def with_families(self, families: Sequence[Family]) -> CircuitOrders:
        """Return the same circuit with other families, such as those under evidence."""
        return CircuitOrders(self.circuit, tuple(families), self.workers, self)

    def visits(self) -> Predecessors:
        """Return the posterior of the parent sets of each variable, and of precedences."""
        if self._tables.shared:
            return SharedVisits(self._lattices(), self._log_leaves, "visits")
        return OwnVisits(
            self._blocks,
            self._tables,
            self._log_passed,
            self._openings,
            self._lattices,
            lambda: self._log_leaves,
            self.workers,
            "visits",
        )

    @cached_property
    def influences(self) -> Influences:
        """How much each sampled order contributes to answers; only if the circuit has the paths of its draws."""
        return Influences(self.circuit, self._log_shares)

    def each_edge_influence(self, use: Callable[[int, np.ndarray, np.ndarray], None]) -> None:
        """Call `use` for every variable of the root, with probabilities of edges into it (d,) and their influences.

        Influences have the shape (runs, draws, d).
        """
        log_suffix, influences = self._log_suffix, self.influences
        _ = (
            self._blocks.owner,
            self._blocks.sizes,
            self._tables.slots,
            self._log_prefix,
        )  # cached before threads use them

        def find(variable: int) -> None:
            holders, edges = edges_given_blocks(variable, self._blocks, self._tables, self._log_prefix, log_suffix)
            use(variable, *influences.on_edges(holders, edges))

        ordered = root_block(self.families)[1].tolist()
        self.workers.run([partial(find, v) for v in ordered], self.workers.steps("standard errors", len(ordered)))

    def best_order(self, ranks: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the order of the best (order, graph) pair, and the excess of its log score over log probability."""
        circuit = self.circuit
        log_leaves = leaf_values(self._tables, self._blocks, "log_best", self.workers, "best parents")
        log_maxima = log_prefix_maxima(self._blocks, log_leaves, self.workers, "best orders")
        log_best = self._relative(self._blocks.totals(log_maxima))
        path = self._best_path(upward_max(circuit.structure, circuit.log_weights, log_best), ranks)
        order = np.concatenate([trace_best_order(self._blocks, b, log_leaves, log_maxima, ranks) for b in path.blocks])
        excess = circuit.log_block_masses[path.blocks].sum() - path.log_weight + self._log_values[0]
        return order, float(excess)

    def mean_log_excess(self) -> float:
        """Return the mean excess of the log score of a pair over its log probability: log masses minus log weights."""
        circuit = self.circuit
        passed = downward(circuit.structure, self._log_shares)
        by_partition = passed[circuit.structure.owner] * np.exp(self._log_shares)
        used, seen = by_partition > 0.0, passed[circuit.structure.blocks] > 0.0
        log_masses = np.dot(passed[circuit.structure.blocks][seen], circuit.log_block_masses[seen])
        log_weights = np.dot(by_partition[used], circuit.log_weights[used])
        return float(log_masses - log_weights + self._log_values[0])

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` orders, shape (n, variables of the root)."""
        uniforms = rng.random((2, n, int(self.circuit.structure.sizes[0])))
        visited = descend(self.circuit.structure, self._log_shares, uniforms[0])
        return sample_orders(self._blocks, self._log_leaves, self._log_prefix, visited, uniforms[1], self.workers)

    def effects(self, weights: MeanWeights) -> np.ndarray:
        """Return the mean total effects of all variables on those of the root, shape (d, root), diagonal 0."""
        expected, blocks, log_leaves = weights_of_blocks(
            self._tables, self._blocks, self._log_leaves, weights, self.workers
        )
        return region_effects(
            self.circuit.structure,
            self._log_shares,
            blocks,
            log_leaves,
            self._log_prefix,
            self._log_suffix,
            expected,
            self.workers,
        )

    def log_order_masses(self, graphs: np.ndarray) -> np.ndarray:
        """Return the log weight of the possible orders of each DAG (n, d, d), up to a constant."""
        return log_order_masses(self.circuit, with_needs(graphs, self.families), self.workers)

    def size(self) -> Size:
        """Return the numbers of nodes, edges and orders of the circuit."""
        return measure(self.circuit.structure)

    def coverage(self, n_orders: int, rng: np.random.Generator) -> Coverage:
        """Return the share of the mass of all orders that is covered, before evidence."""
        if self.parent is not None:
            return self.parent.coverage(n_orders, rng)
        return circuit_coverage(self.circuit, self.families, self.workers, n_orders, rng)

    @cached_property
    def _tables(self) -> LeafTables:
        return LeafTables.of(self.families, self.workers)

    @cached_property
    def _blocks(self) -> Blocks:
        # Order constraints may add candidates, which change the indices in the tables.
        if self.parent is not None and self._tables.laid_out_as(self.parent._tables):
            return self.parent._blocks
        structure = self.circuit.structure
        return Blocks.of(self._tables, structure.before[structure.blocks], structure.variables[structure.blocks])

    @cached_property
    def log_block_masses(self) -> np.ndarray:
        """Log mass of each block under the evidence, shape (blocks,)."""
        if self.parent is None:
            return self.circuit.log_block_masses
        masses = self.parent.log_block_masses.copy()
        masses[self._renewal.chosen] = self._renewal.blocks.totals(self._renewed_prefix)
        return masses

    def _changed_families(self, parent: CircuitOrders) -> np.ndarray:
        """Return which families differ from the parent's, shape (d,) bool."""
        return np.array([a is not b for a, b in zip(self.families, parent.families, strict=True)], dtype=bool)

    @cached_property
    def _renewal(self) -> Renewal:
        """The blocks whose families differ from the parent's."""
        assert self.parent is not None
        known = None if self._tables.shared or self.parent._tables.shared else self.parent._log_leaves
        changed = self._changed_families(self.parent)
        return Renewal.of(self._blocks, self._tables, changed, known, self.workers)

    @cached_property
    def _renewed_prefix(self) -> np.ndarray:
        assert self.parent is not None
        return self._renewal.sums(log_prefix_sums, self.parent._log_prefix, "orders")

    @cached_property
    def _log_leaves(self) -> np.ndarray:
        """Leaf values; if blocks have their own, only those of changed families are computed again."""
        work = "parents"
        if self.leaves is not None:
            return self.leaves
        if self.parent is None or self._tables.shared or not self._tables.laid_out_as(self.parent._tables):
            return leaf_values(self._tables, self._blocks, "log_mass", self.workers, work)
        leaves = self.parent._log_leaves.copy()
        changed = np.flatnonzero(self._changed_families(self.parent)).tolist()
        fill_variables(leaves, changed, self._tables, self._blocks, "log_mass", self.workers, work)
        return leaves

    @cached_property
    def _log_values(self) -> np.ndarray:
        """Log probability of the evidence at each region, shape (regions,)."""
        log_ratios = self._relative(self.log_block_masses)
        return upward_sum(self.circuit.structure, self.circuit.log_weights, log_ratios)

    def _relative(self, log_values: np.ndarray) -> np.ndarray:
        """Return values of blocks relative to their masses before evidence; -inf for impossible blocks."""
        log_masses = self.circuit.log_block_masses
        possible = log_masses > -np.inf
        return np.where(possible, log_values - np.where(possible, log_masses, 0.0), -np.inf)

    @cached_property
    def _log_shares(self) -> np.ndarray:
        return log_shares(self.circuit.structure, self.circuit.log_weights, self._log_values)

    @cached_property
    def _log_prefix(self) -> np.ndarray:
        if self.prefix is not None:
            return self.prefix
        if self.parent is not None:
            return self._renewal.put(self.parent._log_prefix, self._renewed_prefix)
        return log_prefix_sums(self._blocks, self._log_leaves, self.workers, "orders")

    @cached_property
    def _log_suffix(self) -> np.ndarray:
        work = "orders from the end"
        if self.parent is not None:
            old = self.parent._log_suffix
            return self._renewal.put(old, self._renewal.sums(log_suffix_sums, old, work))
        return log_suffix_sums(self._blocks, self._log_leaves, self.workers, work)

    @cached_property
    def _openings(self) -> Openings:
        """Openings of the blocks; those of untouched ones are the parent's."""
        if self.parent is None or not self._tables.open_as(self.parent._tables):
            return Openings.of(self._blocks, self._tables, self._log_prefix, self._log_suffix, self.workers)
        return self._renewal.openings(self.parent._openings, self._tables, self._log_prefix, self._log_suffix)

    @cached_property
    def _log_passed(self) -> np.ndarray:
        """Log probability that an order passes each block, shape (blocks,)."""
        structure = self.circuit.structure
        with np.errstate(divide="ignore"):
            return np.log(downward(structure, self._log_shares)[structure.blocks])

    def _lattices(self) -> Lattices:
        return Lattices(self._blocks, self._tables, self._log_prefix, self._log_suffix, self._log_passed, self.workers)

    def _best_path(self, log_values: np.ndarray, ranks: np.ndarray) -> _Path:
        """Follow the largest values down; among equals, take the partition whose first part has the first ranks."""
        structure, log_weights = self.circuit.structure, self.circuit.log_weights
        blocks: list[int] = []
        log_weight = 0.0
        stack = [0]
        while stack:
            region = stack.pop()
            if structure.block_number[region] >= 0:
                blocks.append(int(structure.block_number[region]))
                continue
            own = np.arange(structure.partition_starts[region], structure.partition_starts[region + 1])
            values = log_weights[own] + log_values[structure.first[own]] + log_values[structure.second[own]]
            best = log_values[region]
            tied = own[values >= best - tie_tolerance(best)]
            chosen = min(
                tied.tolist(),
                key=lambda p: sorted(ranks[structure.variables[structure.first[p]]].tolist()),
            )
            log_weight += float(log_weights[chosen])
            stack += [int(structure.second[chosen]), int(structure.first[chosen])]
        return _Path(blocks, log_weight)


@dataclass(frozen=True)
class _Path:
    blocks: list[int]
    log_weight: float
