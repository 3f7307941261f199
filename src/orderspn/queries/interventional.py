"""Distributions of a variable when others are set from outside, for posteriors of categories.

Given a graph and its tables of probabilities, variables that are set lose their own tables (truncated factorisation),
and the ancestors of the one asked about are summed out. The result is a sum of products with one entry of each table,
and tables are independent: its mean is that of the mean tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_fraction
from orderspn.core.errors import InvalidType, InvalidValue, Unavailable, unknown_name
from orderspn.core.memory import readable_bytes
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.queries.elimination import Members, Plan, eliminate, plan_elimination
from orderspn.queries.sampling import GraphSamples, distinct_graphs
from orderspn.scores.bdeu import FittedBDeu, no_weights
from orderspn.scores.family_scores import variable_index
from orderspn.scores.local import LocalScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

SMALLEST_STRENGTH = 1e-290
"""Of a Dirichlet distribution; its inverse times the logarithm of the smallest uniform number is still a number."""

LARGEST_TABLE = 2**24
"""Entries of a table on the way: 128 MiB."""


def check_linear(score: LocalScore) -> None:
    """Refuse a question about weights of edges where there are none."""
    if not getattr(score.likelihood, "linear", True):
        raise no_weights()


def categories_behind(score: LocalScore) -> FittedBDeu:
    """The fitted score of a posterior of categories; of numbers, an error that says what to ask instead."""
    if not isinstance(score.likelihood, FittedBDeu):
        raise Unavailable(
            "interventional() belongs to categories (score='bdeu'), and this posterior is of numbers. Ask for "
            "causal_effects(), the change of one variable per unit change of another."
        )
    return score.likelihood


@dataclass(frozen=True)
class Question:
    """Which variable is asked about, and the levels that others are set to."""

    variable: int
    fixed: Mapping[int, int]

    @classmethod
    def checked(cls, variable: str, do: object, names: Sequence[str], fitted: FittedBDeu) -> Question:
        """From names of variables and levels."""
        if not isinstance(do, Mapping):
            raise InvalidType(f"do must be a mapping such as {{'X': 'level'}}; got {do!r}.")
        asked = variable_index(variable, names)
        fixed = {}
        for name, level in do.items():
            place = variable_index(name, names)
            if place == asked:
                raise InvalidValue(f"do sets {name!r}, the variable that is asked about: there is nothing to learn.")
            fixed[place] = _level(level, fitted.levels[place], name)
        return cls(asked, fixed)


def _level(level: Any, levels: tuple[str, ...], name: str) -> int:
    if str(level) not in levels:
        raise unknown_name(str(level), levels, "level", of=name)
    return levels.index(str(level))


def interventional(
    samples: GraphSamples,
    question: Question,
    fitted: FittedBDeu,
    level: float,
    seed: np.random.SeedSequence,
    workers: Workers,
) -> pd.DataFrame:
    """Mean and central credible interval of the probability of each level, over graphs and tables."""
    import pandas as pd

    share = check_fraction("level", level)
    adjacency = np.stack([_relevant(graph, question) for graph in samples.adjacency])
    graphs, which = distinct_graphs(adjacency)
    n_levels = len(fitted.levels[question.variable])
    means, draws = np.empty((len(graphs), n_levels)), np.empty((len(which), n_levels))

    def fill(graph: int, own: np.random.SeedSequence) -> None:
        network = _Network.of(graphs[graph], question, fitted)
        means[graph] = network.mean()
        chosen = np.flatnonzero(which == graph)
        draws[chosen] = network.draw(chosen.size, generator_of(own))

    seeds = seed.spawn(len(graphs))
    workers.run(
        [partial(fill, graph, own) for graph, own in enumerate(seeds)], workers.steps("interventions", len(graphs))
    )
    low, high = (_quantile(draws, tail, samples.weights) for tail in ((1.0 - share) / 2.0, (1.0 + share) / 2.0))
    name = samples.variables[question.variable]
    return pd.DataFrame(
        {"mean": np.average(means[which], axis=0, weights=samples.weights), "low": low, "high": high},
        index=pd.Index(fitted.levels[question.variable], name=name),
    )


def _quantile(draws: np.ndarray, share: float, weights: np.ndarray | None) -> np.ndarray:
    if weights is None:
        return np.quantile(draws, share, axis=0)
    return np.quantile(draws, share, axis=0, weights=weights, method="inverted_cdf")


def _relevant(graph: np.ndarray, question: Question) -> np.ndarray:
    """The edges (d, d) that matter: those to the variable and its ancestors, none to what is set."""
    open_graph = graph.copy()
    open_graph[:, list(question.fixed)] = False
    reached = np.zeros(len(graph), dtype=bool)
    reached[question.variable] = True
    while True:
        further = reached | open_graph[:, reached].any(axis=1)
        if (further == reached).all():
            return open_graph & reached
        reached = further


@dataclass(frozen=True, eq=False)
class _Network:
    """One graph, as Dirichlet posteriors of the tables of the variable and of its ancestors that are not set."""

    members: list[Members]
    strengths: list[np.ndarray]  # each with an axis for every member, its own levels last
    places: list[int]  # of the variable's own axis among its members
    plan: Plan

    @classmethod
    def of(cls, graph: np.ndarray, question: Question, fitted: FittedBDeu) -> _Network:
        """From the edges that matter."""
        ends = {question.variable, *(int(v) for edge in np.argwhere(graph) for v in edge)}
        children = sorted(ends - question.fixed.keys())
        sizes = {v: len(names) for v, names in enumerate(fitted.levels)}
        parents = {v: np.flatnonzero(graph[:, v]) for v in children}
        members = [tuple(sorted({v, *(int(u) for u in parents[v] if u not in question.fixed)})) for v in children]
        plan = plan_elimination(members, question.variable, sizes)
        largest = max([plan.largest, *(_n_cells(v, parents[v], sizes) for v in children)])
        if largest > LARGEST_TABLE:
            raise Unavailable(
                f"a sampled graph has so many parents at once that a table of {readable_bytes(8 * largest)} would be "
                f"needed; the limit is {readable_bytes(8 * LARGEST_TABLE)}. Learn again with smaller max_parents=, or "
                "merge levels."
            )
        strengths = [_strengths(v, parents[v], question.fixed, fitted) for v in children]
        return cls(members, strengths, [own.index(v) for v, own in zip(children, members, strict=True)], plan)

    def mean(self) -> np.ndarray:
        """Expected probabilities of the levels."""
        return self._answer([(table / table.sum(axis=-1, keepdims=True))[None] for table in self.strengths])[0]

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Probabilities of the levels under tables drawn from their posteriors, shape (n, levels)."""
        at_once = max(1, LARGEST_TABLE // (8 * self.plan.largest))
        sizes = [min(at_once, n - start) for start in range(0, n, at_once)]
        return np.concatenate([self._answer([_dirichlet(t, size, rng) for t in self.strengths]) for size in sizes])

    def _answer(self, tables: Sequence[np.ndarray]) -> np.ndarray:
        """From tables with their own levels last, behind a first axis for draws."""
        placed = [np.moveaxis(table, -1, 1 + place) for table, place in zip(tables, self.places, strict=True)]
        return eliminate(self.members, placed, self.plan)


def _n_cells(child: int, parents: np.ndarray, sizes: Mapping[int, int]) -> int:
    cells = sizes[child]
    for parent in parents.tolist():
        cells *= sizes[parent]
    return cells


def _strengths(child: int, parents: np.ndarray, fixed: Mapping[int, int], fitted: FittedBDeu) -> np.ndarray:
    """Dirichlet parameters of a table given what is set: an axis for every other parent, ascending, and the child."""
    counts = fitted.counts_given(child, parents)
    strengths = counts + fitted.equivalent_sample_size / counts.size
    return strengths[tuple(fixed.get(v, slice(None)) for v in parents.tolist())]


def _dirichlet(strengths: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draws of Dirichlet distributions along the last axis, shape (n, ...).

    A gamma variable with a strength near 0 would underflow, so its logarithm is drawn: that of one with a strength
    greater by 1, and of a power of a uniform one. Strengths so small that this logarithm would overflow are held where
    it does not: draws are 0 and 1 with either.
    """
    shape = (n, *strengths.shape)
    log_uniform = np.log1p(-rng.random(shape)) / np.maximum(strengths, SMALLEST_STRENGTH)
    log_gamma = np.log(rng.standard_gamma(strengths + 1.0, shape)) + log_uniform
    gamma = np.exp(log_gamma - log_gamma.max(axis=-1, keepdims=True))
    drawn: np.ndarray = gamma / gamma.sum(axis=-1, keepdims=True)
    return drawn
