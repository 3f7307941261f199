"""Data augmentation: a Markov chain over completed tables, each with its whole posterior over graphs.

One sweep learns the posterior of the completed table, draws a graph from it, then the parameters of this graph, then
the missing cells given both. The stationary distribution is that of graphs, parameters and missing cells given the
observed ones, if values are missing at random. The posterior of every kept sweep is kept as a whole, so that the mean
over sweeps, `p(G | observed) = E[p(G | completed)]`, is smooth with few of them.

In the sweeps before, cells are drawn several times for each posterior, because it takes most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from orderspn.chains.diagnostics import largest_rhat
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.posterior import Posterior
from orderspn.scores.capabilities import completing

CHAINS = 2
"""Chains that start from different fillings."""

BURN_IN = 2
"""Sweeps of each chain before the first that is kept."""

EARLY_DRAWS = 5
"""Draws of graph, parameters and cells for each posterior in the sweeps before."""

INNER_DRAWS = 2
"""Draws of parameters and cells given the graph of a kept sweep."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Augmented(Generic[T]):
    """Completed tables with their posteriors, in the order of chains, and how well the chains agree."""

    posteriors: Sequence[Posterior]
    tables: Sequence[T]
    chains: int
    rhat_edges: float | None


def augment(
    starts: Sequence[T],
    missing: np.ndarray,
    learn: Callable[[T], Posterior],
    n_imputations: int,
    seed: np.random.SeedSequence,
    workers: Workers,
) -> Augmented[T]:
    """Run a chain from each of the filled tables, and keep `n_imputations` posteriors in all."""
    shares = [len(part) for part in np.array_split(np.arange(n_imputations), len(starts))]
    steps = workers.steps("imputations", n_imputations + BURN_IN * len(starts))
    posteriors: list[Posterior] = []
    tables: list[T] = []
    for start, share, own in zip(starts, shares, seed.spawn(len(starts)), strict=True):
        chain = _Chain(start, missing, learn, generator_of(own))
        for _ in range(BURN_IN):
            chain.burn()
            steps.advance()
        for _ in range(share):
            posterior, table = chain.sweep()
            posteriors.append(posterior)
            tables.append(table)
            steps.advance()
    return Augmented(posteriors, tables, len(starts), _agreement(posteriors, shares))


class _Chain(Generic[T]):
    """One Markov chain; its state is the completed table."""

    def __init__(
        self, table: T, missing: np.ndarray, learn: Callable[[T], Posterior], rng: np.random.Generator
    ) -> None:
        self._table, self._missing, self._learn, self._rng = table, missing, learn, rng

    def burn(self) -> None:
        """Draw cells several times, each time with another graph of one posterior."""
        posterior = self._learn(self._table)
        for graph in posterior.sample(EARLY_DRAWS, rng=self._rng.spawn(1)[0]).adjacency:
            self._draw(posterior, graph, 1)

    def sweep(self) -> tuple[Posterior, T]:
        """Return the completed table with its posterior, and draw the next one."""
        table, posterior = self._table, self._learn(self._table)
        self._draw(posterior, posterior.sample(1, rng=self._rng.spawn(1)[0]).adjacency[0], INNER_DRAWS)
        return posterior, table

    def _draw(self, posterior: Posterior, graph: np.ndarray, times: int) -> None:
        """Draw parameters and cells given a graph, several times; parameters depend on the cells drawn before."""
        score = completing(posterior.model.score.likelihood).unfitted
        for _ in range(times):
            fitted = completing(score.fit(self._table))
            self._table = fitted.completed(self._table, self._missing, graph, self._rng)


def _agreement(posteriors: Sequence[Posterior], shares: Sequence[int]) -> float | None:
    """Return the largest R-hat of edge probabilities over chains of equal length; None if they are too few."""
    length = min(shares)
    if len(shares) < 2 or length < 2:
        return None
    edges = np.array([posterior.edge_probabilities().to_numpy().ravel() for posterior in posteriors])
    ends = np.cumsum([0, *shares])
    return largest_rhat(np.array([edges[end : end + length] for end in ends[:-1]]))
