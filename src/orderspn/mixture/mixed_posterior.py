"""The class `Mixture`: a weighted mean of posteriors, which is a posterior again.

Its model (`models/mixture_graphs.py`) answers what is about graphs and orders. Effects and interventions are here,
because every component has its own scores and units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from orderspn.core.errors import InvalidValue, Unavailable
from orderspn.core.randomness import RNGLike
from orderspn.display.text import cut
from orderspn.models.component import Component
from orderspn.models.mixture_answers import weighted_sum
from orderspn.models.mixture_graphs import MixtureGraphs
from orderspn.models.pooling import Division, pooled
from orderspn.posterior import Posterior
from orderspn.queries.contrasts import Contrast
from orderspn.queries.edges import EdgesLike
from orderspn.queries.effect_curves import CurveDraws
from orderspn.queries.effect_draws import EffectDraws, PairDraws
from orderspn.queries.effect_units import EffectUnits
from orderspn.queries.effects import EffectSamples
from orderspn.queries.interventional import InterventionalDraws


class Mixture(Posterior):
    """A mixture of posteriors, made by `mix`: `p(G) = sum_m w_m p_m(G)`. It answers every query of a `Posterior`.

    Evidence multiplies the weight of each component by the probability of the evidence under it. Probabilities, parent
    sets, precedence and effects are weighted means of those of the components, and draws come from drawn components.
    Two answers have no closed form. The most probable graph is the best of the components' most probable graphs under
    the mixture, so a graph that is second in every component may be more probable; its log score is that of the
    component it comes from. Of the entropy there are bounds, `entropy_bounds`. Standard errors are for independent
    components and weights that are known; under evidence on the mixture they are NaN unless they are 0.

    With components of both targets, in which graphs count once and once for each of their orders, it answers questions
    about graphs; those about orders need components that all have orders.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
    >>> mixture = osp.mix([osp.learn(data), osp.learn(data, prior="uniform")], weights="equal")
    >>> mixture
    <Mixture: 2 components, 4 variables, 853 rows>
    >>> round(mixture.probability("Raf -- Mek"), 3)
    1.0
    """

    @property
    def components(self) -> tuple[Posterior, ...]:
        """The posteriors that are mixed, each under its own evidence and that of the mixture.

        One that the evidence of the mixture rules out keeps its place, with weight 0 and without that evidence.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
        >>> mixture = osp.mix([osp.learn(data), osp.learn(data, prior="uniform")], weights="equal")
        >>> [component.settings["prior"] for component in mixture.components]
        ['fair', 'uniform']
        """
        return tuple(_alone(component) for component in self._mixed.components)

    @property
    def weights(self) -> np.ndarray:
        """The weight of each component under the evidence, with sum 1; `settings["weights"]` has those before it.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
        >>> mixture = osp.mix([osp.learn(data), osp.learn(data, prior="uniform")], weights=[3, 1])
        >>> mixture.weights
        array([0.75, 0.25])
        """
        return self._mixed.weights

    @property
    def context(self) -> list[str]:
        """Names of the variables that are context in all components."""
        each = [set(component.context) for component in self.components]
        return [name for name in self.variables if all(name in context for context in each)]

    @property
    def log_evidence(self) -> float:
        """Log of the mean evidence of the components, if they were mixed with weights="evidence".

        With other weights a mixture has none, unless a single component has all the weight.
        """
        log_total = self._mixed.log_total
        if log_total is None:
            raise Unavailable(
                "the log evidence of a mixture needs weights by evidence; this one was mixed with other weights, or "
                "its components have none. Use mix(..., weights='evidence'), or ask posterior.components one by one."
            )
        return log_total

    def entropy(self, given: EdgesLike = None) -> float:
        """Raise an error with bounds of the entropy, which has no closed form unless one component has all the weight.

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
        >>> fair, uniform = osp.learn(data), osp.learn(data, prior="uniform")
        >>> osp.mix([fair, uniform], weights=[1, 0]).entropy() == fair.entropy()
        True
        """
        under = self.given(given)._mixed
        lower, upper = under.entropy_bounds()
        if len(under.shares()) > 1:
            raise Unavailable(
                f"the entropy of a mixture has no closed form; it is between {lower:.6g} and {upper:.6g} nats "
                "(entropy_bounds()). Ask posterior.components one by one for theirs."
            )
        return lower

    def entropy_bounds(self, given: EdgesLike = None) -> tuple[float, float]:
        """Return a lower and an upper bound of the entropy in nats.

        The lower bound is the weighted mean of the entropies of the components. The upper one adds the entropy of the
        choice of a component; it is reached if no two components share a graph.

        Parameters
        ----------
        given : str or Edges, optional
            Evidence to condition on.

        Returns
        -------
        tuple of float

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
        >>> fair, uniform = osp.learn(data), osp.learn(data, prior="uniform")
        >>> low, high = osp.mix([fair, uniform], weights="equal").entropy_bounds()
        >>> round(high - low, 3)  # log 2
        0.693
        """
        return self.given(given)._mixed.entropy_bounds()

    def __repr__(self) -> str:
        rows = f", {self.settings['rows']} rows" if "rows" in self.settings else ""
        given = f", given {cut(str(self.evidence))!r}" if self.evidence else ""
        return f"<Mixture: {len(self._mixed.components)} components, {len(self.variables)} variables{rows}{given}>"

    @property
    def _mixed(self) -> MixtureGraphs:
        return cast("MixtureGraphs", self.model)

    def _exact_effects(self, units: EffectUnits) -> np.ndarray:
        """Return the weighted mean of total effects (d, d), each in the units of its component."""
        return weighted_sum(
            (share, component.in_order(_alone(component)._exact_effects(units)))
            for share, component in self._mixed.shares()
        )

    def _estimated_effects(self, count: int, rng: RNGLike, units: EffectUnits) -> tuple[np.ndarray, np.ndarray]:
        """Return the weighted mean of estimates and its standard error, each (d, d)."""
        weights, components = self.weights.tolist(), self._mixed.components
        means, variances = [], []
        for m, own, seed in Division.proportional(count, self.weights, rng):
            mean, error = _alone(components[m])._estimated_effects(own, seed, units)
            means.append((weights[m], components[m].in_order(mean)))
            variances.append((weights[m] ** 2, components[m].in_order(error) ** 2))
        return weighted_sum(means), np.sqrt(weighted_sum(variances))

    def _drawn_effects(self, count: int, rng: RNGLike, target: str | None, units: EffectUnits) -> EffectSamples:
        """Draw components, then effects from each."""
        division, components = self._mixed.division(count, rng), self._mixed.components
        graphs, values = [], []
        for m, own, seed in division:
            drawn = _alone(components[m])._drawn_effects(own, seed, target, units)
            graphs.append(components[m].samples_in_order(drawn.graphs))
            values.append(components[m].in_order(drawn.values))
        return EffectSamples(self.variables, division.join(values), pooled(graphs, division))

    @property
    def _is_linear(self) -> bool:
        """Whether edges have weights in all components."""
        return all(_alone(component)._is_linear for _, component in self._mixed.shares())

    def _mean_errors(self, units: EffectUnits) -> np.ndarray:
        """Return the standard errors of the weighted means of components, which are independent."""
        variances = (
            (share**2, component.in_order(_alone(component)._mean_errors(units)) ** 2)
            for share, component in self._mixed.shares()
        )
        return np.sqrt(weighted_sum(variances))

    def _effect_draws(self, count: int, rng: RNGLike, target: str | None, units: EffectUnits) -> EffectDraws:
        """Draw components, then effects from each, with the weights expected by its own score."""
        division, components = self._mixed.division(count, rng), self._mixed.components
        graphs, coefficients, drawn = [], [], []
        for m, own, seed in division:
            part = _alone(components[m])._effect_draws(own, seed, target, units)
            graphs.append(components[m].samples_in_order(part.graphs))
            coefficients.append(components[m].in_order(part.coefficients))
            drawn.append(components[m].in_order(part.drawn))
        return EffectDraws(pooled(graphs, division), division.join(coefficients), division.join(drawn))

    def _levels(self) -> Sequence[tuple[str, ...]]:
        """Return the levels of each variable, in the order that they have in the first component."""
        first = self._mixed.shares()[0][1]
        own = _alone(first)._levels()
        return [own[place] for place in first.places]

    def _contrast_draws(
        self, cause: str, effect: str, contrast: Contrast, count: int, rng: RNGLike, target: str | None
    ) -> PairDraws:
        """Draw components, then graphs and parameters from each."""
        division, components = self._mixed.division(count, rng), self._mixed.components
        graphs, parts = [], []
        for m, own, seed in division:
            part = _alone(components[m])._contrast_draws(cause, effect, contrast, own, seed, target)
            graphs.append(components[m].samples_in_order(part.graphs))
            parts.append(part)
        means, values, connected = (
            division.join([getattr(part, name) for part in parts]) for name in ("means", "values", "connected")
        )
        return PairDraws(pooled(graphs, division), means, values, connected)

    def _curve_draws(
        self, cause: str, effect: str, at: Sequence[Any] | None, count: int, rng: RNGLike, target: str | None
    ) -> CurveDraws:
        """Draw components, then graphs and coefficients from each; the first one gives the values of the cause."""
        division, components = self._mixed.division(count, rng), self._mixed.components
        values = _alone(self._mixed.shares()[0][1])._curve_question(cause, effect, at)[1].values
        grid = list(values)
        parts = [
            _alone(components[m])._curve_draws(cause, effect, grid, own, seed, target) for m, own, seed in division
        ]
        first = parts[0]
        columns = [_places_of(first.levels, part.levels, effect) or [0] for part in parts]
        return replace(
            first,
            values=values,
            means=division.join([part.means[:, :, places] for part, places in zip(parts, columns, strict=True)]),
            draws=division.join([part.draws[:, :, places] for part, places in zip(parts, columns, strict=True)]),
            weights=division.join_weights([part.weights for part in parts]),
        )

    def _interventional_draws(
        self, variable: str, do: Mapping[str, object], count: int, rng: RNGLike, target: str | None
    ) -> InterventionalDraws:
        """Draw components, then graphs and tables from each."""
        division, components = self._mixed.division(count, rng), self._mixed.components
        parts = [
            _alone(components[m])._interventional_draws(variable, do, own, seed, target) for m, own, seed in division
        ]
        first = parts[0]
        columns = [_places_of(first.levels, part.levels, first.name) for part in parts]
        return InterventionalDraws(
            first.name,
            first.levels,
            division.join([part.means[:, places] for part, places in zip(parts, columns, strict=True)]),
            division.join([part.draws[:, places] for part, places in zip(parts, columns, strict=True)]),
            division.join_weights([part.weights for part in parts]),
        )


def _alone(component: Component) -> Posterior:
    """Return a component as a posterior of its own."""
    return Posterior(component.model, component.settings, component.evidence, component.units)


def _places_of(levels: tuple[str, ...], own: tuple[str, ...], name: str) -> list[int]:
    """Return the places of levels among those of a component, which may have them in another order."""
    if set(levels) != set(own):
        raise InvalidValue(
            f"the components of a mixture must have the same levels of {name!r}, to be averaged; got "
            f"{', '.join(levels)} and {', '.join(own)}. Learn all of them with the same levels."
        )
    return [own.index(level) for level in levels]
