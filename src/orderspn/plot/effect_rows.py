"""The rows of a figure of effects: means, intervals, and how often there is no path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.core.names import variable_index
from orderspn.queries.closure import reachability
from orderspn.queries.effects import EffectSamples
from orderspn.queries.sampling import GraphSamples

TOP_OF_ALL = 20
"""Number of effects that are shown by default, of all pairs."""


class EffectRow(NamedTuple):
    """One row of the figure; `intervals` holds the ends for each level, `no_path` the probability of no effect."""

    cause: str
    effect: str
    mean: float
    intervals: tuple[tuple[float, float], ...]
    no_path: float


def effect_rows(
    draws: EffectSamples, of: str | None, on: str | None, top: int | None, levels: tuple[float, ...]
) -> tuple[list[EffectRow], int]:
    """Rows for the chosen pairs, the largest absolute mean effects first.

    Pairs without a path in any graph are left out, because their effects are exactly 0; their number is returned, too.
    """
    names, mean = draws.variables, draws.mean.to_numpy()
    causes = range(len(names)) if of is None else [variable_index(of, names)]
    effects = range(len(names)) if on is None else [variable_index(on, names)]
    missing = share_without_path(draws.graphs)
    pairs = [(i, j) for i in causes for j in effects if i != j]
    connected = sorted((pair for pair in pairs if missing[pair] < 1.0), key=lambda pair: -abs(mean[pair]))
    if top is None and of is None and on is None:
        top = TOP_OF_ALL
    ends = [[frame.to_numpy() for frame in draws.interval(level)] for level in levels]
    rows = [
        EffectRow(
            names[i],
            names[j],
            float(mean[i, j]),
            tuple((float(low[i, j]), float(high[i, j])) for low, high in ends),
            float(missing[i, j]),
        )
        for i, j in connected[:top]
    ]
    return rows, len(pairs) - len(connected)


def share_without_path(graphs: GraphSamples) -> np.ndarray:
    """Weighted share of graphs without a path from one variable to another, shape (d, d).

    Computed from graphs, because rounding may hide effects that are exactly 0.
    """
    reached = reachability(graphs.adjacency) | np.eye(graphs.adjacency.shape[1], dtype=bool)
    connected, apart = (np.average(where, axis=0, weights=graphs.weights) for where in (reached, ~reached))
    return np.where(connected == 0.0, 1.0, apart)  # exact at both ends: rounding does not change sums of zeros
