"""Data augmentation: a Markov chain over completed tables, each with its whole posterior over graphs.

One sweep learns the posterior of the completed table, draws a graph from it, then the parameters of this graph, then
the missing cells given both. The stationary distribution is that of graphs, parameters and missing cells given the
observed ones, if values are missing at random. The posterior of every kept sweep is kept as a whole, so that the mean
over sweeps, `p(G | observed) = E[p(G | completed)]`, is smooth with few of them.

Before the first sweep, cells are drawn with graphs that have too many edges (`starting.py`). In the sweeps of the
burn-in they are drawn several times for each posterior, because it takes most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.chains.diagnostics import largest_rhat
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.data.mixed import Table
from orderspn.imputation.starting import dense_graph
from orderspn.methods.problem import SearchState
from orderspn.posterior import Posterior
from orderspn.scores.capabilities import completing
from orderspn.scores.protocol import Score
from orderspn.solving import Solved

CHAINS = 2
"""Chains that start from different fillings."""

STARTING_DRAWS = 10
"""Draws of parameters and cells given a dense graph, before anything is learned."""

BURN_IN = 1
"""Sweeps of each chain before the first that is kept."""

EARLY_DRAWS = 5
"""Draws of graph, parameters and cells for each posterior in the sweeps before."""

INNER_DRAWS = 2
"""Draws of parameters and cells given the graph of a kept sweep."""

COMPARED_DRAWS = 16
"""Graphs drawn from each posterior to compare the chains: their edges are counted, which takes less time than exact
probabilities and is precise enough beside the differences between completed tables."""

Learn = Callable[[Table, np.random.SeedSequence, SearchState | None], Solved]
"""Learns from a completed table with a seed, and with the end of the search in the last table of the chain."""


@dataclass(frozen=True, eq=False)
class Augmented:
    """Completed tables with their posteriors, in the order of chains, and how well the chains agree."""

    posteriors: Sequence[Posterior]
    tables: Sequence[Table]
    chains: int
    rhat_edges: float | None


def n_sweeps(n_imputations: int) -> int:
    """Return the number of posteriors that are learned in all, those of the burn-in included."""
    return n_imputations + BURN_IN * min(CHAINS, n_imputations)


def augment(
    starts: Sequence[Table],
    missing: np.ndarray,
    learn: Learn,
    score: Score,
    context: np.ndarray,
    n_imputations: int,
    seed: np.random.SeedSequence,
    workers: Workers,
) -> Augmented:
    """Run a chain from each of the filled tables, all at once, and keep `n_imputations` posteriors in all.

    `score` is the one that `learn` fits, `context` the indices of context variables.
    """
    shares = [len(part) for part in np.array_split(np.arange(n_imputations), len(starts))]
    steps = workers.steps("imputations", n_sweeps(n_imputations))
    seeds = seed.spawn(len(starts))
    chains = [_Chain(start, missing, learn, score, own) for start, own in zip(starts, seeds, strict=True)]
    workers.run([partial(chain.begin, context) for chain in chains])
    for _ in range(BURN_IN):
        workers.run([chain.burn for chain in chains], steps)
    for number in range(max(shares)):
        unfinished = [chain for chain, share in zip(chains, shares, strict=True) if number < share]
        workers.run([chain.sweep for chain in unfinished], steps)
    return Augmented(
        [posterior for chain in chains for posterior in chain.posteriors],
        [table for chain in chains for table in chain.tables],
        len(chains),
        _agreement(chains),
    )


class _Chain:
    """One Markov chain; its state is the completed table. It owns its random numbers, so that threads change nothing.

    Attributes
    ----------
    posteriors : list of Posterior
        Those of the sweeps that are kept.
    tables : list of table
        The completed tables that they were learned from.
    edges : list of numpy.ndarray
        Shares of graphs with each edge, (d, d), in a sample of each posterior.
    """

    def __init__(
        self,
        table: Table,
        missing: np.ndarray,
        learn: Learn,
        score: Score,
        seed: np.random.SeedSequence,
    ) -> None:
        self.posteriors: list[Posterior] = []
        self.tables: list[Table] = []
        self.edges: list[np.ndarray] = []
        self._table, self._missing, self._learn, self._score = table, missing, learn, score
        self._seed, drawing = seed.spawn(2)
        self._rng = generator_of(drawing)
        self._state: SearchState | None = None

    def begin(self, context: np.ndarray) -> None:
        """Draw cells several times, each time with another dense graph."""
        for _ in range(STARTING_DRAWS):
            fitted = self._score.fit(self._table)
            graph = dense_graph(fitted, context, self._table.n_variables, self._rng)
            self._table = completing(fitted).completed(self._table, self._missing, graph, self._rng)

    def burn(self) -> None:
        """Draw cells several times, each time with another graph of one posterior."""
        for graph in self._graphs(self._learned(), EARLY_DRAWS):
            self._draw(graph, 1)

    def sweep(self) -> None:
        """Keep the completed table with its posterior, and draw the next one."""
        posterior = self._learned()
        graphs = self._graphs(posterior, COMPARED_DRAWS)
        self.posteriors.append(posterior)
        self.tables.append(self._table)
        self.edges.append(graphs.mean(axis=0))
        self._draw(graphs[0], INNER_DRAWS)

    def _learned(self) -> Posterior:
        posterior, self._state = self._learn(self._table, self._seed.spawn(1)[0], self._state)
        return posterior

    def _graphs(self, posterior: Posterior, count: int) -> np.ndarray:
        return posterior.sample(count, rng=self._rng.spawn(1)[0]).adjacency

    def _draw(self, graph: np.ndarray, times: int) -> None:
        """Draw parameters and cells given a graph, several times; parameters depend on the cells drawn before."""
        for _ in range(times):
            fitted = completing(self._score.fit(self._table))
            self._table = fitted.completed(self._table, self._missing, graph, self._rng)


def _agreement(chains: Sequence[_Chain]) -> float | None:
    """Return the largest R-hat of the edges over chains of equal length; None if they are too few."""
    length = min(len(chain.edges) for chain in chains)
    if len(chains) < 2 or length < 2:
        return None
    edges = np.array([chain.edges[:length] for chain in chains])
    return largest_rhat(edges.reshape(len(chains), length, -1), COMPARED_DRAWS)
