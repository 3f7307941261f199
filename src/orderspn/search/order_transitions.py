"""Chains over orders: moves of times, corrected for outsiders.

The moves of `times.py` leave outsiders out. So after a number of them, the new times are accepted or rejected by the
ratio of the true score to that of the moves, as in the surrogate transition method of Liu (2001). Each move chooses its
variable at random, so the moves together are reversible, and the true scores decide the stationary distribution. With
good candidates outsiders hold little mass, and most sweeps are accepted as a whole. With others hardly any would be, so
a run adapts the number of moves that are accepted or rejected together in its burn-in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orderspn.chains.run import Run
from orderspn.chains.temperatures import swap_neighbours
from orderspn.kernels.borrowing import borrowed
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.search.scored_orders import ScoredOrders
from orderspn.search.times import (
    TimeScores,
    draw_times,
    fill_masks,
    log_score_of_row_0,
    make_moves,
    time_scores_of,
    true_log_score,
)


@dataclass(frozen=True, eq=False)
class OrderTransitions:
    """Moves over orders.

    Attributes
    ----------
    orders : ScoredOrders
        The orders with their scores, which are laid out for the first walk in this process.
    """

    orders: ScoredOrders

    @cached_property
    def time_scores(self) -> TimeScores:
        """The same scores by times."""
        return time_scores_of(self.orders.here)

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.orders.n

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds of moves: a kind of its own are the moves between two corrections."""
        return ("relocations",)

    @property
    def moves_between_swaps(self) -> int:
        """Moves of each chain between two swaps: one of each variable on average."""
        return self.n

    def walk(self, run: Run, pieces: np.ndarray, draws: np.ndarray, log_scores: np.ndarray) -> None:
        """Continue the walk, as all `Transitions`."""
        counts = run.tally, run.swaps
        _walk(run.states, run.betas, pieces, int(run.together), run.rng, self.time_scores, *counts, draws, log_scores)


@kernel
def _walk(ends, betas, pieces, together, rng, scores, tally, swaps, draws, log_scores):
    scores = borrowed(scores)
    n_chains, n = ends.shape
    times, masks = np.empty((n_chains, n + 2)), np.empty((n_chains, n), np.int64)
    kept_times, kept_masks = np.empty(n + 2), np.empty(n, np.int64)
    chain_at = np.arange(n_chains)
    current = np.empty(n_chains)  # log score at each temperature
    for t in range(n_chains):
        draw_times(ends[t], rng, times[t])
        fill_masks(times[t], scores, masks[t])
        current[t] = true_log_score(times[t], masks[t], scores)
    turn = 0
    for draw in range(draws.shape[0]):
        for moves in pieces:
            for t in range(n_chains):
                own_times, own_masks = times[chain_at[t]], masks[chain_at[t]]
                for begin in range(0, moves, together):
                    copy_into(kept_times, own_times)
                    copy_into(kept_masks, own_masks)
                    correction = current[t] - log_score_of_row_0(own_masks, scores)
                    make_moves(min(together, moves - begin), betas[t], own_times, own_masks, scores, rng)
                    proposed = true_log_score(own_times, own_masks, scores)
                    log_ratio = betas[t] * (proposed - log_score_of_row_0(own_masks, scores) - correction)
                    accepted = log_ratio >= 0.0 or rng.random() < math.exp(log_ratio)
                    if accepted:
                        current[t] = proposed
                    else:
                        copy_into(own_times, kept_times)
                        copy_into(own_masks, kept_masks)
                    if t == 0:
                        tally[0, 0] += 1
                        tally[0, 1] += accepted
            swap_neighbours(turn, chain_at, current, betas, swaps, rng)
            turn = 1 - turn
        for t in range(draws.shape[1]):
            copy_into(draws[draw, t], np.argsort(times[chain_at[t], :n]))
            log_scores[draw, t] = current[t]
    for t in range(n_chains):
        copy_into(ends[t], np.argsort(times[chain_at[t], :n]))
