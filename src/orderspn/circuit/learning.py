"""Learning an OrderSPN in two steps: structure from sampled orders or an oracle, then weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orderspn.chains.diagnostics import diagnose
from orderspn.circuit.building import build, check_expansion, n_layers
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.from_orders import block_bounds, structure_from_orders
from orderspn.circuit.passes import upward_sum
from orderspn.circuit.prior import Prior
from orderspn.circuit.structure import Structure
from orderspn.circuit.weights import WEIGHTS
from orderspn.core.arguments import check_choice, check_integer, is_listing
from orderspn.core.deadline import Deadline, less_than_usual, now
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK
from orderspn.core.workers import Workers
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.leaf_values import leaf_values
from orderspn.lattice.passes import log_prefix_sums
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.oracles.dibs import Dibs
from orderspn.oracles.protocol import Oracle
from orderspn.oracles.random_partitions import RandomPartitions
from orderspn.oracles.registry import make_oracle
from orderspn.search.ensemble import BURN_IN_DRAWS, Effort, Ensemble
from orderspn.search.landscape import landscape_of_all
from orderspn.search.order_edges import edges_given_orders, outsider_share

BLOCK_SIZE = 10
"""Variables of a block by default: then hundreds of orders cost little memory."""

FEW_VARIABLES, MOST_ORDERS, FEWER_ORDERS, LEAST_ORDERS = 40, 1024, 512, 64
"""Up to how many variables how many orders are sampled by default, how many beyond, and the fewest to save memory."""

SHARE_OF_MEMORY = 8
"""The leaf values and lattices of blocks may take one part in so many of the memory: queries need copies of them."""

BURN_IN, AFTERWARDS = 0.35, 0.2
"""Parts of the time there is for the burn-in, and of what is left then for what follows the circuit."""

PAIRS, ENTRIES = 1.5, 0.2
"""What is done with an order after it was sampled, as multiples of the probability of one edge given an order: for
every pair of variables, and for every entry of the leaf tables of its blocks."""

LATER_PARTITIONS = 4
ROOT_PARTITIONS = 64
"""Expansion factors by default where only an oracle is named: of the root, and of the layers below."""


@dataclass(frozen=True)
class CircuitSettings:
    """How a circuit is to be learned, checked.

    Either from sampled orders, or with an oracle and an expansion factor for each layer.
    """

    block_size: int
    weights: str
    n_orders: int | None = None
    oracle: Oracle | None = None
    expansion: tuple[int, ...] = ()

    @classmethod
    def checked(
        cls,
        d: int,
        memory: int,
        oracle: str | Oracle | None,
        expansion: Sequence[int] | None,
        block_size: int | None,
        weights: str | None,
        n_orders: int | None,
    ) -> CircuitSettings:
        """Check arguments and fill in defaults for `d` variables."""
        size = default_block_size(d) if block_size is None else block_size
        size = check_integer("block_size", size, 1, MOST_IN_CIRCUIT_BLOCK)
        if weights is not None:
            check_choice("weights", weights, tuple(WEIGHTS))
        if oracle is None and expansion is None:
            count = default_n_orders(d, size, memory) if n_orders is None else check_integer("n_orders", n_orders, 1)
            count = 1 if size >= d else count  # one block holds all orders, whichever is cut
            return cls(size, weights or "sampled", n_orders=count)
        if n_orders is not None:
            raise InvalidValue(
                "n_orders belongs to circuits from sampled orders; with oracle= or expansion= they grow otherwise. "
                "Leave one or the other out."
            )
        factors = (
            ([ROOT_PARTITIONS] + [LATER_PARTITIONS] * d)[: n_layers(d, size)]
            if expansion is None
            else _checked_factors(expansion)
        )
        check_expansion(factors, d, size)
        asked = make_oracle("auto" if oracle is None else oracle)
        usual = "elbo" if isinstance(asked, RandomPartitions | Dibs) else "sampled"
        return cls(size, weights or usual, oracle=asked, expansion=tuple(factors))

    def recorded(self) -> dict[str, Any]:
        """The settings as JSON values."""
        if self.oracle is None:
            return {"n_orders": self.n_orders, "block_size": self.block_size, "weights": self.weights}
        return {
            "oracle": self.oracle.settings(),
            "expansion": list(self.expansion),
            "block_size": self.block_size,
            "weights": self.weights,
        }


def default_block_size(d: int) -> int:
    """Two blocks for few variables, else blocks that stay small in memory."""
    return min((d + 1) // 2, BLOCK_SIZE) if d <= 2 * BLOCK_SIZE else BLOCK_SIZE + (d <= FEW_VARIABLES)


def default_n_orders(d: int, block_size: int, memory: int) -> int:
    """As many orders as have room, within reason."""
    most = MOST_ORDERS if d <= FEW_VARIABLES else FEWER_ORDERS
    return max(LEAST_ORDERS, min(most, memory // (SHARE_OF_MEMORY * _bytes_per_order(d, block_size))))


def block_sizes_of(d: int, block_size: int) -> list[int]:
    """Variables of each block that an order is cut into."""
    return np.diff(block_bounds(d, block_size)).tolist()


def leaf_entries(block_sizes: Sequence[int]) -> int:
    """Entries of leaf tables that blocks have of their own: one for each variable and set of others before it."""
    return sum(n << (n - 1) for n in block_sizes)


def _bytes_per_order(d: int, block_size: int) -> int:
    """Of the blocks of one order: a leaf value for each variable and subset, a sum up and one down for each subset."""
    largest = -(-d // -(-d // block_size))
    return 8 * d * 2 ** (largest - 1) + 16 * -(-d // largest) * 2**largest


def most_blocks(d: int, expansion: Sequence[int]) -> tuple[int, int]:
    """How many blocks a circuit that is grown has at most, and how many variables each of them."""
    count, largest = 1, d
    for factor in expansion:
        count *= 2 * min(factor, math.comb(largest, largest // 2))
        largest -= largest // 2
    return count, largest


@dataclass(frozen=True, eq=False)
class Learned:
    """A circuit, what its making has to say, and the orders that it was made from, if any."""

    orders: CircuitOrders
    report: dict[str, Any]
    warning: str | None = None
    sampled: np.ndarray | None = None  # (orders, d)
    shortened: dict[str, list[int]] = field(default_factory=dict)


def learn_from_orders(
    families: Sequence[Family],
    settings: CircuitSettings,
    effort: Effort,
    starts: np.ndarray | None,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> Learned:
    """Sample orders with tempered chains, as many as there is time for, cut them into blocks, and weigh the result."""
    assert settings.n_orders is not None
    begin = now()
    landscape = landscape_of_all(LeafTables.of(families, workers))
    laying_out = now() - begin
    ensemble = Ensemble.started(landscape, effort, seed, workers, starts)
    trace = ensemble.burn_in("search", deadline.share(BURN_IN))
    sampling = deadline.share(1.0 - AFTERWARDS).before(laying_out)
    n_orders, each = _timely_orders(ensemble, settings, sampling)
    sample = ensemble.sample(n_orders, "orders", sampling.before(n_orders * each))
    edges = edges_given_orders(sample.all_states, landscape, workers)
    diagnostics = diagnose(sample, edges)
    structure = structure_from_orders(sample.all_states, settings.block_size)
    orders = weigh_circuit(structure, families, settings.weights, workers)
    report = {
        "n_orders": len(sample.all_states),
        "diagnostics": diagnostics.as_dict(),
        "outsider_share": outsider_share(sample.all_states, landscape),
    }
    shortened = less_than_usual(
        burn_in=(trace.shape[1], BURN_IN_DRAWS), n_orders=(len(sample.all_states), settings.n_orders)
    )
    return Learned(orders, report, diagnostics.warning, sample.all_states, shortened)


def _timely_orders(ensemble: Ensemble, settings: CircuitSettings, deadline: Deadline) -> tuple[int, float]:
    """How many orders there is time for, and the seconds that each takes after it was sampled."""
    assert settings.n_orders is not None
    if deadline.left == math.inf:
        return settings.n_orders, 0.0
    some = ensemble.ends.reshape(-1, ensemble.landscape.n)
    begin = now()
    edges_given_orders(some, ensemble.landscape, ensemble.workers)
    d = ensemble.landscape.n
    pairs = d * (d - 1) / 2
    seconds_per_pair = (now() - begin) / (len(some) * pairs)
    each = seconds_per_pair * (PAIRS * pairs + ENTRIES * leaf_entries(block_sizes_of(d, settings.block_size)))
    return min(settings.n_orders, int(deadline.left / (each + ensemble.seconds_per_order()))), each


def learn_whole(families: Sequence[Family], settings: CircuitSettings, workers: Workers) -> Learned:
    """One block of all variables: there is nothing to search for."""
    structure = structure_from_orders(np.arange(len(families))[None], settings.block_size)
    return Learned(weigh_circuit(structure, families, settings.weights, workers), {})


def learn_circuit(
    families: Sequence[Family], settings: CircuitSettings, seed: np.random.SeedSequence, workers: Workers
) -> Learned:
    """Build a structure with an oracle and weigh it."""
    assert settings.oracle is not None
    tables = LeafTables.of(families, workers)
    built = build(
        tables,
        settings.oracle,
        settings.expansion,
        settings.block_size,
        seed,
        distinct=settings.weights != "sampled",
        workers=workers,
    )
    orders = weigh_circuit(built.structure, families, settings.weights, workers)
    return Learned(orders, {"oracle_info": built.info})


def weigh_circuit(
    structure: Structure, families: Sequence[Family], weights: str | np.ndarray, workers: Workers
) -> CircuitOrders:
    """Give a structure its weights, by a rule or as they are."""
    tables = LeafTables.of(families, workers)
    blocks = Blocks.of(tables, structure.before[structure.blocks], structure.variables[structure.blocks])
    log_leaves = leaf_values(tables, blocks, "log_mass", workers, "parents")
    log_prefix = log_prefix_sums(blocks, log_leaves, workers, "blocks")
    log_masses = blocks.totals(log_prefix)
    log_weights = WEIGHTS[weights](structure, log_masses) if isinstance(weights, str) else weights
    log_covered = upward_sum(structure, np.zeros(structure.n_partitions), log_masses)[0]
    prior = Prior(structure, log_weights, log_masses, float(log_covered))
    return CircuitOrders(prior, tuple(families), workers, leaves=log_leaves)


def _checked_factors(expansion: Sequence[int]) -> list[int]:
    if not isinstance(expansion, Sequence | np.ndarray) or not is_listing(expansion):
        raise InvalidType(f"expansion must be a list of whole numbers, one per layer; got {expansion!r}.")
    return [check_integer(f"expansion[{i}]", factor, 1) for i, factor in enumerate(expansion)]
