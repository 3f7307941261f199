"""Total effects drawn from their posterior: graphs, and given each graph weights from their t distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.arguments import check_fraction
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.queries.frames import square_frame
from orderspn.queries.graph_effects import drawn_coefficients, effects_of
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.family_scores import variable_index
from orderspn.scores.local import LocalScore

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class EffectSamples:
    """Draws of all total effects.

    Attributes
    ----------
    variables : list of str
    values : numpy.ndarray
        Shape (n, d, d): `values[s, i, j]` is the effect of i on j in draw s; 1 on the diagonal.
    graphs : GraphSamples
        The graph of each draw, and its weight where they do not count alike.
    """

    variables: list[str]
    values: np.ndarray
    graphs: GraphSamples

    @property
    def mean(self) -> pd.DataFrame:
        """Mean effects, row = cause, column = effect."""
        return square_frame(np.average(self.values, axis=0, weights=self.graphs.weights), self.variables)

    def interval(self, level: float = 0.9) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Lower and upper ends of central credible intervals, each as `mean`.

        Examples
        --------
        >>> import orderspn as osp
        >>> effects = osp.learn(osp.load_sachs().data, standardize=True).effect_samples(100, rng=0)
        >>> low, high = effects.interval(0.5)
        >>> bool((low <= high).to_numpy().all())
        True
        """
        share = check_fraction("level", level)
        tail = (1.0 - share) / 2.0
        low, high = self._quantile(tail), self._quantile(1.0 - tail)
        return square_frame(low, self.variables), square_frame(high, self.variables)

    def of(self, cause: str, effect: str) -> np.ndarray:
        """The draws of one effect, shape (n,).

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.learn(osp.load_sachs().data, standardize=True).effect_samples(100, rng=0).of("Erk", "Akt").shape
        (100,)
        """
        i, j = variable_index(cause, self.variables), variable_index(effect, self.variables)
        draws: np.ndarray = self.values[:, i, j]
        return draws

    def _quantile(self, share: float) -> np.ndarray:
        if self.graphs.weights is None:
            return np.quantile(self.values, share, axis=0)
        return np.quantile(self.values, share, axis=0, weights=self.graphs.weights, method="inverted_cdf")


def draw_effects(
    samples: GraphSamples, score: LocalScore, seed: np.random.SeedSequence, workers: Workers
) -> EffectSamples:
    """Draw weights for every graph, and their effects."""
    d = len(samples.variables)
    generators = [generator_of(child) for child in seed.spawn(d)]
    values = effects_of(drawn_coefficients(samples.adjacency, score, generators, workers))
    return EffectSamples(samples.variables, values, samples)
