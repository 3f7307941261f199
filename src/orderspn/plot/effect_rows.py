"""Which effects are shown, and what is told about each: mean, intervals, and how probably there is none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.queries.effect_samples import EffectSamples
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.family_scores import variable_index

TOP_OF_ALL = 20
"""Effects that are shown of all pairs, if nothing else is asked for."""


class EffectRow(NamedTuple):
    """What is told about one effect; `intervals` holds the ends for each level."""

    cause: str
    effect: str
    mean: float
    intervals: tuple[tuple[float, float], ...]
    no_path: float


def effect_rows(
    draws: EffectSamples, of: str | None, on: str | None, top: int | None, levels: tuple[float, ...]
) -> list[EffectRow]:
    """Rows for the chosen pairs, those with the largest mean effects first."""
    names, mean = draws.variables, draws.mean.to_numpy()
    causes = range(len(names)) if of is None else [variable_index(of, names)]
    effects = range(len(names)) if on is None else [variable_index(on, names)]
    pairs = [(i, j) for i in causes for j in effects if i != j]
    pairs.sort(key=lambda pair: -abs(mean[pair]))
    if top is None and of is None and on is None:
        top = TOP_OF_ALL
    ends = [[frame.to_numpy() for frame in draws.interval(level)] for level in levels]
    missing = share_without_path(draws.graphs)
    return [
        EffectRow(
            names[i],
            names[j],
            float(mean[i, j]),
            tuple((float(low[i, j]), float(high[i, j])) for low, high in ends),
            float(missing[i, j]),
        )
        for i, j in pairs[:top]
    ]


def share_without_path(graphs: GraphSamples) -> np.ndarray:
    """Share of graphs, by their weights, in which no path leads from one variable to another, shape (d, d).

    Read from graphs rather than from effects that are 0, which rounding may miss.
    """
    d = graphs.adjacency.shape[1]
    reached = graphs.adjacency | np.eye(d, dtype=bool)
    longest = 1  # of the paths that are known to `reached`
    while longest < d - 1:
        reached = reached.astype(np.float32) @ reached.astype(np.float32) > 0.0
        longest *= 2
    return np.average(~reached, axis=0, weights=graphs.weights)
