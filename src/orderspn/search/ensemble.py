"""Several independent runs of tempered chains: what a search over orders consists of.

Runs begin at different orders and know nothing of each other, so that their agreement says whether the search found all
there is to find. Those that stay far below the best are stuck in a worse region and do not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.search.landscape import Landscape
from orderspn.search.starting import improved, possible_order
from orderspn.search.tempering import Run

STUCK_BELOW = 10.0
"""By how many nats the mean log score of a run must be below that of the best to be dropped."""

USUAL_VARIABLES = 64
"""Up to so many variables all searches are equally long, in sweeps."""

SEGMENTS = 10
"""Steps of a burn-in: temperatures are adapted, and the time looked at, after each."""

LOOKS = 20
"""Log scores recorded per segment."""


@dataclass(frozen=True)
class Effort:
    """How long a search takes, in sweeps: a sweep is as many moves of each chain as there are variables."""

    runs: int = 4
    temperatures: int = 8
    burn_in: int = 2000
    thin: int = 15
    relocation_share: float = 0.8

    @classmethod
    def usual(cls, n: int, factor: float = 1.0) -> Effort:
        """What n variables need by default, so many times as long.

        The more variables, the more moves until each has been everywhere: beyond 64, burn-ins grow with their square
        root, and the distance between samples in proportion.
        """
        growth = max(1.0, n / USUAL_VARIABLES)
        return replace(
            cls(),
            burn_in=max(1, round(factor * math.sqrt(growth) * cls.burn_in)),
            thin=max(1, round(factor * growth * cls.thin)),
        )


@dataclass(eq=False)
class Ensemble:
    """Independent runs over one landscape."""

    landscape: Landscape
    runs: list[Run]
    effort: Effort
    workers: Workers

    @classmethod
    def started(
        cls,
        landscape: Landscape,
        effort: Effort,
        seed: np.random.SeedSequence,
        workers: Workers,
        starts: np.ndarray | None = None,
    ) -> Ensemble:
        """Begin at random orders that were improved, or at `starts` (runs, temperatures, n)."""
        runs: list[Run | None] = [None] * effort.runs
        seeds = seed.spawn(effort.runs)

        def start(number: int) -> None:
            rng = generator_of(seeds[number])
            if starts is None:
                drawn = [rng.permutation(landscape.n) for _ in range(effort.temperatures)]
                orders = np.stack([possible_order(order, landscape) for order in drawn])
                orders[0] = improved(orders[0], landscape)
            else:
                orders = starts[number]
            runs[number] = Run(landscape, orders, effort.relocation_share, rng)

        workers.run([partial(start, number) for number in range(effort.runs)])
        return cls(landscape, [run for run in runs if run is not None], effort, workers)

    def burn_in(self, work: str, deadline: Deadline) -> np.ndarray:
        """Walk until the chains have forgotten their starts; log scores of each run (runs, looks)."""
        moves = max(1, self.effort.burn_in * self.landscape.n // (SEGMENTS * LOOKS))
        steps = self.workers.steps(work, SEGMENTS * len(self.runs))
        traces: list[list[np.ndarray]] = [[] for _ in self.runs]

        def walk(number: int) -> None:
            traces[number].append(self.runs[number].burn_in(LOOKS, moves))

        for _ in range(SEGMENTS):
            self.workers.run([partial(walk, number) for number in range(len(self.runs))], steps)
            if deadline.passed:
                break
        return np.array([np.concatenate(trace) for trace in traces])

    def sample(self, n_orders: int, work: str, deadline: Deadline) -> Sample:
        """Walk on, keeping about `n_orders` orders in all, as many of each run."""
        moves = max(1, self.effort.thin * self.landscape.n)
        looks = max(4, -(-n_orders // len(self.runs)))
        orders = np.empty((len(self.runs), looks, self.landscape.n), dtype=np.int64)
        log_scores = np.empty((len(self.runs), looks))
        piece = max(1, looks // SEGMENTS)
        steps = self.workers.steps(work, -(-looks // piece) * len(self.runs))
        done = 0
        while done < looks:
            upto = min(looks, done + piece)

            def walk(number: int, first: int = done, last: int = upto) -> None:
                seen = self.runs[number].walk(last - first, moves)
                orders[number, first:last], log_scores[number, first:last] = seen

            self.workers.run([partial(walk, number) for number in range(len(self.runs))], steps)
            done = upto
            if deadline.passed and done >= 4:
                break
        return Sample(orders[:, :done], log_scores[:, :done])

    def look_around(self, n_temperatures: int, looks: int) -> np.ndarray:
        """Orders of the coldest chains of all runs, a few sweeps apart, shape (orders, n)."""
        found: list[np.ndarray] = [np.empty(0)] * len(self.runs)
        moves = max(1, self.effort.thin * self.landscape.n // 4)

        def walk(number: int) -> None:
            found[number] = self.runs[number].walk_all(looks, moves)[0][:, :n_temperatures]

        self.workers.run([partial(walk, number) for number in range(len(self.runs))])
        return np.concatenate(found).reshape(-1, self.landscape.n)

    @property
    def ends(self) -> np.ndarray:
        """Where the chains are now, shape (runs, temperatures, n)."""
        return np.array([run.orders for run in self.runs])


@dataclass(frozen=True, eq=False)
class Sample:
    """Orders of the posterior from several runs.

    Attributes
    ----------
    orders : numpy.ndarray
        Shape (runs, looks, n).
    log_scores : numpy.ndarray
        Shape (runs, looks).
    """

    orders: np.ndarray
    log_scores: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """Which runs are not stuck below the best, shape (runs,), bool."""
        means = self.log_scores.mean(axis=1)
        kept: np.ndarray = means >= means.max() - STUCK_BELOW
        return kept

    @property
    def kept_orders(self) -> np.ndarray:
        """The orders of the runs that count, shape (orders, n)."""
        return self.orders[self.kept].reshape(-1, self.orders.shape[2])
