"""Circuits from sampled orders: each order is cut into blocks, and equal parts of different orders are one node.

Orders are draws from the posterior. The mixture of their cuts, weighted by the number of draws, is an unbiased estimate
of the posterior, and sums all orders within blocks exactly. Two orders with the same set of first variables share the
node of that set. Given the set, the two sides are independent, so each first part is combined with each second part.
"""

from __future__ import annotations

import numpy as np

from orderspn.circuit.growth import Growth
from orderspn.circuit.structure import Structure
from orderspn.circuit.validation import validate
from orderspn.scores.protocol import NO_VARIABLES


def block_bounds(d: int, block_size: int) -> list[int]:
    """Return the places at which orders are cut into blocks of nearly equal size, 0 and d included."""
    n_blocks = -(-d // block_size)
    return [d * i // n_blocks for i in range(n_blocks + 1)]


def block_sizes_of(d: int, block_size: int) -> list[int]:
    """Variables of each block that an order is cut into."""
    return np.diff(block_bounds(d, block_size)).tolist()


def structure_from_orders(orders: np.ndarray, block_size: int, context: np.ndarray = NO_VARIABLES) -> Structure:
    """Build the circuit of the cuts of orders (m, n)."""
    return structure_with_paths(orders, block_size, context)[0]


def structure_with_paths(
    orders: np.ndarray, block_size: int, context: np.ndarray = NO_VARIABLES
) -> tuple[Structure, np.ndarray]:
    """Build the circuit of orders (m, n); also return the partitions that each order passes through, (m, cuts).

    Orders are of all variables but the `context` ones, which come before them.
    """
    growth = Growth(orders.shape[1] + context.size, context)
    bounds = block_bounds(orders.shape[1], block_size)
    cuts = _grow(growth, growth.root, orders, bounds)
    structure = growth.structure()
    validate(structure)
    paths = np.empty((len(orders), len(bounds) - 2), dtype=np.int64)
    passed = np.zeros(len(orders), dtype=np.int64)
    for region, number, which in cuts:
        paths[which, passed[which]] = structure.partition_starts[region] + number
        passed[which] += 1
    return structure, paths


def _grow(growth: Growth, root: int, orders: np.ndarray, bounds: list[int]) -> list[tuple[int, int, np.ndarray]]:
    """Split regions at their middle bound, layer by layer, so that parts have higher numbers than their regions.

    Return each partition as its region, its number among the partitions of that region, and its orders.
    """
    cuts: list[tuple[int, int, np.ndarray]] = []
    layer: dict[int, tuple[np.ndarray, int, int]] = {root: (np.arange(len(orders)), 0, len(bounds) - 1)}
    while layer:
        below: dict[int, tuple[np.ndarray, int, int]] = {}
        for region, (which, first, last) in layer.items():
            if last - first == 1:
                continue
            middle = (first + last) // 2
            found = _by_first_part(orders[which, bounds[first] : bounds[middle]], growth.d)
            for number, (part, members) in enumerate(found):
                parts = growth.divide(region, part, len(members))
                cuts.append((region, number, which[members]))
                for child, (a, b) in zip(parts, ((first, middle), (middle, last)), strict=True):
                    known = below[child][0] if child in below else np.empty(0, dtype=np.int64)
                    below[child] = (np.concatenate([known, which[members]]), a, b)
        layer = below
    return cuts


def _by_first_part(front: np.ndarray, d: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the distinct sets of first variables (m, k) as boolean rows (d,), each with the orders that have it."""
    rows = np.zeros((len(front), d), dtype=bool)
    np.put_along_axis(rows, front, True, axis=1)
    groups: dict[bytes, list[int]] = {}
    for number, row in enumerate(np.packbits(rows, axis=1)):
        groups.setdefault(row.tobytes(), []).append(number)
    return [(rows[members[0]], np.array(members)) for members in groups.values()]
