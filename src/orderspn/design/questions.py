"""What an experiment should tell: questions, and how uncertain their answers are.

A question turns a model of graphs into numbers that are means over the posterior (probabilities, expected effects), and
these into an uncertainty: an entropy, a variance, or an expected loss. Before an experiment the expectation of such
numbers after it is what they are now, which makes them control variates of a simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.workers import Workers
from orderspn.models import ancestry
from orderspn.models.capabilities import EXACT_EFFECTS
from orderspn.models.family_graphs import log_scores_of
from orderspn.posterior import Posterior
from orderspn.queries.edges import Edges, as_edges
from orderspn.queries.effects import check_linear, expected_coefficients
from orderspn.queries.evidence import check_names, satisfying
from orderspn.queries.path_sums import effects_of

QuestionLike = Any
"""A question as users write it: "graph", "orientation", an event such as "A ~> B", or a tuple."""

DRAWS = 400
"""Number of drawn graphs behind an answer that has no exact mean."""


class Question(Protocol):
    """A question about graphs."""

    @property
    def text(self) -> str:
        """The question in words."""

    @property
    def unit(self) -> str:
        """The unit of its uncertainty."""

    def of_model(self, model: Any) -> np.ndarray:
        """Return the means that the answer depends on, shape (k,)."""

    def of_graphs(self, graphs: np.ndarray, model: Any) -> np.ndarray:
        """Return the same of each graph (n, d, d), shape (n, k)."""

    def uncertainty(self, means: np.ndarray) -> float:
        """Return how uncertain the answer is, given the means."""

    def reduction(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return by how much one outcome reduces the uncertainty; its mean over outcomes is what counts."""

    def controls(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return numbers whose mean over outcomes is 0, shape (c,)."""


def entropy_of(probabilities: np.ndarray) -> float:
    """Return the entropy of probabilities in nats; 0 log 0 is 0."""
    positive = probabilities[probabilities > 0.0]
    return float(-(positive * np.log(positive)).sum())


@dataclass(frozen=True)
class Graph:
    """The whole graph: the entropy of the posterior."""

    text: str = "graph"
    unit: str = "nats"

    def of_model(self, model: Any) -> np.ndarray:
        """Return the entropy: over graphs, or over pairs of a graph and an order, which have the same reduction."""
        return np.array([model.entropy()])

    def of_graphs(self, graphs: np.ndarray, model: Any) -> np.ndarray:  # noqa: ARG002
        """Return the edges of each graph."""
        return graphs.reshape(len(graphs), -1).astype(np.float64)

    def uncertainty(self, means: np.ndarray) -> float:
        """Return the entropy; from probabilities of edges, the sum of those of all pairs of variables."""
        return float(means[0]) if means.size == 1 else pair_entropies(means)

    def reduction(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return the difference of entropies."""
        return float(before[0] - after[0])

    def controls(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """None of the means alone; see `surprise`."""
        return np.empty(0)

    @staticmethod
    def surprise(model: Any, graph: np.ndarray) -> float:
        """Return the entropy plus the log probability of a graph: 0 on average over the posterior."""
        return float(model.entropy() + log_scores_of(graph[None], model.families)[0] - model.log_mass)


def pair_entropies(edges: np.ndarray) -> float:
    """Return the sum over pairs of the entropy of no edge, and of both directions."""
    d = int(np.sqrt(edges.size))
    matrix = edges.reshape(d, d)
    upper = np.triu_indices(d, 1)
    there, back = matrix[upper], matrix.T[upper]
    return entropy_of(np.concatenate([there, back, np.maximum(1.0 - there - back, 0.0)]))


@dataclass(frozen=True)
class Orientation:
    """Directions of edges, whatever the neighbours: the entropy of the direction given that there is an edge."""

    text: str = "orientation"
    unit: str = "nats"

    def of_model(self, model: Any) -> np.ndarray:
        """Return the probabilities of all edges."""
        matrix: np.ndarray = model.edge_matrix()
        return matrix.ravel()

    def of_graphs(self, graphs: np.ndarray, model: Any) -> np.ndarray:  # noqa: ARG002
        """Return the edges of each graph."""
        return graphs.reshape(len(graphs), -1).astype(np.float64)

    def uncertainty(self, means: np.ndarray) -> float:
        """Return the sum over pairs of P(edge) times the entropy of its direction."""
        d = int(np.sqrt(means.size))
        matrix = means.reshape(d, d)
        upper = np.triu_indices(d, 1)
        there, back = matrix[upper], matrix.T[upper]
        both = there + back
        return entropy_of(np.concatenate([there, back])) - entropy_of(both)

    def reduction(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return the difference of uncertainties."""
        return self.uncertainty(before) - self.uncertainty(after)

    def controls(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return how far the linear part of the uncertainty is from its mean."""
        d = int(np.sqrt(before.size))
        matrix = before.reshape(d, d)
        slope = np.log((matrix + matrix.T + 1e-12) / (matrix + 1e-12)).ravel()
        return np.array([slope @ (after - before)])


@dataclass(frozen=True)
class Event:
    """An event of edges, orders or paths: the entropy of whether it holds."""

    event: Edges
    text: str
    unit: str = "nats"

    def of_model(self, model: Any) -> np.ndarray:
        """Return the probability of the event."""
        log_probability = ancestry.log_probability(model, Edges(), self.event)
        return np.array([min(np.exp(log_probability), 1.0)])

    def of_graphs(self, graphs: np.ndarray, model: Any) -> np.ndarray:
        """Return whether each graph satisfies it."""
        if self.event.before:
            raise InvalidValue("a question about orders needs method='simulate'; method='limit' knows graphs alone.")
        return satisfying(graphs, self.event, model.variables)[:, None].astype(np.float64)

    def uncertainty(self, means: np.ndarray) -> float:
        """Return the entropy of yes or no."""
        return entropy_of(np.array([means[0], 1.0 - means[0]]))

    def reduction(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return the difference of entropies."""
        return self.uncertainty(before) - self.uncertainty(after)

    def controls(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the change of the probability."""
        return after - before


@dataclass(frozen=True, eq=False)
class Effect:
    """The total effect of one variable on another: the variance, of which an outcome removes that of the mean.

    The expected variance after an experiment is the variance now less the variance of the mean after it. So the exact
    mean of each outcome is enough.
    """

    cause: int
    effect: int
    scale: float
    text: str
    unit: str = "variance"

    def of_model(self, model: Any) -> np.ndarray:
        """Return the mean effect and the square of its standard error, 0 if it is exact."""
        mean, error = _mean_effects(model)
        return self.scale ** np.array([1, 2]) * [mean[self.cause, self.effect], error[self.cause, self.effect] ** 2]

    def of_graphs(self, graphs: np.ndarray, model: Any) -> np.ndarray:
        """Return the expected effect of each graph, and its square."""
        effects = self.scale * _effects_given(graphs, model)[:, self.cause, self.effect]
        return np.column_stack([effects, effects**2])

    def uncertainty(self, means: np.ndarray) -> float:
        """Return the variance between graphs, from mean and mean square."""
        return float(max(means[1] - means[0] ** 2, 0.0))

    def reduction(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return the square of the change of the mean, less that of its errors."""
        return float((after[0] - before[0]) ** 2 - before[1] - after[1])

    def controls(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the change of the mean."""
        return after[:1] - before[:1]


@dataclass(frozen=True, eq=False)
class Sign:
    """The sign of an effect: the entropy of negative, none and positive."""

    cause: int
    effect: int
    text: str
    unit: str = "nats"

    def of_model(self, model: Any) -> np.ndarray:
        """Return the probabilities of the signs, from drawn graphs with expected effects."""
        return np.asarray(self.of_graphs(model.sample(DRAWS, 0).adjacency, model).mean(axis=0))

    def of_graphs(self, graphs: np.ndarray, model: Any) -> np.ndarray:
        """Return which sign the expected effect of each graph has."""
        effects = _effects_given(graphs, model)[:, self.cause, self.effect]
        return np.column_stack([effects < 0.0, effects == 0.0, effects > 0.0]).astype(np.float64)

    def uncertainty(self, means: np.ndarray) -> float:
        """Return the entropy of the sign."""
        return entropy_of(means)

    def reduction(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return the difference of entropies."""
        return self.uncertainty(before) - self.uncertainty(after)

    def controls(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the changes of two of the probabilities."""
        return after[:2] - before[:2]


@dataclass(frozen=True, eq=False)
class Decision:
    """Which variable to change by a standard deviation so as to raise (or lower) another most: the expected regret.

    What an outcome is worth is the expected effect of the action that is best after it, less that of the one that is
    best now, both as they are expected after it.
    """

    effect: int
    scales: (
        np.ndarray
    )  # (d,): effect of a standard deviation of each cause, in the units of the effect; 0 if not allowed
    text: str
    unit: str = "expected effect"

    def of_model(self, model: Any) -> np.ndarray:
        """Return the expected change of the effect by each action: each cause up, then each down."""
        return self._actions(_mean_effects(model)[0][:, self.effect])

    def of_graphs(self, graphs: np.ndarray, model: Any) -> np.ndarray:
        """Return the same of each graph."""
        return self._actions(_effects_given(graphs, model)[:, :, self.effect])

    def _actions(self, effects: np.ndarray) -> np.ndarray:
        scaled = effects * self.scales
        return np.concatenate([scaled, -scaled], axis=-1)

    def uncertainty(self, means: np.ndarray) -> float:
        """Return minus the expected effect of the best action: differences of it are those of the regret."""
        return -float(means.max())

    def reduction(self, before: np.ndarray, after: np.ndarray) -> float:
        """Return the gain of choosing anew."""
        return float(after.max() - after[before.argmax()])

    def controls(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Return the change of the expected effect of the action that is best now."""
        place = before.argmax()
        return after[place : place + 1] - before[place : place + 1]


def _mean_effects(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return mean total effects and their standard errors, each (d, d)."""
    exact = EXACT_EFFECTS.optional(model)
    if exact is not None:
        effects = exact.effects()
        return effects, np.zeros_like(effects)
    mean, error = model.estimate_effects(DRAWS, 0)
    return mean, error


def _effects_given(graphs: np.ndarray, model: Any) -> np.ndarray:
    return effects_of(expected_coefficients(graphs, model.score, Workers(n_jobs=1)))


def as_question(value: QuestionLike, posterior: Posterior, targets: Sequence[int]) -> Question:
    """Read a question; an error says which there are."""
    if value == "graph":
        return Graph()
    if value == "orientation":
        return Orientation()
    if isinstance(value, tuple) and value and value[0] in ("effect", "sign", "raise", "lower"):
        return _about_effects(value, posterior, targets)
    if isinstance(value, str | Edges):
        event = as_edges("question", value)
        check_names(event, posterior.variables)
        if not event:
            raise InvalidValue(_QUESTIONS.format(value))
        return Event(event, str(event))
    raise InvalidType(_QUESTIONS.format(value))


_QUESTIONS = (
    "question must be 'graph', 'orientation', an event such as 'A -> B' or 'A ~> B', ('effect', 'A', 'B'), "
    "('sign', 'A', 'B'), ('raise', 'B') or ('lower', 'B'); got {!r}."
)


def _about_effects(value: tuple[Any, ...], posterior: Posterior, targets: Sequence[int]) -> Question:
    names, kind = posterior.variables, value[0]
    if len(value) != (3 if kind in ("effect", "sign") else 2):
        raise InvalidValue(_QUESTIONS.format(value))
    for name in value[1:]:
        if name not in names:
            raise unknown_name(str(name), names)
    check_linear(posterior.model.score)
    places = [names.index(name) for name in value[1:]]
    if len(set(places)) < len(places):
        raise InvalidValue(f"question must name two different variables; got {value!r}.")
    units = posterior.units
    scale = np.ones((len(names), len(names))) if units is None else units.effect_scale()
    if kind == "effect":
        return Effect(places[0], places[1], float(scale[places[0], places[1]]), f"effect of {value[1]} on {value[2]}")
    if kind == "sign":
        return Sign(places[0], places[1], f"sign of the effect of {value[1]} on {value[2]}")
    deviations = np.ones(len(names)) if units is None else np.exp(units.log_deviation)
    allowed = np.zeros(len(names))
    allowed[[v for v in targets if v != places[0]]] = 1.0 if kind == "raise" else -1.0
    return Decision(places[0], allowed * scale[:, places[0]] * deviations, f"{kind} {value[1]}")
