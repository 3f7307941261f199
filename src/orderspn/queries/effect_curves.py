"""The mean of one variable when another is set to each of a grid of values: `E[Y | do(X = x)]`, averaged over graphs.

Under BGe over groups of columns, the columns of a variable are linear in those of its parents, plus noise. So given a
graph, the mean of the columns of Y under do(X = x) is a sum over paths from X to Y, each a product of coefficients
along the path, applied to the columns of x. Coefficients of different variables are independent given the graph, and a
path visits each variable once: the mean over coefficients is the sum over paths of mean coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.dag import reached_from
from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import variable_index
from orderspn.core.randomness import generator_of
from orderspn.queries.sampling import GraphSamples, credible_ends, distinct_graphs
from orderspn.scores.basis import Basis
from orderspn.scores.column_model import ColumnModel, Regression

if TYPE_CHECKING:
    import pandas as pd

GRID_POINTS = 41
"""Points of the default grid, from two standard deviations below the mean to two above."""


@dataclass(frozen=True, eq=False)
class CurveQuestion:
    """The cause, the effect, and the values that the cause is set to."""

    cause: int
    effect: int
    values: np.ndarray | tuple[str, ...]
    settings: np.ndarray  # (grid, width): columns of the cause

    @classmethod
    def checked(cls, model: ColumnModel, cause: str, effect: str, at: Any, names: Sequence[str]) -> CurveQuestion:
        """Make one from names and values, which are checked."""
        x, y = variable_index(cause, names), variable_index(effect, names)
        if x == y:
            raise InvalidValue(f"cause and effect must be two variables; got {cause!r} for both.")
        for v in (x, y):
            if model.several[v]:
                raise InvalidValue(
                    f"{names[v]!r} is a group of several columns, which have no common grid of values. Ask for another "
                    "variable, or learn with its columns apart."
                )
        values = _levels(model.levels[x], at, cause) if model.levels[x] else _grid(model.bases[x], at, cause)
        if isinstance(values, tuple):
            codes = np.array([[float(model.levels[x].index(value))] for value in values])
            return cls(x, y, values, model.bases[x].applied(codes))
        return cls(x, y, values, model.bases[x].applied(values[:, None]))


@dataclass(frozen=True, eq=False)
class CurveDraws:
    """The mean of the effect for each value of the cause, for each of n sampled graphs.

    Attributes
    ----------
    cause, effect : str
    values : numpy.ndarray or tuple of str
        The values that the cause is set to.
    levels : tuple of str
        Levels of the effect; none if it is a number.
    means : numpy.ndarray
        Shape (n, values, answers): means over the coefficients of each graph; an answer for each level, or one.
    draws : numpy.ndarray
        Shape (n, values, answers): for coefficients drawn from their posterior given each graph.
    weights : numpy.ndarray, optional
        Shape (n,): weights of the graphs; None if all are equal.
    """

    cause: str
    effect: str
    values: np.ndarray | tuple[str, ...]
    levels: tuple[str, ...]
    means: np.ndarray
    draws: np.ndarray
    weights: np.ndarray | None

    def table(self, level: float) -> pd.DataFrame:
        """Return means and central credible intervals over graphs and coefficients, for each value of the cause."""
        import pandas as pd

        low, high = credible_ends(self.draws, level, self.weights)
        mean = np.average(self.means, axis=0, weights=self.weights)
        set_to = pd.Index(self.values, name=self.cause)
        if not self.levels:
            return pd.DataFrame({"mean": mean[:, 0], "low": low[:, 0], "high": high[:, 0]}, index=set_to)
        index = pd.MultiIndex.from_product([set_to, self.levels], names=[self.cause, self.effect])
        return pd.DataFrame({"mean": mean.ravel(), "low": low.ravel(), "high": high.ravel()}, index=index)


def curve_draws(
    samples: GraphSamples, question: CurveQuestion, model: ColumnModel, seed: np.random.SeedSequence
) -> CurveDraws:
    """Return the means of the effect for each sampled graph: with mean coefficients, and with drawn ones."""
    graphs, which = distinct_graphs(np.stack([_between(graph, question) for graph in samples.adjacency]))
    rng = generator_of(seed)
    means = np.array([_answer(_paths(graph, question, model, None), question, model) for graph in graphs])
    draws = np.array([_answer(_paths(graphs[own], question, model, rng), question, model) for own in which.ravel()])
    cause, effect = (samples.variables[v] for v in (question.cause, question.effect))
    levels = tuple(model.levels[question.effect] or ())
    return CurveDraws(cause, effect, question.values, levels, means[which.ravel()], draws, samples.weights)


def _between(graph: np.ndarray, question: CurveQuestion) -> np.ndarray:
    """Return the families of the variables on paths from cause to effect, (d, d); all other edges are left out."""
    after = reached_from(graph, question.cause)
    after[question.cause] = False
    on_paths = after & reached_from(graph.T, question.effect)
    return np.asarray(graph & on_paths)


def _paths(
    graph: np.ndarray, question: CurveQuestion, model: ColumnModel, rng: np.random.Generator | None
) -> np.ndarray:
    """Return the change of the columns of the effect per unit of those of the cause, (width of cause, of effect).

    Coefficients are drawn, or their means without a generator.
    """
    width = model.bases[question.cause].width
    found = {question.cause: np.eye(width)}

    def change(v: int) -> np.ndarray:
        if v not in found:
            parents = tuple(np.flatnonzero(graph[:, v]).tolist())
            found[v] = _of_child(model.regressions(v, parents), [change(parent) for parent in parents], width, rng)
        return found[v]

    return change(question.effect)


def _of_child(
    regressions: Sequence[Regression], parents: Sequence[np.ndarray], width: int, rng: np.random.Generator | None
) -> np.ndarray:
    """Return the change of a child's columns, given that of its parents' columns; without parents it is 0."""
    if not parents:
        return np.zeros((width, len(regressions)))
    known = np.concatenate(parents, axis=1)
    for regression in regressions:
        coefficients = regression.location if rng is None else regression.draw(rng)
        known = np.column_stack([known, known @ coefficients])
    return known[:, -len(regressions) :]


def _answer(paths: np.ndarray, question: CurveQuestion, model: ColumnModel) -> np.ndarray:
    """Return the mean of the effect for each value of the cause, or the probability of each level, (grid, answers)."""
    basis, levels = model.bases[question.effect], model.levels[question.effect]
    columns = question.settings @ paths
    if not levels:
        number: np.ndarray = basis.centre + basis.scale * columns[:, :1]  # the first column is the standardized number
        return number
    others = basis.mean + columns @ np.linalg.pinv(basis.whitening)
    shares = np.clip(np.column_stack([1.0 - others.sum(axis=1), others]), 0.0, 1.0)
    probabilities: np.ndarray = shares / shares.sum(axis=1, keepdims=True)
    return probabilities


def _grid(basis: Basis, at: Any, name: str) -> np.ndarray:
    if at is None:
        return np.asarray(basis.centre[0] + basis.scale[0] * np.linspace(-2.0, 2.0, GRID_POINTS))
    values = np.asarray(at)
    if values.dtype.kind not in "iufb" or values.ndim != 1 or not values.size:
        raise InvalidType(f"at must be a sequence of numbers that {name!r} is set to; got {at!r}.")
    numbers: np.ndarray = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise InvalidValue(f"at must hold finite numbers; got {at!r}.")
    return numbers


def _levels(levels: tuple[str, ...], at: Any, name: str) -> tuple[str, ...]:
    if at is None:
        return levels
    if isinstance(at, str) or not isinstance(at, Sequence) or not at:
        raise InvalidType(f"at must be a list of levels that {name!r} is set to; got {at!r}.")
    for value in at:
        if str(value) not in levels:
            raise unknown_name(str(value), levels, "level", of=name)
    return tuple(map(str, at))
