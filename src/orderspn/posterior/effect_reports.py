"""Reports on effects: how large, how sure, where the uncertainty comes from, and along which paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_choice, check_fraction, check_integer
from orderspn.core.errors import InvalidValue, Unavailable
from orderspn.core.memory import check_answer
from orderspn.core.names import variable_index
from orderspn.core.randomness import RNGLike, seed_sequence
from orderspn.display.progress import Progress
from orderspn.models.capabilities import GRAPH_LIST
from orderspn.queries.contrasts import Contrast, difference_question
from orderspn.queries.edges import Edges, EdgesLike
from orderspn.queries.effect_curves import CurveQuestion, curve_draws
from orderspn.queries.effect_draws import EffectDraws, PairDraws
from orderspn.queries.effect_report import Effect, all_pairs, effect_report
from orderspn.queries.effect_units import UNIT_NAMES, EffectUnits
from orderspn.queries.effects import expected_coefficients
from orderspn.queries.interventional import categories_behind, interventional_draws
from orderspn.queries.paths import PathSearch
from orderspn.scores.capabilities import TABLES, WEIGHTS, columns_behind

if TYPE_CHECKING:
    import pandas as pd

from orderspn.posterior.effects import EffectQueries

REPORT_COPIES = 8
"""Number of arrays of the size of all draws of effects that are in memory at once."""


class EffectReports(EffectQueries):
    """Questions about single effects."""

    def effect(
        self,
        cause: str,
        effect: str,
        given: EdgesLike = None,
        *,
        levels: Sequence[Any] | None = None,
        of: str | None = None,
        n_samples: int = 2000,
        level: float = 0.9,
        rng: RNGLike = 0,
        target: str | None = None,
        units: EffectUnits = "data",
        mean: str = "exact",
        progress: Progress = "auto",
    ) -> Effect:
        """Report on the effect of one variable on another: how large it is, how sure, and what the doubts come from.

        For numbers it is the total effect of `causal_effects`, the change of the effect per unit change of the cause
        under an intervention. For categories, and where numbers have curves or categories beside them, it is the change
        of a probability or mean when the cause is set from one value to another, `levels`.

        Parameters
        ----------
        cause, effect : str
        given : str or Edges, optional
            Evidence to condition on.
        levels : (start, end), optional
            Two values that the cause is set to, one after the other. Not needed for linear effects, and for a cause of
            two levels, which is set from the first to the second.
        of : str, optional
            The level of an effect that is a category, whose probability is asked for; for two levels the second is the
            default.
        n_samples : int, default 2000
            Number of graphs to draw, each with parameters.
        level : float, default 0.9
            Probability of the central credible interval.
        rng : int, SeedSequence, Generator or None, default 0
        target : {"dag"}, optional
            As for `sample`.
        units : {"data", "sd"}, default "data"
            As for `causal_effects`.
        mean : {"exact", "draws"}, default "exact"
            Whether the mean is that of `causal_effects`, where there is one, or that of the drawn graphs. Circuits of
            many variables take long for the first.
        progress : bool, "auto" or callable, default "auto"
            As for `learn`.

        Returns
        -------
        Effect
            With `.mean`, `.interval`, `.positive` and `.negative` (probabilities of either sign), `.no_path`,
            `.variance` (`.structural` between graphs and `.parametric` within), `.standard_errors`, and `.parent_sets`
            of the cause with the mean effect given each.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> effect = posterior.effect("Erk", "Akt")
        >>> bool(effect.mean == posterior.causal_effects().loc["Erk", "Akt"])
        True
        >>> round(effect.positive + effect.negative + effect.no_path, 9)
        1.0
        >>> clinic = osp.learn(osp.load_asia().data)
        >>> print(clinic.effect("bronc", "dysp", given="bronc -> dysp", n_samples=100).about)
        change of P(dysp = yes) when bronc is set from no to yes, given bronc -> dysp
        """
        check_fraction("level", level)
        drawn_mean = check_choice("mean", mean, ("exact", "draws")) == "draws"
        names = self.variables
        x, y = _two(cause, effect, names)
        under = self.given(given)
        with self._showing(progress):
            if levels is None and of is None and under._is_linear:
                count = self._checked_draws(n_samples, len(names))
                draws = under._effect_draws(count, rng, target, units).pair(x, y)
                known = None if drawn_mean else under._known_means(target, units)
                about = f"total effect of {cause} on {effect} ({UNIT_NAMES[units]}){_given(under.evidence)}"
                own = None if known is None else (float(known[0][x, y]), float(known[1][x, y]))
                return effect_report(draws, x, y, about, level, own)
            if units != "data":
                raise InvalidValue(f"units={units!r} is for linear effects; a contrast is in units of the data.")
            contrast = under._contrast(cause, effect, levels, of)
            count = self._checked_draws(n_samples, 1)
            pair = under._contrast_draws(cause, effect, contrast, count, rng, target)
            return effect_report(pair, x, y, contrast.about(cause, effect) + _given(under.evidence), level, None)

    def effects_frame(
        self,
        given: EdgesLike = None,
        *,
        n_samples: int = 2000,
        level: float = 0.9,
        rng: RNGLike = 0,
        target: str | None = None,
        units: EffectUnits = "data",
        progress: Progress = "auto",
    ) -> pd.DataFrame:
        """Return the numbers of `effect` for all ordered pairs of variables, from one set of drawn graphs.

        Categories need two levels each: effects are changes of the probability of the second level of one variable when
        another is set from its first level to its second.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.
        n_samples, level, rng, target, units, progress
            As for `effect`.

        Returns
        -------
        pandas.DataFrame
            A row for each pair, with columns `cause`, `effect`, `mean`, `low`, `high`, `positive`, `negative`,
            `no_path`, `structural`, `parametric`, `variance`, and the standard error of each number, `mean_error` to
            `variance_error`.

        Examples
        --------
        >>> import orderspn as osp
        >>> frame = osp.learn(osp.load_sachs(log=True).data).effects_frame(n_samples=500)
        >>> len(frame)
        110
        >>> sure = frame[frame["positive"] > 0.95]
        >>> list(zip(sure["cause"], sure["effect"]))
        []
        """
        check_fraction("level", level)
        names = self.variables
        under = self.given(given)
        with self._showing(progress):
            if under._is_linear:
                count = self._checked_draws(n_samples, len(names))
                draws = under._effect_draws(count, rng, target, units)
                return all_pairs(draws, level, under._known_means(target, units))
            return under._contrasts_frame(n_samples, level, rng, target, units)

    def paths(
        self,
        cause: str,
        effect: str,
        given: EdgesLike = None,
        *,
        top: int | None = 10,
        n_samples: int = 2000,
        rng: RNGLike = 0,
        target: str | None = None,
        units: EffectUnits = "data",
        progress: Progress = "auto",
    ) -> pd.DataFrame:
        """Return the causal paths from one variable to another, those that carry most of the effect first.

        The contribution of a path is the mean over graphs of the product of its weights, 0 in graphs without it. The
        contributions of all paths add up to the mean effect. Where effects are not linear there are only probabilities.

        Parameters
        ----------
        cause, effect : str
        given : str or Edges, optional
            Evidence to condition on.
        top : int or None, default 10
            Number of paths; None for all.
        n_samples : int, default 2000
            Number of graphs to draw.
        rng, target, units, progress
            As for `effect`.

        Returns
        -------
        pandas.DataFrame
            Columns `path` (tuple of names), `probability` that all edges of the path are present, and `contribution`,
            each with its Monte Carlo standard error, `probability_error` and `contribution_error`.

        Examples
        --------
        >>> import orderspn as osp
        >>> posterior = osp.learn(osp.load_sachs(log=True).data)
        >>> posterior.paths("PKA", "Akt", top=2)["path"].tolist()
        [('PKA', 'Akt'), ('PKA', 'Erk', 'Akt')]
        """
        limit = None if top is None else check_integer("top", top, 1)
        names = self.variables
        x, y = _two(cause, effect, names)
        under = self.given(given)
        count = self._checked_draws(n_samples, len(names))
        with self._showing(progress):
            if not under._is_linear:
                samples = under.sample(count, rng=seed_sequence(rng).spawn(2)[0], target=target)
                return PathSearch(samples, None, x, y).frame(limit)
            draws = under._effect_draws(count, rng, target, units)
            return PathSearch(draws.graphs, draws.coefficients, x, y).frame(limit)

    @property
    def _is_linear(self) -> bool:
        """Whether edges have weights, and total effects are their sums of products."""
        return WEIGHTS.of(self._model.score.likelihood)

    def _checked_draws(self, n_samples: object, d: int) -> int:
        count = check_integer("n_samples", n_samples, 2)
        check_answer(
            REPORT_COPIES * 8 * count * d**2, f"{count:,} draws of effects", "Draw fewer, n_samples=.", self._memory
        )
        return count

    def _known_means(self, target: str | None, units: EffectUnits) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the mean effects of `causal_effects` and their standard errors, each (d, d).

        None if there are none, or if they are those of another target.
        """
        if target is not None and target != self._model.target:
            return None
        try:
            means = self._exact_effects(units)
        except (Unavailable, InvalidValue):  # no averages over orders, or no memory for them
            return None
        return means, self._mean_errors(units)

    def _mean_errors(self, units: EffectUnits) -> np.ndarray:
        """Return the standard errors of `causal_effects` (d, d): 0, unless the posterior is a sample of graphs."""
        listed = GRAPH_LIST.optional(self._model)
        if listed is None:
            return np.zeros((len(self.variables), len(self.variables)))
        n_graphs = len(listed.weighted_graphs()[1])
        return self._estimated_effects(max(n_graphs, 2), 0, units)[1]

    def _effect_draws(self, count: int, rng: RNGLike, target: str | None, units: EffectUnits) -> EffectDraws:
        """Draw graphs and weights, and return expected weights and drawn effects; the draws of `effect_samples`."""
        drawn = self._drawn_effects(count, rng, target, units)
        expected = expected_coefficients(drawn.graphs.adjacency, self._model.score, self._model.workers)
        return EffectDraws(drawn.graphs, expected * self._effect_scale(units), drawn.values)

    def _contrast(self, cause: str, effect: str, levels: object, of: object) -> Contrast:
        """Return the values that the cause is set to, and the level of the effect that is asked for."""
        return Contrast.checked(cause, effect, levels, of, self.variables, self._levels())

    def _levels(self) -> Sequence[tuple[str, ...]]:
        """Return the levels of each variable; none for numbers."""
        likelihood = self._model.score.likelihood
        if TABLES.of(likelihood):
            return list(categories_behind(self._model.score).levels)
        return [tuple(levels or ()) for levels in columns_behind(likelihood, self._units).levels]

    def _contrast_draws(
        self, cause: str, effect: str, contrast: Contrast, count: int, rng: RNGLike, target: str | None
    ) -> PairDraws:
        """Draw graphs and parameters, and return the change of the effect for each of them."""
        names, score = self.variables, self._model.score
        x, y = variable_index(cause, names), variable_index(effect, names)
        seeds = seed_sequence(rng).spawn(2)
        if TABLES.of(score.likelihood):
            fitted = categories_behind(score)
            question = difference_question(contrast, cause, effect, names, fitted.levels[x], self.context)
            samples = self.sample(count, rng=seeds[0], target=target)
            found = interventional_draws(samples, question, fitted, seeds[1], self._model.workers)
            place = found.levels.index(str(contrast.of))
            return PairDraws.of(samples, x, y, found.means[:, place], found.draws[:, place])
        model = columns_behind(score.likelihood, self._units)
        curve = CurveQuestion.checked(model, cause, effect, [contrast.start, contrast.end], names)
        samples = self.sample(count, rng=seeds[0], target=target)
        drawn = curve_draws(samples, curve, model, seeds[1])
        place = 0 if contrast.of is None else drawn.levels.index(contrast.of)
        means, values = (ends[:, 1, place] - ends[:, 0, place] for ends in (drawn.means, drawn.draws))
        return PairDraws.of(samples, x, y, means, values)

    def _contrasts_frame(
        self, n_samples: int, level: float, rng: RNGLike, target: str | None, units: EffectUnits
    ) -> pd.DataFrame:
        """Return the numbers of all pairs of variables of two levels; the graphs are the same for all of them."""
        import pandas as pd

        names, known = self.variables, self._levels()
        for name, levels in zip(names, known, strict=True):
            if len(levels) != 2:
                which = f"has {len(levels)} levels" if levels else "is a number without a single slope"
                raise InvalidValue(
                    f"effects of all pairs need linear effects, or variables of two levels; {name!r} {which}. Ask for "
                    "one pair after the other: posterior.effect(cause, effect, levels=..., of=...)."
                )
        seed = seed_sequence(rng)
        explained = set(self.explained)
        pairs = [(cause, effect) for cause in names for effect in names if cause != effect and effect in explained]
        reports = [
            self.effect(c, e, n_samples=n_samples, level=level, rng=seed, target=target, units=units) for c, e in pairs
        ]
        numbers = ("mean", "low", "high", "positive", "negative", "no_path", "structural", "parametric", "variance")
        return pd.DataFrame(
            [
                {
                    "cause": report.cause,
                    "effect": report.effect,
                    **{name: getattr(report, name) for name in numbers},
                    **{f"{name}_error": report.standard_errors[name] for name in numbers},
                }
                for report in reports
            ]
        )


def _given(evidence: Edges) -> str:
    return f", given {evidence}" if evidence else ""


def _two(cause: object, effect: object, names: Sequence[str]) -> tuple[int, int]:
    """Return the indices of two different variables."""
    x, y = variable_index(cause, names), variable_index(effect, names)
    if x == y:
        raise InvalidValue(f"cause and effect must be two variables; got {cause!r} for both.")
    return x, y
