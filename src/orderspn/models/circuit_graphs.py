"""Graphs of the orders that a circuit covers: an OrderSPN."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.coverage import EXACT_UP_TO
from orderspn.circuit.storing import STORED_CIRCUIT, circuit_arrays, restore_circuit
from orderspn.circuit.weighing import weigh_circuit
from orderspn.core.randomness import RNGLike
from orderspn.core.stored_arrays import StoredArrays
from orderspn.models.circuit_errors import edge_errors, event_error
from orderspn.models.memory import KEPT_SUMS, circuit_bytes, kept_order_bytes
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.parts import Parts
from orderspn.models.protocol import Lines
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import find_conflict, possible_families, restrict
from orderspn.queries.most_probable import BestGraph, search_best
from orderspn.queries.settled import Settled
from orderspn.search.climbed import can_climb
from orderspn.search.ensemble import Effort

SEARCH_FOR_BEST = 2.0
"""Length of the search for the best graph, as a multiple of that for samples."""

ORDERS_ASKED = 1000
"""Number of orders to estimate coverage from if the exact mass cannot be computed."""


@dataclass(frozen=True, eq=False, repr=False)
class CircuitGraphs(OrderGraphs):
    """Graphs of the orders of a circuit.

    Attributes
    ----------
    orders : CircuitOrders
    """

    kind: ClassVar[str] = "circuit"
    nature: ClassVar[str] = "sums over the orders of a circuit"
    stored: ClassVar[StoredArrays] = STORED_CIRCUIT

    orders: CircuitOrders

    @property
    def limits(self) -> str:
        """What limits graphs besides parent sets: the orders of the circuit."""
        return ", and the orders that its circuit covers"

    @property
    def kept_bytes(self) -> int:
        """Bytes that the model keeps between two queries, about."""
        structure = self.orders.circuit.structure
        sizes = structure.sizes[structure.blocks].tolist()
        return kept_order_bytes(self.families, sizes, self.learned is not self.families, KEPT_SUMS)

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """Search for the best graph over all orders, also under evidence that no order of the circuit satisfies."""
        search = Effort.usual(int(self.orders.circuit.structure.sizes[0]), SEARCH_FOR_BEST * effort)
        families = possible_families(self.families, self.learned, self.score.rules, evidence, added, self.variables)
        orders = self.orders.with_families(families) if added else self.orders
        covered = None if orders.log_mass == -math.inf else orders
        climbed = self.score if not evidence and not added and can_climb(self.score) else None
        return search_best(covered, families, self.variables, search, rng, self.workers, climbed)

    def standard_error(self, event: Edges) -> float:
        """Return the Monte Carlo standard error of the probability of an event: 0 if it is certain, NaN if unknown."""
        conflict = find_conflict(event, self.learned, self.score.rules, self.variables)
        if self.orders.circuit.covers_all or conflict is not None:
            return 0.0
        joint = restrict(self.families, event, self.variables)
        if not Settled.by(joint).possible or Settled.by(self.families).implies(event, self.variables):
            return 0.0
        return event_error(self.orders, self.orders.with_families(joint))

    def edge_standard_errors(self) -> np.ndarray:
        """Return Monte Carlo standard errors of edge probabilities [cause, effect]: 0 if certain, NaN if unknown."""
        return self._edge_errors.copy()

    @cached_property
    def _edge_errors(self) -> np.ndarray:
        if self.orders.circuit.covers_all:
            return super().edge_standard_errors()
        return np.where(Settled.by(self.families).edges, 0.0, edge_errors(self.orders))

    def lines(self) -> Lines:
        """Return the size of the circuit, and the covered share of the mass of all orders if it is known exactly."""
        size = self.size()
        about = (
            f"{size.nodes:,} nodes, {size.edges:,} edges, {size.blocks:,} blocks of up to {self.orders.largest_block}, "
            f"e^{size.log_number_of_orders:.1f} orders"
        )
        lines = [("circuit", about)]
        if self.orders.circuit.structure.sizes[0] <= EXACT_UP_TO:
            coverage = self.coverage(ORDERS_ASKED, 0)
            covered = f"{100 * coverage.share:.3g}% of the mass of all orders; ELBO {coverage.elbo:.4f}"
            lines.append(("covered", covered))
        return lines if self.orders.circuit.covers_all else [*lines, ("accuracy", self._accuracy())]

    def _accuracy(self) -> str:
        """Return two standard errors of the edge with the largest one."""
        known = self._edge_errors[self._edge_errors > 0.0]
        if known.size:
            return f"edges within {2 * known.max():.3f}, two standard errors"
        return "unknown, because weights are not shares of sampled orders"

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the structure and the weights of the circuit, and the paths of its draws."""
        return circuit_arrays(self.orders.circuit)

    @classmethod
    def restore(cls, parts: Parts) -> CircuitGraphs:
        """Rebuild the circuit with its weights."""
        structure, log_weights, paths = restore_circuit(parts.arrays, len(parts.variables))
        if not np.array_equal(np.flatnonzero(structure.before[0]), parts.score.context):
            raise ValueError("the root of its circuit has other context variables than the settings")
        block_sizes = structure.sizes[structure.blocks].tolist()
        families, workers = parts.families(lambda n_jobs: circuit_bytes(parts.sizes, block_sizes, n_jobs))
        orders = weigh_circuit(structure, families, log_weights, workers, paths)
        return cls(parts.variables, parts.score, families, orders, workers)
