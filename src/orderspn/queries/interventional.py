"""Distributions of a variable when others are intervened on, for posteriors of categories.

Given a graph and its conditional probability tables, the tables of variables that are intervened on are removed
(truncated factorisation), and the ancestors of the queried variable are summed out one after the other (variable
elimination). The result is a sum of products with one entry of each table. Tables are independent, so its mean is
computed from the mean tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.dag import reached_from
from orderspn.core.errors import InvalidType, InvalidValue, Unavailable, unknown_name
from orderspn.core.memory import readable_bytes
from orderspn.core.names import quoted, variable_index
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.queries.sampling import GraphSamples, credible_ends, distinct_graphs
from orderspn.scores.capabilities import tables_of
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import TableLikelihood

if TYPE_CHECKING:
    import pandas as pd

Members = tuple[int, ...]
"""Variables of the axes of a table, ascending."""

SMALLEST_STRENGTH = 1e-290
"""Smallest Dirichlet parameter: the logarithm of the smallest uniform number divided by it is finite."""

LARGEST_TABLE = 2**24
"""Most entries of an intermediate table: 128 MiB."""


def categories_behind(score: LocalScore) -> TableLikelihood:
    """The fitted score of a posterior of categories. For one of numbers, an error that says what to ask instead."""
    return tables_of(score.likelihood)


@dataclass(frozen=True)
class Question:
    """The queried variable, and the levels of those that are intervened on.

    `mixed` has variables that are intervened on with weights of their levels instead of one level. Weights may be
    negative: the answer is linear in them.
    """

    variable: int
    fixed: Mapping[int, int]
    mixed: Mapping[int, np.ndarray] = field(default_factory=dict)

    @classmethod
    def checked(
        cls, variable: str, do: object, names: Sequence[str], fitted: TableLikelihood, context: Sequence[str] = ()
    ) -> Question:
        """Make one from the names of variables and levels, which are checked."""
        if not isinstance(do, Mapping):
            raise InvalidType(f"do must be a mapping such as {{'X': 'level'}}; got {do!r}.")
        asked = variable_index(variable, names)
        fixed = {}
        for name, level in do.items():
            place = variable_index(name, names)
            if place == asked:
                raise InvalidValue(f"do must not contain the queried variable; got {name!r}. Leave it out.")
            fixed[place] = _level(level, fitted.levels[place], name)
        _check_context(names[asked], [names[v] for v in fixed], context)
        return cls(asked, fixed)


def _check_context(variable: str, fixed: Sequence[str], context: Sequence[str]) -> None:
    """Raise an error if the distribution of a context variable would be needed: it is not part of the posterior."""
    if variable in context:
        raise InvalidValue(
            f"{variable!r} is context: it is never explained, and nothing causes it. Ask for a variable of "
            "posterior.explained."
        )
    missing = [name for name in context if name not in fixed]
    if missing:
        raise InvalidValue(
            f"do must set the level of every context variable, because context variables have no distribution of their "
            f"own; {quoted(missing)} missing."
        )


def _level(level: Any, levels: tuple[str, ...], name: str) -> int:
    if str(level) not in levels:
        raise unknown_name(str(level), levels, "level", of=name)
    return levels.index(str(level))


@dataclass(frozen=True, eq=False)
class InterventionalDraws:
    """Probabilities of the levels of a variable, for each of n sampled graphs.

    Attributes
    ----------
    name : str
        The queried variable.
    levels : tuple of str
    means : numpy.ndarray
        Shape (n, levels): means over the tables of each graph.
    draws : numpy.ndarray
        Shape (n, levels): for tables drawn from their posterior given each graph.
    weights : numpy.ndarray, optional
        Shape (n,): weights of the graphs; None if all are equal.
    """

    name: str
    levels: tuple[str, ...]
    means: np.ndarray
    draws: np.ndarray
    weights: np.ndarray | None

    def table(self, level: float) -> pd.DataFrame:
        """Return the mean and central credible interval of the probability of each level."""
        import pandas as pd

        low, high = credible_ends(self.draws, level, self.weights)
        return pd.DataFrame(
            {"mean": np.average(self.means, axis=0, weights=self.weights), "low": low, "high": high},
            index=pd.Index(self.levels, name=self.name),
        )


def interventional_draws(
    samples: GraphSamples,
    question: Question,
    fitted: TableLikelihood,
    seed: np.random.SeedSequence,
    workers: Workers,
) -> InterventionalDraws:
    """Return the probabilities of the levels for each sampled graph: their means, and those of drawn tables."""
    adjacency = np.stack([_relevant(graph, question) for graph in samples.adjacency])
    graphs, which = distinct_graphs(adjacency)
    levels = fitted.levels[question.variable]
    means, draws = np.empty((len(graphs), len(levels))), np.empty((len(which), len(levels)))

    def fill(graph: int, own: np.random.SeedSequence) -> None:
        network = _Network.of(graphs[graph], question, fitted)
        means[graph] = network.mean()
        chosen = np.flatnonzero(which == graph)
        draws[chosen] = network.draw(chosen.size, generator_of(own))

    seeds = seed.spawn(len(graphs))
    workers.run(
        [partial(fill, graph, own) for graph, own in enumerate(seeds)], workers.steps("interventions", len(graphs))
    )
    return InterventionalDraws(samples.variables[question.variable], levels, means[which], draws, samples.weights)


def _relevant(graph: np.ndarray, question: Question) -> np.ndarray:
    """Return the relevant edges (d, d): those into the variable and its ancestors, none into one intervened on."""
    open_graph = graph.copy()
    open_graph[:, [*question.fixed, *question.mixed]] = False
    return np.asarray(open_graph & reached_from(open_graph.T, question.variable))


@dataclass(frozen=True, eq=False)
class _Network:
    """Dirichlet posteriors of the tables of one graph: of the variable, and of its ancestors not intervened on."""

    members: list[Members]
    strengths: list[np.ndarray]  # Dirichlet parameters with an axis for every member, its own levels last
    places: list[int]  # of the variable's own axis among its members
    settled: list[np.ndarray | None]  # tables that interventions replace
    plan: Plan

    @classmethod
    def of(cls, graph: np.ndarray, question: Question, fitted: TableLikelihood) -> _Network:
        """Make one from the edges that matter."""
        ends = {question.variable, *(int(v) for edge in np.argwhere(graph) for v in edge)}
        children = sorted(ends - question.fixed.keys())
        sizes = {v: len(names) for v, names in enumerate(fitted.levels)}
        parents = {v: np.flatnonzero(graph[:, v]) for v in children}
        members = [tuple(sorted({v, *(int(u) for u in parents[v] if u not in question.fixed)})) for v in children]
        plan = plan_elimination(members, question.variable, sizes)
        largest = max([plan.largest, *(_n_cells(v, parents[v], sizes) for v in children)])
        if largest > LARGEST_TABLE:
            raise Unavailable(
                f"a sampled graph has so many parents at once that it needs a table of {readable_bytes(8 * largest)}; "
                f"the limit is {readable_bytes(8 * LARGEST_TABLE)}. Learn again with smaller max_parents=, or merge "
                "levels."
            )
        strengths = [_strengths(v, parents[v], question.fixed, fitted) for v in children]
        places = [own.index(v) for v, own in zip(children, members, strict=True)]
        return cls(members, strengths, places, [question.mixed.get(v) for v in children], plan)

    def mean(self) -> np.ndarray:
        """Return the expected probabilities of the levels."""
        return self._answer([(table / table.sum(axis=-1, keepdims=True))[None] for table in self.strengths])[0]

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Return the probabilities of the levels for tables drawn from their posteriors, shape (n, levels)."""
        at_once = max(1, LARGEST_TABLE // (8 * self.plan.largest))
        sizes = [min(at_once, n - start) for start in range(0, n, at_once)]
        return np.concatenate([self._answer([_dirichlet(t, size, rng) for t in self.strengths]) for size in sizes])

    def _answer(self, tables: Sequence[np.ndarray]) -> np.ndarray:
        """Return the probabilities of the levels (draws, levels), given tables (draws, ..., own levels)."""
        each = zip(tables, self.settled, strict=True)
        tables = [table if settled is None else settled[None] for table, settled in each]
        placed = [np.moveaxis(table, -1, 1 + place) for table, place in zip(tables, self.places, strict=True)]
        return eliminate(self.members, placed, self.plan)


def _n_cells(child: int, parents: np.ndarray, sizes: Mapping[int, int]) -> int:
    cells = sizes[child]
    for parent in parents.tolist():
        cells *= sizes[parent]
    return cells


def _strengths(child: int, parents: np.ndarray, fixed: Mapping[int, int], fitted: TableLikelihood) -> np.ndarray:
    """Dirichlet parameters of a table given the interventions.

    They have an axis for each parent that is not intervened on, ascending, then one for the child.
    """
    strengths = fitted.strengths_given(child, parents)
    return strengths[tuple(fixed.get(v, slice(None)) for v in parents.tolist())]


def _dirichlet(strengths: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw from Dirichlet distributions along the last axis, shape (n, ...).

    A gamma variable with a parameter near 0 would underflow, so its logarithm is drawn: that of a gamma variable with
    the parameter plus 1, plus that of a power of a uniform variable. Parameters for which this logarithm would overflow
    are replaced by `SMALLEST_STRENGTH`; draws are 0 and 1 in both cases.
    """
    shape = (n, *strengths.shape)
    log_uniform = np.log1p(-rng.random(shape)) / np.maximum(strengths, SMALLEST_STRENGTH)
    log_gamma = np.log(rng.standard_gamma(strengths + 1.0, shape)) + log_uniform
    gamma = np.exp(log_gamma - log_gamma.max(axis=-1, keepdims=True))
    drawn: np.ndarray = gamma / gamma.sum(axis=-1, keepdims=True)
    return drawn


@dataclass(frozen=True)
class Plan:
    """The order in which variables are summed out, and the number of entries of the largest intermediate table."""

    order: Members
    largest: int


def plan_elimination(members: Sequence[Members], kept: int, sizes: Mapping[int, int]) -> Plan:
    """Plan to sum out all variables but `kept`, each time the one whose factors have the smallest product."""
    scopes = [frozenset(own) for own in members]
    left = frozenset().union(*scopes) - {kept}
    order: list[int] = []
    largest = max(_entries(scope, sizes) for scope in scopes)
    while left:
        joined = {v: frozenset().union(*(scope for scope in scopes if v in scope)) for v in left}
        entries = {v: _entries(joined[v], sizes) for v in left}
        chosen = min(left, key=lambda v: (entries[v], v))
        largest = max(largest, entries[chosen])
        scopes = [scope for scope in scopes if chosen not in scope] + [joined[chosen] - {chosen}]
        left -= {chosen}
        order.append(chosen)
    return Plan(tuple(order), largest)


def _entries(scope: frozenset[int], sizes: Mapping[int, int]) -> int:
    entries = 1
    for v in scope:
        entries *= sizes[v]
    return entries


def eliminate(members: Sequence[Members], tables: Sequence[np.ndarray], plan: Plan) -> np.ndarray:
    """Return the product of tables (draws, *levels), summed over all variables but one, shape (draws, levels)."""
    factors = list(zip(members, tables, strict=True))
    for v in plan.order:
        own, table = _product([factor for factor in factors if v in factor[0]])
        rest = tuple(u for u in own if u != v)
        factors = [factor for factor in factors if v not in factor[0]]
        factors.append((rest, table.sum(axis=1 + own.index(v))))
    return _product(factors)[1]


def _product(factors: Sequence[tuple[Members, np.ndarray]]) -> tuple[Members, np.ndarray]:
    union = tuple(sorted(set().union(*(own for own, _ in factors))))
    product = np.ones((1,) * (1 + len(union)))
    for own, table in factors:
        levels = dict(zip(own, table.shape[1:], strict=True))
        product = product * table.reshape(len(table), *(levels.get(v, 1) for v in union))
    return union, product
