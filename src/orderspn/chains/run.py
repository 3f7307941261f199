"""One run: Metropolis chains at several temperatures that swap their states.

The chain at inverse temperature beta has a stationary distribution in proportion to `score**beta`. The one at 1 samples
the posterior. Hotter ones cross valleys that it cannot cross, and pass on their states by swaps of neighbours. The
gaps between temperatures are adapted during the burn-in, so that swaps are accepted often enough, and then fixed. So is
the number of moves that are accepted or rejected together, where moves are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from orderspn.chains.temperatures import adapted, first_betas

FEW_ACCEPTED, MANY_ACCEPTED = 0.4, 0.75
"""Below the first share of accepted proposals half as many moves are accepted together, above the second twice."""


class Transitions(Protocol):
    """The moves of one kind of state, and a compiled loop that makes them.

    The loop is compiled for each kind of state, because numba does not cache functions that are given other functions.
    """

    @property
    def n(self) -> int:
        """Length of a draw: the number of variables. A state may hold more."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds of moves, in the order of `Run.tally`."""

    @property
    def moves_between_swaps(self) -> int:
        """Approximate number of moves of each chain before swaps are proposed."""

    def walk(self, run: Run, pieces: np.ndarray, draws: np.ndarray, log_scores: np.ndarray) -> None:
        """Walk on and fill in draws (draws, temperatures, n) of the coldest chains, and log scores of the same shape.

        Before each draw, every chain makes the moves of `pieces` (swaps,); after each piece
        `temperatures.swap_neighbours` proposes swaps of even and odd pairs of neighbours by turns, even ones first.
        `run.states`, `run.tally` and `run.swaps` are updated.
        """


class RunState(NamedTuple):
    """All that a run is besides its transitions: what it needs to walk on, in this process or another."""

    states: np.ndarray  # (temperatures, n)
    betas: np.ndarray
    together: np.ndarray
    tally: np.ndarray
    swaps: np.ndarray
    rng: np.random.Generator


@dataclass(eq=False)
class Run:
    """Chains at several temperatures; the first one, at 1, samples the posterior.

    Attributes
    ----------
    transitions : Transitions
        How chains move.
    starts : numpy.ndarray
        Shape (temperatures, n): the states that the chains begin with.
    rng : numpy.random.Generator
    states : numpy.ndarray
        Shape (temperatures, n): the current states of the chains.
    betas : numpy.ndarray
        Shape (temperatures,): inverse temperatures, descending from 1.
    together : numpy.ndarray
        Shape (): number of moves that are accepted or rejected together, for transitions that do so.
    tally : numpy.ndarray
        Shape (kinds, 2): moves of each kind of the chain at 1, proposed and accepted.
    swaps : numpy.ndarray
        Shape (temperatures - 1, 2): swaps of each pair of neighbours, proposed and accepted.
    """

    transitions: Transitions
    starts: np.ndarray
    rng: np.random.Generator
    states: np.ndarray = field(init=False)
    betas: np.ndarray = field(init=False)
    together: np.ndarray = field(init=False)
    tally: np.ndarray = field(init=False)
    swaps: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        n_chains = len(self.starts)
        self.states = self.starts.copy()
        self.betas = first_betas(n_chains, self.transitions.n)
        self.together = np.array(max(1, self.transitions.moves_between_swaps))
        self.tally = np.zeros((len(self.transitions.kinds), 2), dtype=np.int64)
        self.swaps = np.zeros((n_chains - 1, 2), dtype=np.int64)

    def walk(self, n_draws: int, moves_per_draw: int) -> tuple[np.ndarray, np.ndarray]:
        """Return draws (draws, n) of the chain at 1, with `moves_per_draw` moves before each, and log scores."""
        draws, log_scores = self.walk_all(n_draws, moves_per_draw, 1)
        return draws[:, 0], log_scores[:, 0]

    def walk_all(
        self, n_draws: int, moves_per_draw: int, n_temperatures: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the same of the coldest chains, all by default: (draws, temperatures, n) and (draws, temperatures)."""
        n_chains = len(self.states)
        kept = n_chains if n_temperatures is None else min(n_temperatures, n_chains)
        draws = np.empty((n_draws, kept, self.transitions.n), dtype=np.int64)
        log_scores = np.empty((n_draws, kept))
        self.transitions.walk(self, self._pieces(moves_per_draw), draws, log_scores)
        return draws, log_scores

    def burn_in(self, n_draws: int, moves_per_draw: int) -> np.ndarray:
        """Walk and return only log scores (draws,), then adapt temperatures and moves, and reset all counts."""
        self.swaps[:] = 0
        self.tally[:] = 0
        _, log_scores = self.walk(n_draws, moves_per_draw)
        self.betas = adapted(self.betas, self.swaps)
        self.together = np.array(self._adapted_together())
        self.swaps[:] = 0
        self.tally[:] = 0
        return log_scores

    @property
    def state(self) -> RunState:
        """All that is needed to walk on."""
        return RunState(self.states, self.betas, self.together, self.tally, self.swaps, self.rng)

    def resume(self, state: RunState) -> None:
        """Go to where a run with the same transitions was; copied, because chains change their states in place."""
        self.states, self.betas, self.together = state.states.copy(), state.betas.copy(), np.array(state.together)
        self.tally, self.swaps, self.rng = state.tally.copy(), state.swaps.copy(), state.rng

    def _adapted_together(self) -> int:
        """Return the number of moves to be accepted together, given the counts since the last adaptation."""
        proposed, accepted = self.tally.sum(axis=0).tolist()
        now, most = int(self.together), max(1, self.transitions.moves_between_swaps)
        if accepted < FEW_ACCEPTED * proposed:
            return max(1, now // 2)
        return min(most, 2 * now) if accepted > MANY_ACCEPTED * proposed else now

    def _pieces(self, moves: int) -> np.ndarray:
        """Return the moves of each chain between swaps: nearly equal parts with the sum `moves`."""
        if len(self.states) == 1:
            return np.array([moves])
        count = max(1, round(moves / self.transitions.moves_between_swaps))
        return np.diff(np.arange(count + 1) * moves // count)


def acceptance_rates(counts: np.ndarray) -> np.ndarray:
    """Return accepted moves as a share of proposed ones, given both (m, 2); 0 if none was proposed.

    Examples
    --------
    >>> acceptance_rates(np.array([[10, 4], [0, 0]])).tolist()
    [0.4, 0.0]
    """
    rates: np.ndarray = counts[:, 1] / np.maximum(counts[:, 0], 1)
    return rates
