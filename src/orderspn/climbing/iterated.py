"""Iterated local search: the order is disturbed and climbed again, and the result kept if it is not worse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from orderspn.climbing.any_score import AnyScoreClimber, ScoreMemo
from orderspn.climbing.compiled import CompiledClimber
from orderspn.climbing.shifted import NO_GAIN
from orderspn.climbing.terms import climb_terms
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of
from orderspn.core.tasks import chosen_backend
from orderspn.core.workers import Workers
from orderspn.scores.local import LocalScore

LEAST_MOVED, MOST_MOVED, MOVED_SHARE = 4, 20, 0.2
"""How many variables are moved to random places to disturb an order: this share of them, within these bounds."""

LEAST_DEEPENED, MOST_DEEPENED, DEEPENED_SHARE = 2, 5, 0.1
"""For how many variables better parents are looked for at the end of each climb, chosen at random: this share of them,
within these bounds. With few variables the time is better spent on more restarts."""


class Climber(Protocol):
    """An order with the best parents that were found for it, and ways to improve it."""

    @property
    def order(self) -> np.ndarray:
        """The explained variables, first to last, shape (n,)."""

    @property
    def graph(self) -> np.ndarray:
        """The graph, shape (d, d), bool, [cause, effect]."""

    @property
    def log_score(self) -> float:
        """Log score of the graph."""

    def sweep(self, visits: np.ndarray, quiet: int) -> int:
        """Put each of these variables into its best place, until all of them in a row have stayed in theirs.

        `quiet` is the number of the last visits without a move; it is returned as it is after this sweep, or after
        several sweeps if they take little time.
        """

    def disturb(self, variables: np.ndarray, places: np.ndarray) -> None:
        """Move each of these variables to a place among the explained ones, or as near as required edges let it."""

    def deepen(self, children: np.ndarray) -> int:
        """Look for better parents of some variables than growing and shrinking find; return how many have them."""

    def kept(self) -> Any:
        """Return what `put_back` needs to return to this order."""

    def put_back(self, kept: Any) -> None:
        """Return to an order."""


@dataclass(frozen=True, eq=False)
class Climb:
    """The best graph that one climb with its restarts found.

    Attributes
    ----------
    order : numpy.ndarray
        Shape (n,): the explained variables, causes before effects.
    graph : numpy.ndarray
        Shape (d, d), bool, [cause, effect].
    log_score : float
    restarts : int
        How often the order was disturbed and climbed again.
    in_time : bool
        Whether the deadline let it do all of them.
    """

    order: np.ndarray
    graph: np.ndarray
    log_score: float
    restarts: int
    in_time: bool


def climb_all(
    local: LocalScore,
    n_climbs: int,
    restarts: int,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> list[Climb]:
    """Climb several times from independent random orders, each with its own restarts.

    Any predecessor may be a parent. Rules, context and numbers of parents are those of the local score. With a
    deadline, every climb finds parents for its first order, and stops between two sweeps.
    """
    steps = workers.steps("climbing", n_climbs * (restarts + 1))
    seeds = seed.spawn(n_climbs)
    backend = chosen_backend()
    if backend is not None:
        left = deadline.left if deadline.limited else None
        each = [(own, restarts, left) for own in seeds]
        ends = backend.run(_climb_in_worker, (local,), each, lambda *_: steps.advance(restarts + 1))
        return [replace(end, graph=_as_graph(end.graph, local.log_prior.size)) for end in ends]
    begin = _beginner(local)
    found: list[Climb | None] = [None] * n_climbs

    def run(number: int) -> None:
        rng = generator_of(seeds[number])
        climber = begin(random_order(local, rng))
        found[number] = climb(climber, restarts, rng, deadline, steps.advance)

    workers.run([partial(run, number) for number in range(n_climbs)])
    return [one for one in found if one is not None]


def _climb_in_worker(
    key: object,  # noqa: ARG001
    shared: Sequence[LocalScore],
    seed: np.random.SeedSequence,
    restarts: int,
    seconds: float | None,
) -> Climb:
    """Climb once, as a task of a backend: all that matters is in the arguments."""
    (local,), rng = shared, generator_of(seed)
    end = climb(_beginner(local)(random_order(local, rng)), restarts, rng, Deadline.after(seconds))
    return replace(end, graph=np.argwhere(end.graph))  # a few edges instead of d * d cells


def _as_graph(edges: np.ndarray, d: int) -> np.ndarray:
    graph = np.zeros((d, d), dtype=bool)
    graph[edges[:, 0], edges[:, 1]] = True
    return graph


def _beginner(local: LocalScore) -> Callable[[np.ndarray], Climber]:
    """Return the function that begins a climb with an order."""
    terms = climb_terms(local)
    if terms is None:
        memo = ScoreMemo(local)
        return lambda order: AnyScoreClimber(memo, order)
    return lambda order: CompiledClimber(terms, local.context, order)


def climb(
    climber: Climber,
    restarts: int,
    rng: np.random.Generator,
    deadline: Deadline,
    advance: Callable[[], object] = lambda: None,
) -> Climb:
    """Climb, then disturb the order and climb again, `restarts` times."""
    variables = np.sort(climber.order)
    n_moved = min(max(round(MOVED_SHARE * variables.size), LEAST_MOVED), MOST_MOVED)
    _to_the_top(climber, variables, rng, deadline)
    advance()
    kept, best, done = climber.kept(), climber.log_score, 0
    while done < restarts and not deadline.passed:
        climber.disturb(rng.choice(variables, n_moved), rng.integers(variables.size, size=n_moved))
        _to_the_top(climber, variables, rng, deadline)
        if climber.log_score >= best - NO_GAIN:
            kept, best = climber.kept(), max(best, climber.log_score)
        else:
            climber.put_back(kept)
        done += 1
        advance()
    return Climb(climber.order, climber.graph, climber.log_score, done, done == restarts and not deadline.passed)


def _to_the_top(climber: Climber, variables: np.ndarray, rng: np.random.Generator, deadline: Deadline) -> None:
    """Go round the variables, in random order, until none moves any more, and some have no better parents."""
    visits, quiet = rng.permutation(variables), 0
    n_deepened = min(max(round(DEEPENED_SHARE * variables.size), LEAST_DEEPENED), MOST_DEEPENED)
    children = rng.choice(variables, min(n_deepened, variables.size), replace=False)
    while quiet < visits.size and not deadline.passed:
        quiet = climber.sweep(visits, quiet)
        if quiet >= visits.size and not deadline.passed and climber.deepen(children):
            quiet = 0


def random_order(local: LocalScore, rng: np.random.Generator) -> np.ndarray:
    """Draw an order of the explained variables in which required parents come before their children, shape (n,)."""
    required = local.rules.required.copy()
    required[local.context] = False
    waiting = required.sum(axis=0)
    left = np.setdiff1d(np.arange(len(required)), local.context)
    order: list[int] = []
    while left.size:
        free = rng.permutation(left[waiting[left] == 0])
        order.extend(free.tolist())
        waiting -= required[free].sum(axis=0)
        left = np.setdiff1d(left, free)
    return np.array(order, dtype=np.int64)
