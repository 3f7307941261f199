"""Chains over orders: two kinds of Metropolis moves, and the compiled loop that makes them.

A move takes a variable out of its place and puts it into another: *adjacent* into the next one, *relocation* any
distance away, short ones more often. A distance L has a probability of about 1/L, because far moves are rarely accepted
and cost more. Proposals are symmetric, so only the ratio of the scores decides whether a move is accepted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from orderspn.chains.run import Run
from orderspn.chains.temperatures import swap_neighbours
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.search.moves import gain_of, make_move, make_state
from orderspn.search.order_scores import OrderScores

ADJACENT, RELOCATION = 0, 1
"""The kinds of moves, in the tally of a run."""

FARTHEST = 64
"""Relocations go less far than this, so that the cost of a move does not grow with the number of variables."""

SWEEPS_BETWEEN_SWAPS = 5
"""Moves of each chain between two swaps, times the number of variables."""


@dataclass(frozen=True, eq=False)
class OrderTransitions:
    """Moves over orders.

    Attributes
    ----------
    order_scores : OrderScores
        Scores of the orders.
    relocation_share : float
        Share of relocations among the moves; the others are adjacent.
    """

    order_scores: OrderScores
    relocation_share: float

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.order_scores.n

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds of moves."""
        return ("adjacent", "relocation")

    @property
    def moves_between_swaps(self) -> int:
        """Moves of each chain between two swaps."""
        return SWEEPS_BETWEEN_SWAPS * self.n

    def walk(self, run: Run, pieces: np.ndarray, draws: np.ndarray, log_scores: np.ndarray) -> None:
        """Continue the walk, as all `Transitions`."""
        share = float(self.relocation_share)
        counts = run.tally, run.swaps
        _walk(run.states, run.betas, pieces, share, run.rng, self.order_scores, *counts, draws, log_scores)


@kernel
def _walk(ends, betas, pieces, relocation_share, rng, order_scores, tally, swaps, draws, log_scores):
    n_chains = ends.shape[0]
    chains = [make_state(ends[t], order_scores) for t in range(n_chains)]
    chain_at = np.arange(n_chains)
    current = np.empty(n_chains)  # log score at each temperature
    for t in range(n_chains):
        current[t] = chains[t].current.sum()
    turn = 0
    for draw in range(draws.shape[0]):
        for moves in pieces:
            for t in range(n_chains):
                state = chains[chain_at[t]]
                _make_moves(state, betas[t], moves, relocation_share, rng, order_scores, tally, t == 0)
                current[t] = state.current.sum()
            swap_neighbours(turn, chain_at, current, betas, swaps, rng)
            turn = 1 - turn
        for t in range(draws.shape[1]):
            copy_into(draws[draw, t], chains[chain_at[t]].order)
            log_scores[draw, t] = current[t]
    for t in range(n_chains):
        copy_into(ends[t], chains[chain_at[t]].order)


@kernel
def _make_moves(state, beta, moves, relocation_share, rng, order_scores, tally, counts):
    """Make Metropolis moves at one temperature; they are counted if `counts`."""
    n = state.order.size
    log_farthest = math.log(min(n, FARTHEST))
    no_gains = np.empty(0)
    for _ in range(moves):
        kind = RELOCATION if rng.random() < relocation_share else ADJACENT
        p = int(rng.random() * n)
        distance = int(math.exp(rng.random() * log_farthest)) if kind == RELOCATION else 1
        q = p + distance if rng.random() < 0.5 else p - distance
        if q < 0 or q >= n:
            # Staying sometimes prevents a period of two if all moves are accepted.
            continue
        gain = gain_of(p, q, state, order_scores, no_gains)
        accepted = gain >= 0.0 or rng.random() < math.exp(beta * gain)
        if accepted:
            make_move(p, q, state, order_scores)
        if counts:
            tally[kind, 0] += 1
            tally[kind, 1] += accepted
