"""Independent runs over the same states: burn-in, draws, deadlines, and the selection of runs.

Runs begin at different states and are independent, so their agreement shows whether they have explored the posterior.
Runs whose scores stay far below the best are stuck in a worse region and do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from orderspn.chains.away import Found, Leg, Origin, walk_away
from orderspn.chains.kept import kept_state, resume
from orderspn.chains.pacing import Pacing
from orderspn.chains.run import Run
from orderspn.chains.sample import LEAST_DRAWS, Sample, kept_runs
from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.checkpoints.part import Part
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of, seed_for
from orderspn.core.tasks import Backend, chosen_backend
from orderspn.core.workers import Steps, Workers

PIECES = 10
"""Number of pieces in which draws are made. After each, progress is reported and the deadline checked."""

SECONDS_AWAY = 20.0
"""Least duration of a task on a backend after which the state of a run is kept."""


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
    """Independent runs, which walk in threads, or as tasks of the backend that the user has chosen.

    Runs walk in the same pieces in both ways, so the draws are the same.

    Attributes
    ----------
    each : tuple of Run
    workers : Workers
        Threads.
    origin : Origin, optional
        How to make their transitions in another process; without it they walk in threads.
    checkpoint : Checkpoint
        Where their state is kept.
    """

    each: tuple[Run, ...]
    workers: Workers
    origin: Origin | None = None
    checkpoint: Checkpoint = NOT_KEPT

    @classmethod
    def started(
        cls,
        start: Callable[[int, np.random.Generator], Run],
        n_runs: int,
        seed: np.random.SeedSequence,
        workers: Workers,
        origin: Origin | None = None,
        checkpoint: Checkpoint = NOT_KEPT,
    ) -> Runs:
        """Start runs, each with its number and its own generator."""
        seeds = seed_for(seed, "runs").spawn(n_runs)
        runs: list[Run | None] = [None] * n_runs

        def fill(number: int) -> None:
            runs[number] = start(number, generator_of(seeds[number]))

        workers.run([partial(fill, number) for number in range(n_runs)])
        return cls(tuple(run for run in runs if run is not None), workers, origin, checkpoint)

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
            self._walked(copies, Leg(((1, moves),)))

        return Pacing(self.each[0].transitions.n, rehearse)

    def seconds_per_draw(self, moves_per_draw: int) -> float:
        """Return the mean time of one more draw of any run, after the chains have walked."""
        return moves_per_draw * self.pacing.seconds / len(self)

    def burn_in(self, length: BurnIn, work: str, deadline: Deadline) -> np.ndarray:
        """Walk through the burn-in, or until the deadline; return log scores of each run (runs, draws)."""
        steps = self.workers.steps(work, length.segments * len(self))
        traces = [np.empty((len(self), 0))]
        usual = length.draws_per_segment, length.moves_per_draw
        kept = self.checkpoint.found("burn-in")
        if kept is not None:
            resume(self.each, kept)
            traces.append(kept.arrays["log_scores"])
        segment = sum(trace.shape[1] for trace in traces) // length.draws_per_segment
        if segment:
            steps.advance(segment * len(self))
        while segment < length.segments:
            # At least one draw of the first segment, so that there is something to report.
            n_draws, moves = self.pacing.fitting(*usual, int(segment == 0), deadline)
            if n_draws == 0:
                break
            at_once = self._at_once(n_draws * moves, length.segments - segment, deadline)
            leg = Leg(((n_draws, moves),) * at_once, burn_in=True)
            traces.append(np.stack([log_scores[:, 0] for _, log_scores in self.walk(leg, steps)]))
            segment += at_once
            finished = segment == length.segments
            self.checkpoint.keep_at_times("burn-in", lambda: self._kept(log_scores=_joined(traces)), finished)
            if deadline.passed:
                break
        return _joined(traces)

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
        done, stage = 0, f"draws, {work}"
        kept = self.checkpoint.found(stage)
        if kept is not None:
            resume(self.each, kept)
            done = kept.arrays["log_scores"].shape[1]
            draws[:, :done], log_scores[:, :done] = kept.arrays["draws"], kept.arrays["log_scores"]
            steps.advance(-(-done // piece) * len(self))
        while done < n_draws:
            missing = max(0, min(least, n_draws) - done)
            count, moves = self.pacing.fitting(min(piece, n_draws - done), moves_per_draw, missing, deadline)
            if count == 0:
                break
            at_once = self._at_once(count * moves, -(-(n_draws - done) // piece), deadline)
            sizes = [min(count, n_draws - done - i * count) for i in range(at_once)]
            leg = Leg(tuple((size, moves) for size in sizes))
            end = done + leg.n_draws
            for number, (states, scores) in enumerate(self.walk(leg, steps)):
                draws[number, done:end], log_scores[number, done:end] = states[:, 0], scores[:, 0]
            done = end
            self.checkpoint.keep_at_times(
                stage, partial(self._kept, draws=draws[:, :done], log_scores=log_scores[:, :done]), done == n_draws
            )
            if deadline.passed and done >= least:
                break
        return draws[:, :done], log_scores[:, :done]

    def walk(self, leg: Leg, steps: Steps | None = None) -> list[Found]:
        """Let all runs walk, and measure how long it takes; return what each has found."""
        found: list[Found] = []
        self.pacing.timed(leg.n_moves, lambda: found.extend(self._walked(self.each, leg, steps)))
        return found

    def _walked(self, runs: Sequence[Run], leg: Leg, steps: Steps | None = None) -> list[Found]:
        """Let runs walk, in threads or as tasks."""
        backend = self._backend
        if backend is not None and self.origin is not None:
            return walk_away(backend, self.origin, runs, leg, steps)
        found: list[Found | None] = [None] * len(runs)

        def fill(number: int) -> None:
            found[number] = leg.walked_by(runs[number])

        self.workers.run([partial(fill, number) for number in range(len(runs))], steps)
        return [own for own in found if own is not None]

    @property
    def _backend(self) -> Backend | None:
        """Where runs walk, if not in threads of this process."""
        return None if self.origin is None else chosen_backend()

    def _at_once(self, moves: int, left: int, deadline: Deadline) -> int:
        """Return how many of the pieces that are left, of `moves` moves each, are walked before anything is looked at.

        In threads that is one, after which progress is told. A task on a backend walks all of them, unless there is a
        deadline; with a checkpoint so many that the time between two states that are kept is not long.
        """
        if self._backend is None or deadline.limited:
            return 1
        if not self.checkpoint.is_on:
            return left
        seconds = self.pacing.seconds * moves
        return 1 if seconds == 0.0 else max(1, min(left, int(SECONDS_AWAY / seconds)))

    def _kept(self, **found: np.ndarray) -> Part:
        return kept_state(self.each, **found)

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


def _joined(traces: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(traces, axis=1)
