"""A search over orders: independent runs of tempered chains from improved random orders."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from orderspn.chains.away import Leg
from orderspn.chains.kept import kept_state, resume
from orderspn.chains.run import Run
from orderspn.chains.runs import BurnIn, Runs
from orderspn.chains.sample import Sample
from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.core.deadline import Deadline
from orderspn.core.workers import Workers
from orderspn.search.order_transitions import OrderTransitions
from orderspn.search.scored_orders import ScoredOrders
from orderspn.search.starting import improved, possible_order

USUAL_VARIABLES = 64
"""Number of variables up to which all searches have the same length in sweeps."""

SEGMENTS, DRAWS_PER_SEGMENT = 10, 20
"""Segments of a burn-in, and log scores recorded in each."""

BURN_IN_DRAWS = SEGMENTS * DRAWS_PER_SEGMENT
"""Log scores recorded in a burn-in that no deadline cuts short."""


@dataclass(frozen=True)
class Effort:
    """Length of a search in sweeps: a sweep is as many moves of each chain as there are variables.

    Attributes
    ----------
    runs : int
        Independent runs, which are compared.
    temperatures : int
        Chains of each run.
    burn_in : int
        Sweeps before the first order is kept.
    thin : int
        Sweeps between two orders that are kept.
    """

    runs: int = 4
    temperatures: int = 6
    burn_in: int = 400
    thin: int = 12

    @classmethod
    def usual(cls, n: int, factor: float = 1.0) -> Effort:
        """Return the default effort for n variables, times a factor.

        More variables need more moves to mix. So beyond 64, the burn-in and the distance between draws grow with the
        square root of their number, and so does the square of the number of temperatures: neighbours that swap must be
        closer to each other.
        """
        growth = math.sqrt(max(1.0, n / USUAL_VARIABLES))
        return replace(
            cls(),
            temperatures=round(math.sqrt(growth) * cls.temperatures),
            burn_in=max(1, round(factor * growth * cls.burn_in)),
            thin=max(1, round(factor * growth * cls.thin)),
        )

    def after(self, resumed: bool) -> Effort:
        """Return the effort of a search that begins where another one ended, in scores much like these."""
        return replace(self, burn_in=max(1, self.burn_in // 4)) if resumed else self

    @classmethod
    def shortest(cls) -> Effort:
        """Return the shortest effort: two runs with few moves."""
        return cls(runs=2, temperatures=2, burn_in=1, thin=1)


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Independent runs over orders."""

    orders: ScoredOrders
    effort: Effort
    runs: Runs

    @classmethod
    def started(
        cls,
        orders: ScoredOrders,
        effort: Effort,
        seed: np.random.SeedSequence,
        workers: Workers,
        starts: np.ndarray | None = None,
        checkpoint: Checkpoint = NOT_KEPT,
    ) -> Ensemble:
        """Begin at random orders, the coldest of each run improved, or at `starts` (runs, temperatures, n).

        If the orders have an origin (`search/origin.py`), the runs may walk in other processes.
        """
        transitions = OrderTransitions(orders)
        kept = checkpoint.found("starts")
        known = starts if kept is None else kept.arrays["states"]

        def start(number: int, rng: np.random.Generator) -> Run:
            if known is not None:
                return Run(transitions, known[number], rng)
            drawn = [rng.permutation(orders.n) for _ in range(effort.temperatures)]
            states = np.stack([possible_order(order, orders.here) for order in drawn])
            states[0] = improved(states[0], orders.here)
            return Run(transitions, states, rng)

        runs = Runs.started(start, effort.runs, seed, workers, orders.origin, checkpoint)
        if kept is not None:
            resume(runs.each, kept)
        elif starts is None and checkpoint.is_on:
            checkpoint.keep("starts", kept_state(runs.each))
        return cls(orders, effort, runs)

    def burn_in(self, work: str, deadline: Deadline) -> np.ndarray:
        """Walk through the burn-in, or until the deadline; return log scores of each run (runs, draws)."""
        length = BurnIn.of(self.effort.burn_in * self.orders.n, SEGMENTS, DRAWS_PER_SEGMENT)
        return self.runs.burn_in(length, work, deadline)

    def sample(self, n_orders: int, work: str, deadline: Deadline) -> Sample:
        """Keep `n_orders` orders of the runs that count; see `Runs.sample_in_all`."""
        return self.runs.sample_in_all(n_orders, self._moves_per_draw, work, deadline)

    def thinned(self, factor: int) -> Ensemble:
        """Return the same runs with more moves between two orders that are kept."""
        return replace(self, effort=replace(self.effort, thin=factor * self.effort.thin))

    def coldest_draws(self, n_temperatures: int, n_draws: int, deadline: Deadline) -> np.ndarray:
        """Return orders (orders, n) of the coldest chains of all runs, a few sweeps apart, until the deadline."""
        count, moves = self.runs.pacing.fitting(n_draws, max(1, self._moves_per_draw // 4), 1, deadline)
        found = self.runs.walk(Leg(((count, moves),), n_temperatures=n_temperatures))
        return np.concatenate([draws for draws, _ in found]).reshape(-1, self.orders.n)

    def seconds_per_order(self) -> float:
        """Return the mean time of one more order, after the chains have walked."""
        return self.runs.seconds_per_draw(self._moves_per_draw)

    @property
    def ends(self) -> np.ndarray:
        """Current states of the chains, shape (runs, temperatures, n)."""
        return self.runs.ends

    @property
    def workers(self) -> Workers:
        """Threads that the runs walk in."""
        return self.runs.workers

    @property
    def _moves_per_draw(self) -> int:
        return max(1, self.effort.thin * self.orders.n)
