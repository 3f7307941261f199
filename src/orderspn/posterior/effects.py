"""Causal effects, averaged over graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_fraction, check_integer
from orderspn.core.memory import check_answer
from orderspn.core.randomness import RNGLike, seed_sequence
from orderspn.display.progress import Progress
from orderspn.models.capabilities import EXACT_EFFECTS, require
from orderspn.queries.edges import EdgesLike
from orderspn.queries.effect_curves import CurveDraws, CurveQuestion, curve_draws
from orderspn.queries.effect_units import EffectUnits, effect_scale
from orderspn.queries.effects import EffectEstimate, EffectSamples, check_linear, draw_effects
from orderspn.queries.interventional import InterventionalDraws, Question, categories_behind, interventional_draws
from orderspn.scores.capabilities import columns_behind

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.scores.column_model import ColumnModel

from orderspn.posterior.graphs import GraphQueries

EFFECT_COPIES = 3
"""Number of arrays of the size of all draws of effects that are in memory at once."""


class EffectQueries(GraphQueries):
    """Questions about interventions."""

    def causal_effects(
        self, given: EdgesLike = None, *, units: EffectUnits = "data", progress: Progress = "auto"
    ) -> pd.DataFrame:
        """Return total causal effects, averaged over all orders, graphs and weights.

        The effect of i on j is the change of j per unit change of i under an intervention on i: the mean of
        `(I - B)^-1` over weights B.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        units : {"data", "sd"}, default "data"
            Whether the change of j is in the unit of its column, per unit of the column of i, or both are in standard
            deviations of their columns. Standard deviations are known if the columns were standardized.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            Row = cause, column = effect, 1 on the diagonal; effects on context variables are 0.

        Examples
        --------
        >>> import orderspn as osp
        >>> effects = osp.learn(osp.load_sachs(log=True).data).causal_effects()
        >>> bool(effects.loc["Erk", "Akt"] > 0.1)
        True
        """
        with self._showing(progress):
            return self._square_frame(self.given(given)._exact_effects(units))

    def estimate_effects(
        self,
        n_orders: int = 1000,
        given: EdgesLike = None,
        rng: RNGLike = 0,
        *,
        units: EffectUnits = "data",
        progress: Progress = "auto",
    ) -> EffectEstimate:
        """Estimate total causal effects from sampled orders, with standard errors.

        For posteriors for which `causal_effects` takes too long. Given each order, the expectation over graphs and
        weights is exact. Orders too rare to be sampled contribute neither to the mean nor to the standard error.

        Parameters
        ----------
        n_orders : int, default 1000
        given : str or Edges, optional
            Evidence to condition on.
        rng : int, SeedSequence, Generator or None, default 0
        units : {"data", "sd"}, default "data"
            As for `causal_effects`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        EffectEstimate
            With `.mean` and `.standard_error`, each as `causal_effects`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> estimate = posterior.estimate_effects(400, rng=0)
        >>> error = abs(estimate.mean - posterior.causal_effects())
        >>> bool(error.to_numpy().max() < 5 * estimate.standard_error.to_numpy().max())
        True
        """
        count = self._checked_orders(n_orders, 2)
        with self._showing(progress):
            mean, error = self.given(given)._estimated_effects(count, rng, units)
        return EffectEstimate(self._square_frame(mean), self._square_frame(error), count)

    def effect_samples(
        self,
        n: int = 1000,
        given: EdgesLike = None,
        rng: RNGLike = None,
        *,
        target: str | None = None,
        units: EffectUnits = "data",
        progress: Progress = "auto",
    ) -> EffectSamples:
        """Draw total causal effects: for each draw a graph, then its weights, and the effects that follow.

        `causal_effects` returns means; this returns draws from the whole distribution, with the uncertainty of graphs
        and weights.

        Parameters
        ----------
        n : int, default 1000
        given : str or Edges, optional
            Evidence to condition on.
        rng : int, SeedSequence, Generator or None
        target : {"dag"}, optional
            As for `sample`.
        units : {"data", "sd"}, default "data"
            As for `causal_effects`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        EffectSamples
            With `.values` (n, d, d), `.mean`, `.interval(0.9)`, and `.of(cause, effect)`.

        Examples
        --------
        >>> import orderspn as osp
        >>> effects = osp.learn(osp.load_sachs(log=True).data).effect_samples(200, rng=0)
        >>> low, high = effects.interval(0.9)
        >>> bool(low.loc["Erk", "Akt"] <= effects.mean.loc["Erk", "Akt"] <= high.loc["Erk", "Akt"])
        True
        """
        count = check_integer("n", n, 1)
        needed = EFFECT_COPIES * 8 * count * len(self.variables) ** 2
        check_answer(needed, f"{count:,} draws of all effects", "Draw fewer.", self._memory)
        with self._showing(progress):
            return self.given(given)._drawn_effects(count, rng, target, units)

    def interventional(
        self,
        variable: str,
        do: Mapping[str, object],
        given: EdgesLike = None,
        *,
        n_graphs: int = 1000,
        level: float = 0.9,
        rng: RNGLike = 0,
        target: str | None = None,
        progress: Progress = "auto",
    ) -> pd.DataFrame:
        """Estimate the distribution of a variable under interventions on others: `P(Y | do(X = x))`, for categories.

        It is averaged over sampled graphs, and over the tables of probabilities given each graph. Given a graph the
        mean is exact; the credible interval is that of sampled graphs and tables.

        Parameters
        ----------
        variable : str
            The variable Y.
        do : mapping
            The levels that interventions set other variables to, by name; empty for no intervention. Context variables
            have no distribution of their own, so the level of each of them has to be set.
        given : str or Edges, optional
            Evidence to condition on.
        n_graphs : int, default 1000
            Number of graphs to draw, each with tables.
        level : float, default 0.9
            Probability of the central credible intervals.
        rng : int, SeedSequence, Generator or None, default 0
        target : {"dag"}, optional
            As for `sample`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            A row for each level of the variable, with columns `mean`, `low` and `high`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_asia().data)
        >>> known = "smoke -> bronc, bronc -> dysp"
        >>> ill = posterior.interventional("dysp", {"bronc": "yes"}, known, n_graphs=200, rng=0).loc["yes"]
        >>> well = posterior.interventional("dysp", {"bronc": "no"}, known, n_graphs=200, rng=0).loc["yes"]
        >>> bool(well["high"] < ill["low"])
        True
        """
        check_fraction("level", level)
        count = check_integer("n_graphs", n_graphs, 1)
        with self._showing(progress):
            return self.given(given)._interventional_draws(variable, do, count, rng, target).table(level)

    def effect_curve(
        self,
        cause: str,
        effect: str,
        at: Sequence[Any] | None = None,
        *,
        given: EdgesLike = None,
        n_samples: int = 1000,
        level: float = 0.9,
        rng: RNGLike = 0,
        target: str | None = None,
        progress: Progress = "auto",
    ) -> pd.DataFrame:
        """Estimate the mean of one variable when another is set to each of a grid of values: `E[Y | do(X = x)]`.

        It is averaged over sampled graphs; where Y does not follow from X, it does not change with x. For a model of
        lines (`scores.BGe()`) its slope is the effect of `causal_effects`.

        Parameters
        ----------
        cause, effect : str
            The variables X and Y, numbers or categories.
        at : sequence, optional
            Values that X is set to: numbers (default: from two standard deviations below the mean to two above), or
            levels (default: all).
        given : str or Edges, optional
            Evidence to condition on.
        n_samples : int, default 1000
            Number of graphs to draw, each with coefficients.
        level : float, default 0.9
            Probability of the central credible intervals.
        rng : int, SeedSequence, Generator or None, default 0
        target : {"dag"}, optional
            As for `sample`.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        pandas.DataFrame
            A row for each value of X, with columns `mean`, `low` and `high`: the mean of Y, its average over graphs,
            and the ends of its credible interval. If Y is a category, a row for each value of X and each level of Y,
            with the probability of the level.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data
        >>> curved = osp.learn(data, score=osp.scores.BGe(degree=2), knowledge="Erk -> Akt")
        >>> curve = curved.effect_curve("Erk", "Akt", at=[2.0, 3.0, 4.0], n_samples=200)
        >>> bool(curve.loc[4.0, "low"] > curve.loc[2.0, "high"])
        True
        """
        check_fraction("level", level)
        count = check_integer("n_samples", n_samples, 1)
        with self._showing(progress):
            return self.given(given)._curve_draws(cause, effect, at, count, rng, target).table(level)

    def _effect_scale(self, units: EffectUnits) -> np.ndarray | float:
        """Return the factors of effects [cause, effect]; raise an error if edges have no weights."""
        check_linear(self._model.score)
        return effect_scale(self._units, units)

    def _exact_effects(self, units: EffectUnits) -> np.ndarray:
        """Return mean total effects (d, d)."""
        scale = self._effect_scale(units)
        return require(self._model, EXACT_EFFECTS, "causal_effects()").effects() * scale

    def _estimated_effects(self, count: int, rng: RNGLike, units: EffectUnits) -> tuple[np.ndarray, np.ndarray]:
        """Return mean total effects over sampled orders and their standard errors, each (d, d)."""
        scale = self._effect_scale(units)
        mean, error = self._model.estimate_effects(count, rng)
        return mean * scale, error * scale

    def _drawn_effects(self, count: int, rng: RNGLike, target: str | None, units: EffectUnits) -> EffectSamples:
        """Draw graphs, then weights, and return their effects."""
        scale = self._effect_scale(units)
        seeds = seed_sequence(rng).spawn(2)
        samples = self.sample(count, rng=seeds[0], target=target)
        return draw_effects(samples, self._model.score, seeds[1], self._model.workers, scale)

    def _curve_question(self, cause: str, effect: str, at: Sequence[Any] | None) -> tuple[ColumnModel, CurveQuestion]:
        """Return the model of columns, and the question of an effect curve to it."""
        model = columns_behind(self._model.score.likelihood, self._units)
        return model, CurveQuestion.checked(model, cause, effect, at, self.variables)

    def _curve_draws(
        self, cause: str, effect: str, at: Sequence[Any] | None, count: int, rng: RNGLike, target: str | None
    ) -> CurveDraws:
        """Draw graphs and coefficients, and return the mean of the effect for each of them."""
        model, question = self._curve_question(cause, effect, at)
        seeds = seed_sequence(rng).spawn(2)
        samples = self.sample(count, rng=seeds[0], target=target)
        return curve_draws(samples, question, model, seeds[1])

    def _interventional_draws(
        self, variable: str, do: Mapping[str, object], count: int, rng: RNGLike, target: str | None
    ) -> InterventionalDraws:
        """Draw graphs and tables, and return the probabilities of the levels of a variable for each of them."""
        fitted = categories_behind(self._model.score)
        question = Question.checked(variable, do, self._model.variables, fitted, self.context)
        seeds = seed_sequence(rng).spawn(2)
        samples = self.sample(count, rng=seeds[0], target=target)
        return interventional_draws(samples, question, fitted, seeds[1], self._model.workers)
