"""The posterior of the parent sets of each variable, and of precedences, from the sums of lattices.

In a block, the probability that exactly U precedes j is
`exp(log_prefix[U] + log_leaf_j(U) + log_suffix[rest without j] - log_total)`. Summed by the candidates and outsiders of
j within U, it is the `placement`, and `placement / tau` gives the posterior of the parent sets of j. Summed by the
members of U, it is the probability that one variable precedes another. Blocks are weighted by their own probability.

If blocks have their own leaf tables, `placement / tau` follows from their openings, without leaf values. Precedences
need these, and are summed in a pass of their own when they are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.lattice.blocks import Blocks
from orderspn.lattice.leaf_values import Entries
from orderspn.lattice.openings import Openings
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.leaves.transforms import ZERO_EXPONENT, split_into

NEGLIGIBLE = -120.0
"""Log probability below which a visit is skipped; together, all such visits have probability below 1e-40."""


class Predecessors(Protocol):
    """What follows from the probabilities of predecessors."""

    @property
    def parent_sets(self) -> list[np.ndarray]:
        """For each variable, shape (rows * 2**K,): the posterior probability of every parent set.

        It is 0 for a variable that is in no block, and 1 for the empty set of a context variable.
        """

    @property
    def edges(self) -> np.ndarray:
        """Edge probabilities, shape (d, d): row = cause, column = effect."""

    @property
    def precedence(self) -> np.ndarray:
        """Probability that the variable of the row comes before that of the column, shape (d, d)."""


@dataclass(frozen=True, eq=False)
class Lattices:
    """Blocks with their sums under the families of `tables`, and with the log probabilities of blocks (blocks,).

    Blocks with a common variable are mutually exclusive.
    """

    blocks: Blocks
    tables: LeafTables
    log_prefix: np.ndarray
    log_suffix: np.ndarray
    log_weights: np.ndarray
    workers: Workers

    def openings(self) -> Openings:
        """Return the openings of the blocks, if they have their own leaf tables."""
        return Openings.of(self.blocks, self.tables, self.log_prefix, self.log_suffix, self.workers)

    def prepare(self) -> None:
        """Have cached what threads would otherwise compute several times."""
        _ = self.blocks.owner, self.blocks.sizes, self.tables.starts, self.tables.slots


class SharedVisits:
    """Predecessors in blocks that share the tables of families: one pass gives all answers."""

    def __init__(self, lattices: Lattices, log_leaves: np.ndarray, work: str) -> None:
        tables, workers = lattices.tables, lattices.workers
        d = len(tables.families)
        self.precedence = np.zeros((d, d))
        self.parent_sets = _one_array(tables)
        lattices.prepare()

        def fill(variable: int) -> None:
            family, own = tables.families[variable], self.parent_sets[variable]
            entries = Entries.of(lattices.blocks, variable)
            placement = np.zeros(own.size)
            places = entries.starts - tables.starts[variable]
            _visit(lattices, log_leaves, entries, places, placement, self.precedence[:, variable])
            fill_parent_sets(family, placement, own)

        workers.run([partial(fill, v) for v in range(d)], workers.steps(work, d))
        self._families = tables.families

    @cached_property
    def edges(self) -> np.ndarray:
        """Edge probabilities."""
        d = len(self._families)
        columns = [f.edge_marginals(p, d) for f, p in zip(self._families, self.parent_sets, strict=True)]
        return in_unit_interval(np.stack(columns, axis=1))


@dataclass(frozen=True, eq=False)
class OwnVisits:
    """Predecessors in blocks with their own leaf tables; every answer is computed when it is asked for.

    Parent sets are many, so edges are summed without keeping them. How to get the sums of lattices and the leaf values
    is given instead of these: they are needed for precedences only.
    """

    blocks: Blocks
    tables: LeafTables
    log_weights: np.ndarray
    openings: Openings
    find_lattices: Callable[[], Lattices]
    find_leaves: Callable[[], np.ndarray]
    workers: Workers
    work: str

    @cached_property
    def parent_sets(self) -> list[np.ndarray]:
        """Posterior probabilities of parent sets."""
        parent_sets = _one_array(self.tables)
        self._for_each_variable(lambda v: self._fill(v, parent_sets[v]))
        return parent_sets

    @cached_property
    def edges(self) -> np.ndarray:
        """Edge probabilities."""
        families = self.tables.families
        edges = np.empty((len(families), len(families)))

        def fill(variable: int) -> None:
            family = families[variable]
            own = np.zeros(family.log_score.size)
            self._fill(variable, own)
            edges[:, variable] = family.edge_marginals(own, len(families))

        self._for_each_variable(fill)
        return in_unit_interval(edges)

    @cached_property
    def precedence(self) -> np.ndarray:
        """Precedences."""
        return _precedence(self.find_lattices(), self.find_leaves(), "precedences")

    def _fill(self, variable: int, parent_sets: np.ndarray) -> None:
        """Fill the probabilities of the parent sets of a variable, from zeros."""
        exponent = np.full(parent_sets.size, ZERO_EXPONENT, dtype=np.int32)
        self.openings.ratios(variable, self.blocks, self.tables, self.log_weights, parent_sets, exponent)
        _finish(self.tables.families[variable], parent_sets, exponent)

    def _for_each_variable(self, fill: Callable[[int], None]) -> None:
        d = len(self.tables.families)
        _ = self.blocks.owner, self.blocks.sizes, self.tables.slots  # cached before threads use them
        self.workers.run([partial(fill, v) for v in range(d)], self.workers.steps(self.work, d))


def in_unit_interval(probabilities: np.ndarray) -> np.ndarray:
    """Return probabilities that the rounding errors of long sums may have carried out of the unit interval."""
    return np.clip(probabilities, 0.0, 1.0)


def _one_array(tables: LeafTables) -> list[np.ndarray]:
    """Return zeros for the parent sets of each variable: views of one array, as in `leaves/scoring.py`."""
    return np.split(np.zeros(tables.starts[-1]), tables.starts[1:-1])


def fill_parent_sets(family: Family, placement: np.ndarray, parent_sets: np.ndarray) -> None:
    """Fill the probabilities of the parent sets of a family from its placement, both of shape (rows * 2**K,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.where(placement > 0.0, np.log(placement) - family.log_mass, -np.inf)
    exponent = np.empty(parent_sets.size, dtype=np.int32)
    split_into(log_ratio, parent_sets, exponent)
    _finish(family, parent_sets, exponent)


def _finish(family: Family, mantissa: np.ndarray, exponent: np.ndarray) -> None:
    """Turn the ratios of a family into the probabilities of its parent sets."""
    if family.is_context:  # it is in no block, and has the empty set alone
        mantissa[:] = 1.0
        return
    family.parent_set_probabilities(mantissa, exponent)


def _precedence(lattices: Lattices, log_leaves: np.ndarray, work: str) -> np.ndarray:
    """Return the precedences if every block has its own leaf tables."""
    d, workers = len(lattices.tables.families), lattices.workers
    precedence = np.zeros((d, d))
    lattices.prepare()

    def fill(variable: int) -> None:
        entries = Entries.of(lattices.blocks, variable)
        places = np.cumsum(entries.sizes) - entries.sizes
        placement = np.zeros(entries.sizes.sum())
        _visit(lattices, log_leaves, entries, places, placement, precedence[:, variable])

    workers.run([partial(fill, v) for v in range(d)], workers.steps(work, d))
    return precedence


def _visit(
    lattices: Lattices,
    log_leaves: np.ndarray,
    entries: Entries,
    places: np.ndarray,
    placement: np.ndarray,
    before_it: np.ndarray,
) -> None:
    blocks = lattices.blocks
    _visit_variable(
        entries.positions,
        entries.holders,
        places,
        entries.starts,
        placement,
        before_it,
        lattices.log_prefix,
        lattices.log_suffix,
        lattices.log_weights,
        blocks.before,
        blocks.members,
        blocks.member_starts,
        blocks.stride_starts,
        blocks.value_starts,
        blocks.strides,
        log_leaves,
    )


@kernel
def _visit_variable(
    positions,
    holders,
    places,
    starts,
    placement,
    before_it,
    log_prefix,
    log_suffix,
    log_weights,
    before,
    members,
    member_starts,
    stride_starts,
    value_starts,
    strides,
    log_leaves,
):
    """Sum the visits of one variable over the blocks that contain it."""
    for entry in range(holders.size):
        block, j = holders[entry], positions[entry]
        log_weight = log_weights[block]
        if not log_weight > NEGLIGIBLE:
            continue
        first, last = member_starts[block], member_starts[block + 1]
        n = last - first
        within = np.zeros(n)
        _visit_block(
            j,
            placement,
            within,
            log_prefix[value_starts[block] : value_starts[block + 1]],
            log_suffix[value_starts[block] : value_starts[block + 1]],
            log_weight,
            places[entry],
            starts[entry],
            strides[stride_starts[block] + j * n : stride_starts[block] + (j + 1) * n],
            log_leaves,
        )
        for b in range(n):
            before_it[members[first + b]] += within[b]
        weight = math.exp(log_weight)
        for v in range(before.shape[1]):
            if before[block, v]:
                before_it[v] += weight


@kernel
def _visit_block(j, placement, within, log_prefix, log_suffix, log_weight, place, start, strides, log_leaves):
    """Add the visits of the j-th variable of one block; `within[b]` gets those that come after variable b."""
    n = strides.size
    bits = min(n, 8)
    full = (1 << n) - 1
    own = 1 << j
    log_scale = log_weight - log_prefix[full]
    low_index = np.zeros(1 << bits, np.int64)
    for b in range(bits):
        for pattern in range(1 << b):
            low_index[pattern | (1 << b)] = low_index[pattern] + strides[b]
    by_low = np.zeros(1 << bits)
    for row in range(1 << (n - bits)):
        if (row << bits) & own:
            continue
        row_index = 0
        for b in range(bits, n):
            if (row >> (b - bits)) & 1:
                row_index += strides[b]
        row_total = 0.0
        for low in range(1 << bits):
            if low & own:
                continue
            subset = (row << bits) | low
            index = row_index + low_index[low]
            log_leaf = log_leaves[start + index]
            log_probability = log_prefix[subset] + log_leaf + log_suffix[full ^ subset ^ own] + log_scale
            if log_probability > NEGLIGIBLE:
                probability = math.exp(log_probability)
                placement[place + index] += probability
                by_low[low] += probability
                row_total += probability
        for b in range(bits, n):
            if (row >> (b - bits)) & 1:
                within[b] += row_total
    for b in range(bits):
        for low in range(1 << bits):
            if (low >> b) & 1:
                within[b] += by_low[low]
