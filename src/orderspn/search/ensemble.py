"""Several independent runs of tempered chains: what a search over orders consists of.

Runs begin at different orders and know nothing of each other, so that their agreement says whether the search found all
there is to find. Those that stay far below the best are stuck in a worse region and do not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.search.landscape import Landscape
from orderspn.search.pacing import Pacing
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

LEAST_LOOKS = 4
"""Orders of each run, at least: fewer say nothing about its agreement with others."""


@dataclass(frozen=True)
class Effort:
    """How long a search takes, in sweeps: a sweep is as many moves of each chain as there are variables."""

    runs: int = 4
    temperatures: int = 8
    burn_in: int = 2000
    thin: int = 40
    relocation_share: float = 0.8

    @classmethod
    def usual(cls, n: int, factor: float = 1.0) -> Effort:
        """What n variables need by default, so many times as long.

        The more variables, the more moves until each has been everywhere: beyond 64, burn-ins and the distance between
        samples grow with their square root.
        """
        growth = factor * math.sqrt(max(1.0, n / USUAL_VARIABLES))
        return replace(cls(), burn_in=max(1, round(growth * cls.burn_in)), thin=max(1, round(growth * cls.thin)))

    @classmethod
    def shortest(cls) -> Effort:
        """Two runs that hardly move."""
        return cls(runs=2, temperatures=2, burn_in=1, thin=1)


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
        """Walk until the chains have forgotten their starts, or it is late; log scores of each run (runs, looks)."""
        steps = self.workers.steps(work, SEGMENTS * len(self.runs))
        traces: list[list[np.ndarray]] = [[] for _ in self.runs]

        def walk(number: int, looks: int, moves: int) -> None:
            traces[number].append(self.runs[number].burn_in(looks, moves))

        for segment in range(SEGMENTS):
            looks, moves = self.pacing.fitting(LOOKS, self._moves_per_look, int(segment == 0), deadline)
            if looks == 0:
                break
            tasks = [partial(walk, number, looks, moves) for number in range(len(self.runs))]
            self.pacing.timed(looks * moves, self.workers.run, tasks, steps)
            if deadline.passed:
                break
        return np.array([np.concatenate(trace) for trace in traces])

    @property
    def _moves_per_look(self) -> int:
        """Of each chain in a burn-in."""
        return max(1, self.effort.burn_in * self.landscape.n // (SEGMENTS * LOOKS))

    @cached_property
    def pacing(self) -> Pacing:
        """How fast the chains walk."""

        def rehearse(moves: int) -> None:
            share = self.effort.relocation_share
            runs = [Run(self.landscape, run.orders, share, np.random.default_rng(0)) for run in self.runs]
            self.workers.run([partial(run.walk, 1, moves) for run in runs])

        return Pacing(self.landscape.n, rehearse)

    def seconds_per_order(self) -> float:
        """What the walk to one more order takes, once chains have walked."""
        return self.effort.thin * self.landscape.n * self.pacing.seconds / len(self.runs)

    def sample(self, n_orders: int, work: str, deadline: Deadline) -> Sample:
        """Walk on, keeping `n_orders` orders in all of the runs that count, as many of each.

        They are more where the runs do not divide them, and at least `LEAST_LOOKS` of each run, without which runs
        cannot be compared. Where runs are dropped, the others walk on for them. After the deadline there are fewer.
        """
        looks = max(LEAST_LOOKS, -(-n_orders // len(self.runs)))
        orders, log_scores = self._walk_on(self.runs, looks, LEAST_LOOKS, work, deadline)
        means = log_scores.mean(axis=1)
        kept = kept_runs(means)
        orders, log_scores = orders[kept], log_scores[kept]
        missing = -(-n_orders // int(kept.sum())) - looks
        if missing > 0 and log_scores.shape[1] == looks and not deadline.passed:
            going_on = [run for run, counts in zip(self.runs, kept, strict=True) if counts]
            more, more_scores = self._walk_on(going_on, missing, 1, f"more {work}", deadline)
            orders = np.concatenate([orders, more], axis=1)
            log_scores = np.concatenate([log_scores, more_scores], axis=1)
        return Sample(orders, log_scores, means)

    def _walk_on(
        self, runs: list[Run], looks: int, least: int, work: str, deadline: Deadline
    ) -> tuple[np.ndarray, np.ndarray]:
        """Orders (runs, looks, n) and their log scores (runs, looks): those seen by the deadline, at least `least`."""
        usual_moves = max(1, self.effort.thin * self.landscape.n)
        orders = np.empty((len(runs), looks, self.landscape.n), dtype=np.int64)
        log_scores = np.empty((len(runs), looks))
        piece = max(1, looks // SEGMENTS)
        steps = self.workers.steps(work, -(-looks // piece) * len(runs))
        done = 0
        while done < looks:
            missing = max(0, least - done)
            count, moves = self.pacing.fitting(min(piece, looks - done), usual_moves, missing, deadline)
            if count == 0:
                break

            def walk(number: int, first: int, last: int, moves: int) -> None:
                seen = runs[number].walk(last - first, moves)
                orders[number, first:last], log_scores[number, first:last] = seen

            tasks = [partial(walk, number, done, done + count, moves) for number in range(len(runs))]
            self.pacing.timed(count * moves, self.workers.run, tasks, steps)
            done += count
            if deadline.passed and done >= least:
                break
        return orders[:, :done], log_scores[:, :done]

    def look_around(self, n_temperatures: int, looks: int, deadline: Deadline) -> np.ndarray:
        """Orders of the coldest chains of all runs, a few sweeps apart, shape (orders, n); fewer if it is late."""
        found: list[np.ndarray] = [np.empty(0)] * len(self.runs)
        count, moves = self.pacing.fitting(looks, max(1, self.effort.thin * self.landscape.n // 4), 1, deadline)

        def walk(number: int) -> None:
            found[number] = self.runs[number].walk_all(count, moves)[0][:, :n_temperatures]

        self.workers.run([partial(walk, number) for number in range(len(self.runs))])
        return np.concatenate(found).reshape(-1, self.landscape.n)

    @property
    def ends(self) -> np.ndarray:
        """Where the chains are now, shape (runs, temperatures, n)."""
        return np.array([run.orders for run in self.runs])


def kept_runs(means: np.ndarray) -> np.ndarray:
    """Which runs are not stuck below the best, shape (runs,), bool, by their mean log scores."""
    kept: np.ndarray = means >= means.max() - STUCK_BELOW
    return kept


@dataclass(frozen=True, eq=False)
class Sample:
    """Orders of the posterior, from those of several runs that count.

    Attributes
    ----------
    orders : numpy.ndarray
        Shape (runs that count, looks, n).
    log_scores : numpy.ndarray
        Shape (runs that count, looks).
    means : numpy.ndarray
        Shape (runs,): mean log score of every run, over as many looks of each. It decides which runs count.
    """

    orders: np.ndarray
    log_scores: np.ndarray
    means: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """Which runs count, shape (runs,), bool."""
        return kept_runs(self.means)

    @property
    def kept_orders(self) -> np.ndarray:
        """All orders, run by run, shape (orders, n): as many as were kept, whatever was asked for."""
        return self.orders.reshape(-1, self.orders.shape[2])
