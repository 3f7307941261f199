"""Independent runs over the same states: burn-in, draws, deadlines, and the selection of runs.

Runs begin at different states and are independent, so their agreement shows whether they have explored the posterior.
Runs whose scores stay far below the best are stuck in a worse region and do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from orderspn.chains.pacing import Pacing
from orderspn.chains.run import Run
from orderspn.chains.sample import LEAST_DRAWS, Sample, kept_runs
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of, seed_for
from orderspn.core.workers import Workers

PIECES = 10
"""Number of pieces in which draws are made. After each, progress is reported and the deadline checked."""


@dataclass(frozen=True)
class BurnIn:
    """Length of a burn-in: temperatures are adapted, and the deadline checked, after each of its segments."""

    segments: int
    draws_per_segment: int
    moves_per_draw: int

    @classmethod
    def of(cls, moves: int, segments: int, draws_per_segment: int) -> BurnIn:
        """Return a burn-in of about `moves` moves of each chain, at least one before each draw."""
        return cls(segments, draws_per_segment, max(1, moves // (segments * draws_per_segment)))

    @property
    def n_draws(self) -> int:
        """Number of log scores recorded for each run."""
        return self.segments * self.draws_per_segment


@dataclass(frozen=True, eq=False)
class Runs:
    """Independent runs, which walk in threads."""

    each: tuple[Run, ...]
    workers: Workers

    @classmethod
    def started(
        cls,
        start: Callable[[int, np.random.Generator], Run],
        n_runs: int,
        seed: np.random.SeedSequence,
        workers: Workers,
    ) -> Runs:
        """Start runs, each with its number and its own generator."""
        seeds = seed_for(seed, "runs").spawn(n_runs)
        runs: list[Run | None] = [None] * n_runs

        def fill(number: int) -> None:
            runs[number] = start(number, generator_of(seeds[number]))

        workers.run([partial(fill, number) for number in range(n_runs)])
        return cls(tuple(run for run in runs if run is not None), workers)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    @property
    def ends(self) -> np.ndarray:
        """Current states of the chains, shape (runs, temperatures, n)."""
        return np.array([run.states for run in self])

    @property
    def tally(self) -> np.ndarray:
        """Moves of each kind of the chains at 1, proposed and accepted, over all runs, shape (kinds, 2)."""
        return np.sum([run.tally for run in self], axis=0)

    @property
    def swaps(self) -> np.ndarray:
        """Swaps of each pair of neighbouring temperatures, proposed and accepted, over all runs, shape (pairs, 2)."""
        return np.sum([run.swaps for run in self], axis=0)

    def only(self, kept: np.ndarray) -> Runs:
        """Return the runs that are kept, given a mask (runs,)."""
        return replace(self, each=tuple(run for run, counts in zip(self, kept, strict=True) if counts))

    @cached_property
    def pacing(self) -> Pacing:
        """The speed of the chains."""

        def rehearse(moves: int) -> None:
            copies = [Run(run.transitions, run.states, np.random.default_rng(0)) for run in self]
            self.workers.run([partial(run.walk, 1, moves) for run in copies])

        return Pacing(self.each[0].transitions.n, rehearse)

    def seconds_per_draw(self, moves_per_draw: int) -> float:
        """Return the mean time of one more draw of any run, after the chains have walked."""
        return moves_per_draw * self.pacing.seconds / len(self)

    def burn_in(self, length: BurnIn, work: str, deadline: Deadline) -> np.ndarray:
        """Walk through the burn-in, or until the deadline; return log scores of each run (runs, draws)."""
        steps = self.workers.steps(work, length.segments * len(self))
        traces: list[list[np.ndarray]] = [[] for _ in self]

        def walk(number: int, n_draws: int, moves: int) -> None:
            traces[number].append(self.each[number].burn_in(n_draws, moves))

        for segment in range(length.segments):
            # At least one draw of the first segment, so that there is something to report.
            least = int(segment == 0)
            n_draws, moves = self.pacing.fitting(length.draws_per_segment, length.moves_per_draw, least, deadline)
            if n_draws == 0:
                break
            tasks = [partial(walk, number, n_draws, moves) for number in range(len(self))]
            self.pacing.timed(n_draws * moves, self.workers.run, tasks, steps)
            if deadline.passed:
                break
        return np.array([np.concatenate(trace) for trace in traces])

    def draw(
        self, n_draws: int, moves_per_draw: int, work: str, deadline: Deadline, least: int = LEAST_DRAWS
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return draws (runs, draws, n) and their log scores: `n_draws` of each run, or fewer after the deadline.

        There are always at least `least` of each run, or `n_draws` if these are fewer.
        """
        draws = np.empty((len(self), n_draws, self.each[0].transitions.n), dtype=np.int64)
        log_scores = np.empty((len(self), n_draws))
        piece = max(1, n_draws // PIECES)
        steps = self.workers.steps(work, -(-n_draws // piece) * len(self))

        def walk(number: int, first: int, last: int, moves: int) -> None:
            found = self.each[number].walk(last - first, moves)
            draws[number, first:last], log_scores[number, first:last] = found

        done = 0
        while done < n_draws:
            missing = max(0, min(least, n_draws) - done)
            count, moves = self.pacing.fitting(min(piece, n_draws - done), moves_per_draw, missing, deadline)
            if count == 0:
                break
            tasks = [partial(walk, number, done, done + count, moves) for number in range(len(self))]
            self.pacing.timed(count * moves, self.workers.run, tasks, steps)
            done += count
            if deadline.passed and done >= least:
                break
        return draws[:, :done], log_scores[:, :done]

    def sample(self, n_draws: int, moves_per_draw: int, work: str, deadline: Deadline) -> Sample:
        """Keep `n_draws` draws of each run that counts, or fewer after the deadline."""
        draws, log_scores = self.draw(n_draws, moves_per_draw, work, deadline)
        means = log_scores.mean(axis=1)
        kept = kept_runs(means)
        return Sample(draws[kept], log_scores[kept], means)

    def sample_in_all(self, n_draws: int, moves_per_draw: int, work: str, deadline: Deadline) -> Sample:
        """Keep `n_draws` draws of all runs together, the same number of each, or fewer after the deadline.

        There are more if the number of runs does not divide `n_draws`, and at least `LEAST_DRAWS` of each run. If runs
        are dropped, the others walk on in their place.
        """
        of_each = max(LEAST_DRAWS, -(-n_draws // len(self)))
        sample = self.sample(of_each, moves_per_draw, work, deadline)
        missing = -(-n_draws // int(sample.kept.sum())) - of_each
        if missing <= 0 or sample.log_scores.shape[1] < of_each or deadline.passed:
            return sample
        others = self.only(sample.kept)
        draws, log_scores = others.draw(missing, moves_per_draw, f"more {work}", deadline, least=1)
        return replace(
            sample,
            states=np.concatenate([sample.states, draws], axis=1),
            log_scores=np.concatenate([sample.log_scores, log_scores], axis=1),
        )
