"""Draws of effects for reports: the expected effect given each graph, a drawn one, and whether there is a path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orderspn.display.text import counted
from orderspn.queries.closure import reachability
from orderspn.queries.path_sums import effects_of
from orderspn.queries.sampling import GraphSamples


@dataclass(frozen=True, eq=False)
class PairDraws:
    """Draws of the effect of one variable on another.

    Attributes
    ----------
    graphs : GraphSamples
    means : numpy.ndarray
        Shape (n,): the expected effect given each graph, which is exact.
    values : numpy.ndarray
        Shape (n,): the effect with parameters drawn given each graph.
    connected : numpy.ndarray
        Shape (n,), bool: whether the graph has a directed path from cause to effect.
    """

    graphs: GraphSamples
    means: np.ndarray
    values: np.ndarray
    connected: np.ndarray

    def __repr__(self) -> str:
        n_connected = int(self.connected.sum())
        return f"<PairDraws: {counted(len(self.values), 'draw')} of an effect, {n_connected:,} with a path>"

    @classmethod
    def of(cls, graphs: GraphSamples, cause: int, effect: int, means: np.ndarray, values: np.ndarray) -> PairDraws:
        """Make one in which effects without a path are 0, not what rounding makes of it."""
        connected = connected_pairs(graphs.adjacency)[:, cause, effect]
        return cls(graphs, np.where(connected, means, 0.0), np.where(connected, values, 0.0), connected)


@dataclass(frozen=True, eq=False)
class EffectDraws:
    """Draws of the total effects of a linear model, of all variables on all others.

    Attributes
    ----------
    graphs : GraphSamples
    coefficients : numpy.ndarray
        Shape (n, d, d): the expected weights of edges given each graph.
    drawn : numpy.ndarray
        Shape (n, d, d): the total effects of weights drawn given each graph.
    """

    graphs: GraphSamples
    coefficients: np.ndarray
    drawn: np.ndarray

    @cached_property
    def connected(self) -> np.ndarray:
        """Whether each graph has a directed path from one variable to another (n, d, d)."""
        return connected_pairs(self.graphs.adjacency)

    @cached_property
    def means(self) -> np.ndarray:
        """The expected effects given each graph (n, d, d): `(I - E[B])^-1`."""
        return np.where(self.connected, effects_of(self.coefficients), 0.0)

    @cached_property
    def values(self) -> np.ndarray:
        """The drawn effects (n, d, d), exactly 0 where there is no path."""
        return np.where(self.connected, self.drawn, 0.0)

    def pair(self, cause: int, effect: int) -> PairDraws:
        """Return the draws of one effect."""
        of_pair = (slice(None), cause, effect)
        return PairDraws(self.graphs, self.means[of_pair], self.values[of_pair], self.connected[of_pair])


def connected_pairs(graphs: np.ndarray) -> np.ndarray:
    """Return whether each graph (n, d, d) has a directed path from one variable to another, the diagonal included.

    Examples
    --------
    >>> import numpy as np
    >>> connected_pairs(np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]], dtype=bool))[0].astype(int)
    array([[1, 1, 1],
           [0, 1, 1],
           [0, 0, 1]])
    """
    connected: np.ndarray = reachability(graphs) | np.eye(graphs.shape[1], dtype=bool)
    return connected
