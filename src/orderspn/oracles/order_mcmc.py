"""Order MCMC: partitions of the orders that a Metropolis chain visits.

The chain walks over the orders of S_2, S_1 being before, with stationary distribution in proportion to the product of
the leaf masses `tau_j(S_1 + predecessors of j)`. It begins at an order built greedily, and a partition is the first
half of an order.

The state knows of each variable the index of its leaf value in the flat tables (see `lattice/blocks.py`), so that a
variable that passes another changes two indices by one stride each. Both moves take a variable out of its place and
put it into another, all between them moving up by one: *adjacent* into the next place, *relocation* into any. The way
back is as probable as the way there, so that a move is accepted by the ratio of the masses alone.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.oracles.partitions import block_of, distinct_rows, gather, no_possible_order, once_each, split_orders
from orderspn.oracles.protocol import Proposal, Question

ADJACENT, RELOCATION = 0, 1
"""The kinds of moves, in the tally of a chain."""

STEPS, BURN_IN = 400, 100
"""Moves of a chain by default, times the square of the number of variables."""

SWEEPS = 10
"""How often each variable is put into its best place before the chain begins, at most."""

BURN_IN_LOOKS, STUCK_BELOW = 20, 10.0
"""Looks at the second half of the burn-in, and by how many nats a chain must be below the best there to be dropped."""

FURTHER_ROUNDS = 3
"""How often a chain that saw too few different partitions walks on for as long again."""


@dataclass(frozen=True)
class OrderMCMC:
    """Partitions of orders visited by a Metropolis chain.

    Draws with repetition are `count` orders evenly spaced along the chain. Distinct partitions are those most
    frequently visited; if a concentrated posterior shows too few of them, they are joined by the best of those that
    differ by the exchange of two variables, then of those that differ from these, and so on.

    Parameters
    ----------
    steps : int, optional
        Moves over which the chain is observed; by default `400 n**2` for n variables. It walks on for longer where
        `count` draws, `thin` moves apart, need more, or too few distinct partitions were seen.
    burn_in : int, optional
        Moves before that; by default `100 n**2`.
    thin : int, optional
        Moves between two observed orders; by default n. Draws with repetition are at least this far apart.
    relocation_share : float
        How many of the moves are relocations; the others are adjacent.
    chains : int
        Chains that burn in, the first from a good order, the others from random ones. Those whose mean log score stays
        more than 10 below the best are stuck in a worse region and dropped; the others share the work.
    """

    steps: int | None = None
    burn_in: int | None = None
    thin: int | None = None
    relocation_share: float = 0.8
    chains: int = 4

    def __post_init__(self) -> None:
        check_integer("chains", self.chains, 1)
        for name, minimum in (("steps", 1), ("burn_in", 0), ("thin", 1)):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), minimum)
        _check_share(self.relocation_share)

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        n = int(question.variables.size)
        steps = STEPS * n**2 if self.steps is None else self.steps
        thin = n if self.thin is None else self.thin
        burn_in = BURN_IN * n**2 if self.burn_in is None else self.burn_in
        chains = Chains.started(question, self.chains, self.relocation_share, burn_in, rng)
        if distinct:
            wanted = min(count, question.n_partitions)
            visited = _observe(chains, wanted, max(1, steps // thin), thin)
            orders = _complete(visited, chains.landscape, wanted)
            return once_each(split_orders(orders), chains.info(len(visited)))
        orders, _ = chains.walk(count, max(thin, steps // count))
        proposal = gather(split_orders(orders))
        proposal.info.update(chains.info(len(proposal.first)))
        return proposal

    def settings(self) -> dict[str, Any]:
        """Name and parameters, as JSON values."""
        return {
            "name": "order-mcmc",
            "steps": self.steps,
            "burn_in": self.burn_in,
            "thin": self.thin,
            "relocation_share": self.relocation_share,
            "chains": self.chains,
        }


@dataclass(frozen=True, eq=False)
class _Landscape:
    """Where the score of an order is found: the geometry of the block, and all leaf values."""

    offsets: np.ndarray  # (n,)
    strides: np.ndarray  # (n, n)
    log_leaves: np.ndarray

    @classmethod
    def of(cls, question: Question) -> _Landscape:
        _, offsets, strides = block_of(question).geometry(0)
        return cls(offsets, strides, question.tables.log_mass)

    def allows(self, order: np.ndarray) -> bool:
        """Whether an order is possible."""
        index, current = np.empty(order.size, dtype=np.int64), np.empty(order.size)
        _locate(order, *self.arrays, index, current)
        return bool((current > -np.inf).all())

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.offsets, self.strides, self.log_leaves


class Chain:
    """A Metropolis chain: its landscape, the order it is at, and how often its moves were accepted."""

    def __init__(
        self,
        question: Question,
        relocation_share: float,
        rng: np.random.Generator,
        start: np.ndarray | None = None,
    ) -> None:
        self.landscape = _Landscape.of(question)
        if start is None or not self.landscape.allows(start):
            start = good_order(self.landscape)
        if start is None:
            raise no_possible_order(question)
        self._order = start
        self._relocation_share, self._rng = float(relocation_share), rng
        self._tally = np.zeros((2, 2), dtype=np.int64)  # of each kind of move: tried, accepted

    def walk(self, looks: int, thin: int) -> tuple[np.ndarray, np.ndarray]:
        """Walk on, looking after every `thin` moves: the orders seen (looks, n), and their log scores (looks,)."""
        orders = np.empty((looks, self._order.size), dtype=np.int64)
        log_scores = np.empty(looks)
        _walk(
            self._order,
            *self.landscape.arrays,
            thin,
            self._relocation_share,
            self._rng,
            orders,
            log_scores,
            self._tally,
        )
        self._order = orders[-1].copy()
        return orders, log_scores

    @property
    def tally(self) -> np.ndarray:
        """Of each kind of move, how many were tried and accepted, shape (2, 2)."""
        return self._tally


@dataclass(frozen=True, eq=False)
class Chains:
    """Chains from different starts, of which those that found the best region share the work."""

    kept: tuple[Chain, ...]
    n_started: int
    gap: float  # how far the mean log score of the worst chain was below that of the best

    @classmethod
    def started(
        cls, question: Question, n_chains: int, relocation_share: float, burn_in: int, rng: np.random.Generator
    ) -> Chains:
        """Burn in chains, the first from a good order, the others from random ones; keep the best."""
        chains, means = [], []
        for number in range(n_chains):
            start = rng.permutation(question.variables.size) if number else None
            chain = Chain(question, relocation_share, rng, start)
            _, log_scores = chain.walk(2 * BURN_IN_LOOKS, burn_in // (2 * BURN_IN_LOOKS))
            chains.append(chain)
            means.append(log_scores[BURN_IN_LOOKS:].mean())
        kept = [chain for chain, mean in zip(chains, means, strict=True) if mean >= max(means) - STUCK_BELOW]
        return cls(tuple(kept), n_chains, float(max(means) - min(means)))

    @property
    def landscape(self) -> _Landscape:
        """What all chains walk over."""
        return self.kept[0].landscape

    def walk(self, looks: int, thin: int) -> tuple[np.ndarray, np.ndarray]:
        """Walk on with all chains, so that together they look `looks` times."""
        shares = [looks // len(self.kept) + (i < looks % len(self.kept)) for i in range(len(self.kept))]
        walks = [chain.walk(share, thin) for chain, share in zip(self.kept, shares, strict=True) if share]
        return np.concatenate([orders for orders, _ in walks]), np.concatenate([scores for _, scores in walks])

    def info(self, distinct: int) -> dict[str, float]:
        """Acceptance rates (0 for moves never tried), partitions seen, chains kept, and how far they were apart."""
        tally = np.sum([chain.tally for chain in self.kept], axis=0)
        tried, accepted = tally.sum(axis=0)
        rates = tally[:, 1] / np.maximum(tally[:, 0], 1)
        return {
            "acceptance": float(accepted / max(tried, 1)),
            "acceptance_adjacent": float(rates[ADJACENT]),
            "acceptance_relocation": float(rates[RELOCATION]),
            "distinct": float(distinct),
            "chains_kept": len(self.kept) / self.n_started,
            "score_gap": self.gap,
        }


def good_order(landscape: _Landscape) -> np.ndarray | None:
    """A possible order of high score, built from its beginning, then improved variable by variable; None if none is.

    A variable that is possible after some variables is so after more. So if the construction finds no one to place
    next, it would have come no further by other choices before.
    """
    order = _greedy_order(*landscape.arrays, np.ones(landscape.offsets.size, dtype=bool))
    if order[-1] < 0:
        return None
    _improve(order, *landscape.arrays, SWEEPS)
    return order


def _check_share(share: object) -> None:
    if isinstance(share, bool) or not isinstance(share, numbers.Real):
        raise InvalidType(f"relocation_share must be a number from 0 to 1; got {share!r}.")
    if not 0.0 <= float(share) <= 1.0:
        raise InvalidValue(f"relocation_share must be a number from 0 to 1; got {share}.")


def _observe(chain: Chains, count: int, looks: int, thin: int) -> np.ndarray:
    """Orders of different partitions, the most frequently visited first, shape (m, n).

    The chain walks on while it has seen fewer than `count` partitions, but not for ever.
    """
    orders, log_scores = chain.walk(looks, thin)
    visited = _rank_by_visits(orders, log_scores)
    for _ in range(FURTHER_ROUNDS):
        if len(visited) >= count:
            break
        more_orders, more_log_scores = chain.walk(looks, thin)
        orders, log_scores = np.concatenate([orders, more_orders]), np.concatenate([log_scores, more_log_scores])
        visited = _rank_by_visits(orders, log_scores)
    return visited


def _rank_by_visits(orders: np.ndarray, log_scores: np.ndarray) -> np.ndarray:
    """The best order of each partition, the most frequent partition first, among equals that of the best order."""
    best_first = np.argsort(-log_scores, kind="stable")
    places, visits = distinct_rows(split_orders(orders[best_first]))  # first places, hence of the best orders
    return orders[best_first[places[np.lexsort((places, -visits))]]]


def _complete(orders: np.ndarray, landscape: _Landscape, count: int) -> np.ndarray:
    """Orders of `count` different partitions: those given, then the best ones an exchange away, and so on."""
    chosen = {_first_part(order): order for order in orders[:count]}
    frontier = list(chosen.values())
    impossible: dict[frozenset[int], np.ndarray] = {}  # taken when nothing else is left
    while len(chosen) < count:
        found: dict[frozenset[int], np.ndarray] = {}
        for order, log_score in _exchanges(frontier, landscape):
            part = _first_part(order)
            if part in chosen or part in found or part in impossible:
                continue
            mended = order if log_score > -np.inf else _possible_order(order, landscape)
            if mended is None:
                impossible[part] = order
            else:
                found[part] = mended
            if len(chosen) + len(found) == count:
                break
        if not found:
            found, impossible = impossible, {}
        chosen.update(found)
        frontier = list(found.values())
    return np.stack(list(chosen.values())[:count])


def _possible_order(order: np.ndarray, landscape: _Landscape) -> np.ndarray | None:
    """A possible order with the same first half, or None."""
    found = _greedy_order(*landscape.arrays, split_orders(order[None])[0])
    return None if found[-1] < 0 else found


def _first_part(order: np.ndarray) -> frozenset[int]:
    return frozenset(order[: order.size // 2].tolist())


def _exchanges(orders: list[np.ndarray], landscape: _Landscape) -> Iterator[tuple[np.ndarray, float]]:
    """Orders in which a variable of the first half and one of the second changed places, the best first."""
    log_scores = _score_exchanges(np.stack(orders), *landscape.arrays)  # (orders, n_first, n - n_first)
    best_first = np.argsort(-log_scores, axis=None, kind="stable")
    n_first = log_scores.shape[1]
    for which, p, q in zip(*np.unravel_index(best_first, log_scores.shape), strict=True):
        order = orders[which].copy()
        order[[p, n_first + q]] = order[[n_first + q, p]]
        yield order, float(log_scores[which, p, q])


@njit(cache=True, nogil=True)
def _locate(order, offsets, strides, log_leaves, index, current):
    """Fill in where the leaf value of each variable is, given the variables before it, and the value."""
    for place in range(order.size):
        j = order[place]
        index[j] = offsets[j]
        for earlier in range(place):
            index[j] += strides[j, order[earlier]]
        current[j] = log_leaves[index[j]]


@njit(cache=True, nogil=True)
def _gain(order, p, q, index, current, strides, log_leaves):
    """By what the log score of a possible order changes when the variable at place p moves to place q."""
    moving = order[p]
    step = 1 if q > p else -1
    moved_index = index[moving]
    gain = -current[moving]
    for place in range(p + step, q + step, step):
        other = order[place]
        moved_index += step * strides[moving, other]
        gain += log_leaves[index[other] - step * strides[other, moving]] - current[other]
    return gain + log_leaves[moved_index]


@njit(cache=True, nogil=True)
def _move(order, p, q, index, current, strides, log_leaves):
    """Move the variable at place p to place q."""
    moving = order[p]
    step = 1 if q > p else -1
    for place in range(p + step, q + step, step):
        other = order[place]
        index[moving] += step * strides[moving, other]
        index[other] -= step * strides[other, moving]
        current[other] = log_leaves[index[other]]
        order[place - step] = other
    order[q] = moving
    current[moving] = log_leaves[index[moving]]


@njit(cache=True, nogil=True)
def _walk(order, offsets, strides, log_leaves, thin, relocation_share, rng, orders, log_scores, tally):
    n = order.size
    state = order.copy()
    index = np.empty(n, np.int64)
    current = np.empty(n)
    _locate(state, offsets, strides, log_leaves, index, current)
    for look in range(orders.shape[0]):
        for _ in range(thin):
            kind = RELOCATION if rng.random() < relocation_share else ADJACENT
            p = int(rng.random() * n)
            q = int(rng.random() * n) if kind == RELOCATION else p + 1
            if q in (p, n):
                # Staying now and then keeps the chain from going round in steps of two where all is accepted.
                continue
            tally[kind, 0] += 1
            gain = _gain(state, p, q, index, current, strides, log_leaves)
            if gain >= 0.0 or rng.random() < math.exp(gain):
                _move(state, p, q, index, current, strides, log_leaves)
                tally[kind, 1] += 1
        orders[look] = state
        log_scores[look] = current.sum()


@njit(cache=True, nogil=True)
def _greedy_order(offsets, strides, log_leaves, first):
    """Place next whom it costs least to have none of the rest before it; -1 from where no one is possible.

    All variables marked `first` come before the others.
    """
    n = offsets.size
    n_first = first.sum()
    order = np.full(n, -1, np.int64)
    placed = np.zeros(n, np.bool_)
    index = offsets.copy()
    for place in range(n):
        chosen = -1
        least = np.inf
        for j in range(n):
            if placed[j] or first[j] != (place < n_first) or log_leaves[index[j]] == -np.inf:
                continue
            cost = log_leaves[offsets[j] + strides[j].sum()] - log_leaves[index[j]]
            if chosen < 0 or cost < least:
                chosen, least = j, cost
        if chosen < 0:
            return order
        order[place] = chosen
        placed[chosen] = True
        index += strides[:, chosen]
    return order


@njit(cache=True, nogil=True)
def _improve(order, offsets, strides, log_leaves, sweeps):
    """Put one variable after the other into its best place, until none moves."""
    n = order.size
    index = np.empty(n, np.int64)
    current = np.empty(n)
    _locate(order, offsets, strides, log_leaves, index, current)
    for _ in range(sweeps):
        improved = False
        for variable in range(n):
            p = 0
            while order[p] != variable:
                p += 1
            best, most = p, 0.0
            for q in range(n):
                if q == p:
                    continue
                gain = _gain(order, p, q, index, current, strides, log_leaves)
                if gain > most:
                    best, most = q, gain
            if best != p:
                _move(order, p, best, index, current, strides, log_leaves)
                improved = True
        if not improved:
            return


@njit(cache=True, nogil=True)
def _score_exchanges(orders, offsets, strides, log_leaves):
    """Log score of each order with place p of its first half and place q of its second exchanged."""
    count, n = orders.shape
    n_first = n // 2
    log_scores = np.empty((count, n_first, n - n_first))
    exchanged = np.empty(n, np.int64)
    index = np.empty(n, np.int64)
    current = np.empty(n)
    for which in range(count):
        for p in range(n_first):
            for q in range(n_first, n):
                exchanged[:] = orders[which]
                exchanged[p], exchanged[q] = exchanged[q], exchanged[p]
                _locate(exchanged, offsets, strides, log_leaves, index, current)
                log_scores[which, p, q - n_first] = current.sum()
    return log_scores
