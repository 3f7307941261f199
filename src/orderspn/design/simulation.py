"""The value of experiments by simulation: nested Monte Carlo whose inner term is exact.

A graph and its parameters are drawn from the posterior, rows of each experiment are simulated under them (with the same
noise for all experiments), the posterior is learned again from sums, and the question is asked of it. All of this is
exact but the outer mean. Rounds give more draws to experiments that need them: those that are not known precisely, and
those that may be the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from orderspn.core.tasks import chosen_backend
from orderspn.core.workers import Workers
from orderspn.design.experiment import Experiment
from orderspn.design.outcomes import outcomes_of
from orderspn.design.questions import Graph, Question

Plan = tuple[Experiment, ...]
"""Experiments that are done together."""

Learn = Callable[[Any], Any]
"""Maps a fitted score to the model of graphs under it."""

ROUND = 32
"""Number of draws in a round."""

FIRST_DRAWS = 128
"""Number of draws of every experiment: a standard error knows nothing of rare outcomes that were not seen."""

FINER = 4.0
"""How many times more precise than asked for the experiments are known that may be the best."""


class Values(NamedTuple):
    """Expected reductions, with their standard errors and numbers of draws, each (plans,)."""

    reduction: np.ndarray
    error: np.ndarray
    draws: np.ndarray


@dataclass(frozen=True, eq=False)
class Trial:
    """All that a draw needs: what is known now, the question, the experiments, and drawn graphs."""

    model: Any
    learn: Learn
    question: Question
    plans: tuple[Plan, ...]
    graphs: np.ndarray  # (draws, d, d)
    seed: np.random.SeedSequence
    before: np.ndarray

    def outcome(self, draw: int, which: Sequence[int]) -> list[np.ndarray]:
        """Return the reduction by each of some plans under one draw, and controls whose mean is 0."""
        graph, score_after = self.graphs[draw], self._scores(draw)
        now = Graph.surprise(self.model, graph) if isinstance(self.question, Graph) else 0.0
        return [self._reduction(self.learn(score_after(self.plans[plan])), graph, now) for plan in which]

    def learned(self, draw: int, plan: int) -> Any:
        """Return the model after the outcome of one plan under one draw."""
        return self.learn(self._scores(draw)(self.plans[plan]))

    def _scores(self, draw: int) -> Callable[[Plan], Any]:
        """Draw parameters; return the scores after plans under them."""
        seeds = np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, draw))
        own, noise = seeds.spawn(2)
        after = outcomes_of(self.model.score.likelihood, self.graphs[draw], np.random.default_rng(own))
        return lambda plan: after(plan, noise)

    def _reduction(self, learned: Any, graph: np.ndarray, surprise: float) -> np.ndarray:
        after = self.question.of_model(learned)
        controls = self.question.controls(self.before, after)
        if isinstance(self.question, Graph):
            controls = np.array([surprise, Graph.surprise(learned, graph)])
        return np.concatenate([[self.question.reduction(self.before, after)], controls])


def simulate(trial: Trial, most_draws: int, precision: float, workers: Workers) -> Values:
    """Estimate the values of all plans, each to `precision` as a share of their range, within a number of draws."""
    n = len(trial.plans)
    found: list[list[np.ndarray]] = [[] for _ in range(n)]
    steps = workers.steps("experiments", most_draws)
    active, start = list(range(n)), 0
    while active and start < most_draws:
        draws = range(start, min(start + ROUND, most_draws))
        for outcomes in _outcomes(trial, draws, active, workers):
            for plan, outcome in zip(active, outcomes, strict=True):
                found[plan].append(outcome)
        start = draws.stop
        steps.advance(len(draws))
        if start >= FIRST_DRAWS:
            active = _unsettled(_values(found), precision)
    steps.advance(most_draws - start)
    return _values(found)


def _outcomes(trial: Trial, draws: range, which: list[int], workers: Workers) -> list[list[np.ndarray]]:
    backend = chosen_backend()
    if backend is not None:
        return backend.run(_away, [trial], [(draw, which) for draw in draws])
    results: list[Any] = [None] * len(draws)

    def fill(place: int) -> None:
        results[place] = trial.outcome(draws[place], which)

    workers.run([partial(fill, place) for place in range(len(draws))])
    return results


def _away(key: object, values: list[Any], draw: int, which: list[int]) -> list[np.ndarray]:  # noqa: ARG001
    outcomes: list[np.ndarray] = values[0].outcome(draw, which)
    return outcomes


def _unsettled(values: Values, precision: float) -> list[int]:
    """Return the plans that need more draws."""
    size = max(values.reduction.max() - min(values.reduction.min(), 0.0), 1e-12)
    best = (values.reduction - 2.0 * values.error).max()
    may_be_best = values.reduction + 2.0 * values.error >= best
    alone = may_be_best.sum() == 1
    wanted = np.where(may_be_best & ~alone, precision / FINER, precision) * size
    return np.flatnonzero(values.error > wanted).tolist()


def _values(found: Sequence[Sequence[np.ndarray]]) -> Values:
    means = [with_controls(np.array(own)) for own in found]
    return Values(
        np.array([mean for mean, _ in means]),
        np.array([error for _, error in means]),
        np.array([len(own) for own in found], dtype=np.int64),
    )


def with_controls(outcomes: np.ndarray) -> tuple[float, float]:
    """Return the mean of the first column and its standard error, after regression on the others, whose means are 0.

    Examples
    --------
    >>> import numpy as np
    >>> control = np.random.default_rng(0).normal(size=100)
    >>> mean, error = with_controls(np.column_stack([3.0 + control, control]))
    >>> round(mean, 9), round(error, 9)
    (3.0, 0.0)
    """
    values, controls = outcomes[:, 0], outcomes[:, 1:]
    varying = controls[:, controls.std(axis=0) > 1e-9]
    if len(values) > 10 * (varying.shape[1] + 1) and varying.shape[1]:
        centred = varying - varying.mean(axis=0)
        slopes = np.linalg.lstsq(centred, values - values.mean(), rcond=None)[0]
        values = values - varying @ slopes
    freedom = max(len(values) - 1 - varying.shape[1], 1)
    return float(values.mean()), float(np.sqrt(((values - values.mean()) ** 2).sum() / freedom / len(values)))
