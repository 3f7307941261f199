"""Graphs of a posterior to compare a graph with: drawn ones, or all those that a sample is made of."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.models.capabilities import CHAINS, GRAPH_LIST
from orderspn.models.protocol import GraphModel
from orderspn.queries.precision import standard_errors

COPIES = 8
"""Times that drawn graphs are in memory while a graph is compared with them."""


class PosteriorDraws(NamedTuple):
    """Graphs with weights; `n_runs` Markov chains, None for independent draws, 0 if the error is not known."""

    graphs: np.ndarray  # (n, d, d)
    weights: np.ndarray  # (n,), sum 1
    n_runs: int | None

    @property
    def worth(self) -> float:
        """Number of equally weighted draws that are worth as much."""
        return float(1.0 / np.sum(self.weights**2))

    def share(self, holds: np.ndarray) -> tuple[float, float]:
        """Return the share of draws for which something holds (n,), bool, and its standard error, never 0."""
        share = float(min(1.0, self.weights @ holds))
        return share, self._error(share, holds)

    def _error(self, share: float, holds: np.ndarray) -> float:
        if self.n_runs == 0:
            return math.nan
        smoothed = (share * self.worth + 1.0) / (self.worth + 2.0)  # none of a few draws is not yet never
        independent = math.sqrt(smoothed * (1.0 - smoothed) / self.worth)
        if self.n_runs is None or not 0.0 < share < 1.0:
            return independent
        return max(independent, float(standard_errors(holds.reshape(self.n_runs, -1))))


def draws_of(model: GraphModel, n: int, rng: RNGLike) -> PosteriorDraws:
    """Draw graphs from a model; of a list take all graphs, of chains those at equal distances that fit the memory."""
    chains = CHAINS.optional(model)
    if chains is not None:
        drawn = chains.draws()
        graphs = _thinned(drawn.adjacency, drawn.n_runs, model.workers.memory)
        return PosteriorDraws(graphs, _equal(len(graphs)), drawn.n_runs)
    listed = GRAPH_LIST.optional(model)
    if listed is not None:
        graphs, weights = listed.weighted_graphs()
        return PosteriorDraws(graphs, weights, 0)
    adjacency = model.sample(n, rng).adjacency
    return PosteriorDraws(adjacency, _equal(n), None)


def _thinned(graphs: np.ndarray, n_runs: int, memory: int) -> np.ndarray:
    """Keep every k-th of the graphs (n, d, d) of each run, so that a comparison takes a quarter of the memory."""
    n, d, _ = graphs.shape
    apart = -(-4 * COPIES * n * d * d // memory)
    if apart <= 1:
        return graphs
    return graphs.reshape(n_runs, -1, d, d)[:, ::apart].reshape(-1, d, d)


def _equal(n: int) -> np.ndarray:
    return np.full(n, 1.0 / n)
