"""One run of order MCMC: Metropolis chains at several temperatures that exchange their orders.

The chain at inverse temperature beta walks over orders with stationary distribution in proportion to `score**beta`.
That at 1 samples the posterior; flatter ones cross valleys that it cannot, and now and then neighbours swap. The gaps
between temperatures are adapted during the burn-in, so that swaps succeed, and then fixed.

Moves take a variable out of its place and put it into another: *adjacent* into the next, *relocation* any distance
away, short ones more often (a distance L with probability about 1/L: far moves are rarely accepted and cost more). The
way back is as probable as the way there, so that a move is accepted by the ratio of the scores alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from orderspn.search.landscape import Landscape
from orderspn.search.moves import gain_of, make_move, make_state
from orderspn.search.temperatures import TemperedRun

ADJACENT, RELOCATION = 0, 1
"""The kinds of moves, in the tally of a run."""

FARTHEST = 64
"""Relocations go less far than this, so that the cost of a move does not grow with the number of variables."""

SWEEPS_BETWEEN_SWAPS = 5
"""Moves of each chain between two swaps, times the number of variables."""


@dataclass(eq=False)
class Run(TemperedRun):
    """Tempered chains over the orders of one landscape; those of `walk` are of the chain at temperature 1.

    Attributes
    ----------
    landscape : Landscape
    starts : numpy.ndarray
        Shape (temperatures, n): the orders that the chains begin with, the posterior's first.
    relocation_share : float
        How many of the moves are relocations.
    rng : numpy.random.Generator
    """

    landscape: Landscape
    starts: np.ndarray
    relocation_share: float
    rng: np.random.Generator
    orders: np.ndarray = field(init=False)  # (temperatures, n): where the chains are

    def __post_init__(self) -> None:
        self.begin(len(self.starts), self.landscape.n, n_kinds=2)
        self.orders = self.starts.copy()

    def walk(self, looks: int, moves: int) -> tuple[np.ndarray, np.ndarray]:
        """Walk on, looking after every `moves` of each chain: orders (looks, n) and log scores (looks,)."""
        orders, log_scores = self.walk_all(looks, moves)
        return orders[:, 0], log_scores[:, 0]

    def walk_all(self, looks: int, moves: int) -> tuple[np.ndarray, np.ndarray]:
        """The same for all temperatures: orders (looks, temperatures, n), log scores (looks, temperatures)."""
        n_chains, n = self.orders.shape
        orders = np.empty((looks, n_chains, n), dtype=np.int64)
        log_scores = np.empty((looks, n_chains))
        rounds = max(1, round(moves / (SWEEPS_BETWEEN_SWAPS * n))) if n_chains > 1 else 1
        _walk(
            self.orders,
            self.betas,
            rounds,
            -(-moves // rounds),
            float(self.relocation_share),
            self.rng,
            self.landscape,
            orders,
            log_scores,
            self.tally,
            self.swaps,
        )
        self.orders = orders[-1].copy()
        return orders, log_scores


@njit(cache=True, nogil=True)
def _walk(starts, betas, rounds, moves, relocation_share, rng, landscape, orders, log_scores, tally, swaps):
    n_chains = starts.shape[0]
    chains = [make_state(starts[t], landscape) for t in range(n_chains)]
    at = np.arange(n_chains)  # the chain at each temperature
    for look in range(orders.shape[0]):
        for turn in range(rounds):
            for t in range(n_chains):
                _wander(chains[at[t]], betas[t], moves, relocation_share, rng, landscape, tally, t == 0)
            for t in range((look * rounds + turn) % 2, n_chains - 1, 2):
                difference = chains[at[t + 1]].current.sum() - chains[at[t]].current.sum()
                log_ratio = (betas[t] - betas[t + 1]) * difference
                swaps[t, 0] += 1
                if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
                    at[t], at[t + 1] = at[t + 1], at[t]
                    swaps[t, 1] += 1
        for t in range(n_chains):
            orders[look, t] = chains[at[t]].order
            log_scores[look, t] = chains[at[t]].current.sum()


@njit(cache=True, nogil=True)
def _wander(state, beta, moves, relocation_share, rng, landscape, tally, counts):
    """Make `moves` Metropolis moves at one temperature."""
    n = state.order.size
    log_farthest = math.log(min(n, FARTHEST))
    no_gains = np.empty(0)
    for _ in range(moves):
        kind = RELOCATION if rng.random() < relocation_share else ADJACENT
        p = int(rng.random() * n)
        distance = int(math.exp(rng.random() * log_farthest)) if kind == RELOCATION else 1
        q = p + distance if rng.random() < 0.5 else p - distance
        if q < 0 or q >= n:
            # Staying now and then keeps the chain from going round in steps of two where all is accepted.
            continue
        gain = gain_of(p, q, state, landscape, no_gains)
        accepted = gain >= 0.0 or rng.random() < math.exp(beta * gain)
        if accepted:
            make_move(p, q, state, landscape)
        if counts:
            tally[kind, 0] += 1
            tally[kind, 1] += accepted
