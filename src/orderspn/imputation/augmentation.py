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
from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.checkpoints.part import Part, apart, in_a_row
from orderspn.core.randomness import generator_of
from orderspn.core.tasks import chosen_backend
from orderspn.core.workers import Steps, Workers
from orderspn.data.mixed import Table
from orderspn.imputation.starting import dense_graph
from orderspn.methods.problem import SearchState
from orderspn.missing.tables import cells_in, with_cells
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

Learn = Callable[[Table, np.random.SeedSequence, SearchState | None, Checkpoint], Solved]
"""Learns from a completed table with a seed, the end of the search in the last table of the chain, and a checkpoint."""


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
    checkpoint: Checkpoint = NOT_KEPT,
) -> Augmented:
    """Run a chain from each of the filled tables, all at once, and keep `n_imputations` posteriors in all.

    `score` is the one that `learn` fits, `context` the indices of context variables. Chains are in threads of this
    process; on a backend that the user has chosen, their searches are tasks.
    """
    shares = [len(part) for part in np.array_split(np.arange(n_imputations), len(starts))]
    steps = workers.steps("imputations", n_sweeps(n_imputations))
    seeds = seed.spawn(len(starts))
    chains = [
        _Chain(start, missing, learn, score, own, checkpoint.within(f"chain {number}"))
        for number, (start, own) in enumerate(zip(starts, seeds, strict=True), start=1)
    ]
    backend = chosen_backend()

    def run(tasks: Sequence[Callable[[], object]], steps: Steps | None = None) -> None:
        workers.run(tasks if backend is None else [backend.within(task) for task in tasks], steps)

    run([partial(chain.begin, context) for chain in chains])
    for _ in range(BURN_IN):
        run([chain.burn for chain in chains], steps)
    for number in range(max(shares)):
        run([chain.sweep for chain, share in zip(chains, shares, strict=True) if number < share], steps)
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
        checkpoint: Checkpoint,
    ) -> None:
        self.posteriors: list[Posterior] = []
        self.tables: list[Table] = []
        self.edges: list[np.ndarray] = []
        self._table, self._missing, self._learn, self._score = table, missing, learn, score
        self._seed, drawing = seed.spawn(2)
        self._rng = generator_of(drawing)
        self._state: SearchState | None = None
        self._checkpoint, self._n_steps = checkpoint, 0

    def begin(self, context: np.ndarray) -> None:
        """Draw cells several times, each time with another dense graph."""
        if self._resumed() is not None:
            return
        for _ in range(STARTING_DRAWS):
            fitted = self._score.fit(self._table)
            graph = dense_graph(fitted, context, self._table.n_variables, self._rng)
            self._table = completing(fitted).completed(self._table, self._missing, graph, self._rng)
        self._keep()

    def burn(self) -> None:
        """Draw cells several times, each time with another graph of one posterior."""
        if self._resumed() is not None:
            self._seed.spawn(1)
            self._rng.spawn(1)
            return
        for graph in self._graphs(self._learned(), EARLY_DRAWS):
            self._draw(graph, 1)
        self._keep()

    def sweep(self) -> None:
        """Keep the completed table with its posterior, and draw the next one."""
        self.tables.append(self._table)
        posterior = self._learned()  # from the parts of its search, if they are kept
        self.posteriors.append(posterior)
        kept = self._resumed()
        if kept is not None:
            self.edges.append(kept.arrays["edges"])
            self._rng.spawn(1)
            return
        graphs = self._graphs(posterior, COMPARED_DRAWS)
        self.edges.append(graphs.mean(axis=0))
        self._draw(graphs[0], INNER_DRAWS)
        self._keep(edges=self.edges[-1])

    def _learned(self) -> Posterior:
        own = self._checkpoint.within(self._step)
        posterior, self._state = self._learn(self._table, self._seed.spawn(1)[0], self._state, own)
        return posterior

    @property
    def _step(self) -> str:
        return f"step {self._n_steps}"

    def _keep(self, **found: np.ndarray) -> None:
        """Keep the state at the end of a step, with what it has found."""
        if self._checkpoint.is_on:
            arrays = {"cells": cells_in(self._table)[self._missing], **found}
            if self._state is not None:
                candidates, sizes = in_a_row(self._state.candidates)
                arrays |= {"candidates": candidates, "sizes": sizes, "orders": self._state.orders}
            self._checkpoint.keep(self._step, Part(arrays, {"rng": self._rng.bit_generator.state}))
        self._n_steps += 1

    def _resumed(self) -> Part | None:
        """Go to the end of this step if it is kept, and return what it has found; what it spawned is not repeated."""
        kept = self._checkpoint.found(self._step)
        if kept is None:
            return None
        arrays = kept.arrays
        cells = cells_in(self._table).copy()
        cells[self._missing] = arrays["cells"]
        self._table = with_cells(self._table, cells)
        if "orders" in arrays:
            self._state = SearchState(apart(arrays["candidates"], arrays["sizes"]), arrays["orders"])
        self._rng.bit_generator.state = kept.values["rng"]
        self._n_steps += 1
        return kept

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
