"""Walks of runs as tasks of a backend: a run and the way that it is to walk are sent, and the run comes back.

Transitions hold the tables of all scores, which are large. So a task does not carry them: their *origin* says how to
make them again from sufficient statistics. A worker keeps the last ones that it made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from orderspn.chains.run import Run, RunState, Transitions
from orderspn.core.remembered import Remembered
from orderspn.core.tasks import Backend, threads_given
from orderspn.core.workers import Steps, Workers

MOST_TRANSITIONS = 2
"""Tables that a worker keeps: those of two searches at the same time."""

Found = tuple[np.ndarray, np.ndarray]
"""Draws (draws, temperatures, n) of the coldest chains, and their log scores (draws, temperatures)."""


@dataclass(frozen=True, eq=False)
class Origin:
    """How to make transitions in another process: `make(workers, *shared, *settings)`.

    Attributes
    ----------
    make : callable
        A function that can be imported.
    shared : tuple
        Large values, the same for all runs, such as fitted scores: they are sent once to each worker.
    settings : tuple
        Small values that can be compared.
    """

    make: Callable[..., Transitions]
    shared: tuple[object, ...]
    settings: tuple[Any, ...] = ()


class Leg(NamedTuple):
    """A part of a walk: pieces, each of some draws with as many moves before each; in a burn-in they adapt."""

    pieces: tuple[tuple[int, int], ...]
    burn_in: bool = False
    n_temperatures: int = 1

    def walked_by(self, run: Run) -> Found:
        """Walk, piece by piece; a burn-in returns log scores alone."""
        if self.burn_in:
            log_scores = np.concatenate([run.burn_in(*piece) for piece in self.pieces])
            return np.empty((0, 1, run.transitions.n), dtype=np.int64), log_scores[:, None]
        found = [run.walk_all(*piece, self.n_temperatures) for piece in self.pieces]
        return np.concatenate([draws for draws, _ in found]), np.concatenate([scores for _, scores in found])

    @property
    def n_draws(self) -> int:
        """Draws of each run."""
        return sum(n_draws for n_draws, _ in self.pieces)

    @property
    def n_moves(self) -> int:
        """Moves of each chain."""
        return sum(n_draws * moves for n_draws, moves in self.pieces)


def walk_away(backend: Backend, origin: Origin, runs: Sequence[Run], leg: Leg, steps: Steps | None) -> list[Found]:
    """Let runs walk on a backend; they are brought to where they end, and what each has found is returned."""
    each = [(origin.make, origin.settings, run.state, leg) for run in runs]

    def tell(*_: object) -> None:
        if steps is not None:
            steps.advance(len(leg.pieces))

    ends = backend.run(walk_in_worker, origin.shared, each, tell)
    for run, (state, _) in zip(runs, ends, strict=True):
        run.resume(state)
    return [found for _, found in ends]


def ask_away(
    backend: Backend, origin: Origin, question: Callable[..., Any], each: Sequence[tuple[Any, ...]]
) -> list[Any]:
    """Return `question(transitions, *own)` for `own` in `each`, answered where runs walk: there the tables are."""
    asked = [(origin.make, origin.settings, question, own) for own in each]
    return backend.run(answer_in_worker, origin.shared, asked)


_made: Remembered[Transitions] = Remembered(MOST_TRANSITIONS)


def walk_in_worker(
    digests: tuple[str, ...],
    shared: Sequence[object],
    make: Callable[..., Transitions],
    settings: tuple[Any, ...],
    state: RunState,
    leg: Leg,
) -> tuple[RunState, Found]:
    """Walk in a worker: all that matters is in the arguments, so that it can be repeated anywhere."""
    run = Run(_transitions(digests, shared, make, settings), state.states, state.rng)
    run.resume(state)
    found = leg.walked_by(run)
    return run.state, found


def answer_in_worker(
    digests: tuple[str, ...],
    shared: Sequence[object],
    make: Callable[..., Transitions],
    settings: tuple[Any, ...],
    question: Callable[..., Any],
    own: tuple[Any, ...],
) -> Any:
    """Answer a question in a worker."""
    return question(_transitions(digests, shared, make, settings), *own)


def _transitions(
    digests: tuple[str, ...], shared: Sequence[object], make: Callable[..., Transitions], settings: tuple[Any, ...]
) -> Transitions:
    """Return the transitions of an origin, in a worker, which makes them once."""
    key = (make.__module__, make.__qualname__, digests, settings)
    return _made.get(key, lambda: make(Workers(threads_given()), *shared, *settings))
