"""Graphs of the orders that a circuit covers: an OrderSPN."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.coverage import EXACT_UP_TO
from orderspn.circuit.storing import STORED_CIRCUIT, circuit_arrays, restore_circuit
from orderspn.circuit.weighing import weigh_circuit
from orderspn.core.randomness import RNGLike
from orderspn.core.stored_arrays import StoredArrays
from orderspn.models.memory import circuit_bytes
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.parts import Parts
from orderspn.models.protocol import Lines
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import possible_families
from orderspn.queries.most_probable import BestGraph, search_best
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

    def best_graph(self, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
        """Search for the best graph over all orders, also under evidence that no order of the circuit satisfies."""
        search = Effort.usual(len(self.variables), SEARCH_FOR_BEST * effort)
        families = possible_families(self.families, self.learned, self.score.rules, evidence, added, self.variables)
        orders = self.orders.with_families(families) if added else self.orders
        covered = None if orders.log_mass == -math.inf else orders
        return search_best(covered, families, self.variables, search, rng, self.workers)

    def lines(self) -> Lines:
        """Return the size of the circuit, and the covered share of the mass of all orders if it is known exactly."""
        size = self.size()
        about = (
            f"{size.nodes:,} nodes, {size.edges:,} edges, {size.blocks:,} blocks of up to {self.orders.largest_block}, "
            f"e^{size.log_number_of_orders:.1f} orders"
        )
        if len(self.variables) > EXACT_UP_TO:
            return [("circuit", about)]
        coverage = self.coverage(ORDERS_ASKED, 0)
        covered = f"{100 * coverage.share:.3g}% of the mass of all orders; ELBO {coverage.elbo:.4f}"
        return [("circuit", about), ("covered", covered)]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the structure and the weights of the circuit."""
        return circuit_arrays(self.orders.circuit)

    @classmethod
    def restore(cls, parts: Parts) -> CircuitGraphs:
        """Rebuild the circuit with its weights."""
        structure, log_weights = restore_circuit(parts.arrays, len(parts.variables))
        block_sizes = structure.sizes[structure.blocks].tolist()
        families, workers = parts.families(lambda n_jobs: circuit_bytes(parts.sizes, block_sizes, n_jobs))
        orders = weigh_circuit(structure, families, log_weights, workers)
        return cls(parts.variables, parts.score, families, orders, workers)
