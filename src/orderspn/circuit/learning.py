"""Learning an OrderSPN in two steps: structure from an oracle, weights by variational inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from orderspn.circuit.building import build, check_expansion, n_layers
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.passes import upward_sum
from orderspn.circuit.prior import Prior
from orderspn.circuit.structure import Structure
from orderspn.circuit.weights import WEIGHTS
from orderspn.core.arguments import check_choice, check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.memory import readable_bytes
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.passes import log_prefix_sums
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.oracles.protocol import Oracle
from orderspn.oracles.random_partitions import RandomPartitions
from orderspn.oracles.registry import make_oracle

LARGEST_BLOCK = 24
ROOT_PARTITIONS, LATER_PARTITIONS = 64, 4
"""Expansion factors by default: of the root, and of the layers below."""


@dataclass(frozen=True)
class CircuitSettings:
    """How a circuit is to be learned, checked."""

    oracle: Oracle
    expansion: tuple[int, ...]
    block_size: int
    weights: str

    @classmethod
    def checked(
        cls,
        d: int,
        oracle: str | Oracle | None,
        expansion: Sequence[int] | None,
        block_size: int | None,
        weights: str | None,
    ) -> CircuitSettings:
        """Check arguments and fill in defaults for `d` variables."""
        size = default_block_size(d) if block_size is None else block_size
        size = check_integer("block_size", size, 1, LARGEST_BLOCK)
        if expansion is None:
            factors = ([ROOT_PARTITIONS] + [LATER_PARTITIONS] * d)[: n_layers(d, size)]
        else:
            factors = _checked_factors(expansion)
        check_expansion(factors, d, size)
        asked = make_oracle("auto" if oracle is None else oracle)
        if weights is None:
            weights = "elbo" if isinstance(asked, RandomPartitions) else "sampled"
        return cls(asked, tuple(factors), size, check_choice("weights", weights, tuple(WEIGHTS)))

    def recorded(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return {
            "oracle": self.oracle.settings(),
            "expansion": list(self.expansion),
            "block_size": self.block_size,
            "weights": self.weights,
        }


def default_block_size(d: int) -> int:
    """Half of the variables while blocks of 16 suffice, then a size whose blocks stay small in memory."""
    return min((d + 1) // 2, 16) if d <= 32 else 12


def check_circuit_memory(settings: CircuitSettings, d: int, limit: int, tables: int) -> None:
    """Refuse circuits whose blocks and leaf tables would take more than `limit` bytes, before they are made."""
    blocks, largest = 1, d
    for factor in settings.expansion:
        blocks *= 2 * min(factor, comb(largest, largest // 2))
        largest -= largest // 2
    needed = 16 * blocks * 2**largest + tables
    if needed > limit:
        raise InvalidValue(
            f"expansion={list(settings.expansion)} gives up to {blocks:,} blocks of {largest} variables, about "
            f"{readable_bytes(needed)}; the limit is {readable_bytes(limit)}. Choose smaller factors, a smaller "
            "block_size (and one more factor), lower candidates=, or raise memory_limit= (in bytes)."
        )


def learn_circuit(
    families: Sequence[Family], settings: CircuitSettings, seed: np.random.SeedSequence, workers: Workers
) -> tuple[CircuitOrders, dict[str, float]]:
    """Build a structure and weigh it; also what the oracle reports about its work."""
    tables = LeafTables.of(families, workers)
    built = build(
        tables,
        settings.oracle,
        settings.expansion,
        settings.block_size,
        seed,
        distinct=settings.weights != "sampled",
        share=True,
        workers=workers,
    )
    return weigh_circuit(built.structure, families, settings.weights, workers), built.info


def weigh_circuit(
    structure: Structure, families: Sequence[Family], weights: str | np.ndarray, workers: Workers
) -> CircuitOrders:
    """Give a structure its weights, by a rule or as they are."""
    tables = LeafTables.of(families, workers)
    blocks = Blocks.of(tables, structure.before[structure.blocks], structure.variables[structure.blocks])
    log_prefix = log_prefix_sums(blocks, tables.log_mass, workers, "blocks")
    log_masses = blocks.totals(log_prefix)
    log_weights = WEIGHTS[weights](structure, log_masses) if isinstance(weights, str) else weights
    log_covered = upward_sum(structure, np.zeros(structure.n_partitions), log_masses)[0]
    return CircuitOrders(Prior(structure, log_weights, log_masses, float(log_covered)), tuple(families), workers)


def _checked_factors(expansion: Sequence[int]) -> list[int]:
    if isinstance(expansion, str) or not isinstance(expansion, Sequence | np.ndarray):
        raise InvalidType(f"expansion must be a list of whole numbers, one per layer; got {expansion!r}.")
    return [check_integer(f"expansion[{i}]", factor, 1) for i, factor in enumerate(expansion)]
