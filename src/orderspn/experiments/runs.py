"""Runs: a seed each, from which come a network, its data, and everything else that is random.

All methods see the same data of a run and are asked the same questions about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orderspn.simulate.simulation import Simulation, linear_gaussian

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.queries.edges import Edge

N_ROWS, N_TEST_ROWS = 100, 1000
"""Rows to learn from, and further ones to be predicted: the paper's."""

MOST_SEED = 2**31 - 1
"""Seeds are one word, so that those of different purposes never meet."""

TEST_ROWS, SELECTIONS, LEARNING, METRICS = 1, 2, 3, 4
"""What a run needs randomness for, besides its network and its data."""


@dataclass(frozen=True, eq=False)
class Run:
    """One network with data to learn from.

    Attributes
    ----------
    seed : int
        `simulate.linear_gaussian(d, 100, rng=seed)` gives the same network and data again.
    simulation : Simulation
    """

    seed: int
    simulation: Simulation

    @property
    def test_rows(self) -> pd.DataFrame:
        """Rows that no method has seen."""
        return self.simulation.network.sample(N_TEST_ROWS, self.stream(TEST_ROWS))

    @property
    def true_edges(self) -> list[Edge]:
        """The edges of the true graph, by cause, then by effect."""
        names = self.simulation.variables
        return [(names[i], names[j]) for i, j in zip(*np.nonzero(self.simulation.adjacency), strict=True)]

    def stream(self, purpose: int, *parts: int) -> np.random.SeedSequence:
        """Randomness for one purpose.

        Learning must not share a seed with the simulation: its first random order would be the one of the true graph.
        """
        return np.random.SeedSequence([self.seed, purpose, *parts])


def make_run(d: int, seed: int) -> Run:
    """Simulate a run: an Erdos-Renyi graph with 2d expected edges, weights N(0, 1), noise variance 0.1.

    Examples
    --------
    >>> run = make_run(6, 0)
    >>> run.simulation.data.shape, run.test_rows.shape
    ((100, 6), (1000, 6))
    """
    return Run(seed, linear_gaussian(d, N_ROWS, rng=seed))
