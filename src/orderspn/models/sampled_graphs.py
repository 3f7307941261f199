"""Graphs sampled by Markov chains: answers are shares of them, with Monte Carlo standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from orderspn.chains.sample import LEAST_DRAWS
from orderspn.core.randomness import RNGLike
from orderspn.core.stored_arrays import INTEGER, StoredArray, StoredArrays
from orderspn.models.graph_arrays import STORED_GRAPHS, graph_arrays, restore_graphs
from orderspn.models.listed_graphs import ListedGraphs
from orderspn.models.parts import Parts
from orderspn.models.protocol import Draws
from orderspn.queries.closure import reachability
from orderspn.queries.edges import Edges
from orderspn.queries.effects import expected_coefficients
from orderspn.queries.path_sums import effects_of
from orderspn.queries.precision import conditional_standard_errors, standard_errors


@dataclass(frozen=True, eq=False, repr=False)
class SampledGraphs(ListedGraphs):
    """Graphs drawn by Markov chains, run by run, with equal weights.

    Attributes
    ----------
    n_runs : int
        Independent chains, all of the same length.
    """

    kind: ClassVar[str] = "sampled graphs"
    nature: ClassVar[str] = "is a sample of graphs"
    stored: ClassVar[StoredArrays] = {**STORED_GRAPHS, "graph_runs": StoredArray((INTEGER,), (1,))}

    n_runs: int

    def standard_error(self, event: Edges) -> float:
        """Return the Monte Carlo standard error of the share of graphs that satisfy an event."""
        return float(self._standard_errors(self._satisfying(event)[:, None])[0])

    def edge_standard_errors(self) -> np.ndarray:
        """Return Monte Carlo standard errors of edge frequencies [cause, effect]; NaN where all graphs agree."""
        d = len(self.variables)
        return self._standard_errors(self.adjacency.reshape(-1, d * d)).reshape(d, d)

    def ancestor_standard_errors(self) -> np.ndarray:
        """Return the same of the shares of graphs in which one variable is an ancestor of another (d, d)."""
        d = len(self.variables)
        errors = self._standard_errors(reachability(self.adjacency).reshape(-1, d * d)).reshape(d, d)
        np.fill_diagonal(errors, 0.0)
        return errors

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002
        """Return mean total effects over at most `n` graphs, evenly spaced, and their Monte Carlo standard errors."""
        graphs, n_runs = self._evenly(n)
        effects = effects_of(expected_coefficients(graphs, self.score, self.workers))
        by_run = effects.reshape(n_runs, -1, *effects.shape[1:])
        unknown = np.full(effects.shape[1:], np.nan)
        return effects.mean(axis=0), standard_errors(by_run) if by_run.shape[1] >= LEAST_DRAWS else unknown

    def draws(self, *, all_of_them: bool = False) -> Draws:
        """Return the draws that satisfy the evidence, as one run if there is evidence; or all draws."""
        if all_of_them or self.chosen.all():
            return Draws(self.n_runs, self.adjacency, self.log_scores)
        return Draws(1, self.adjacency[self.chosen], self.log_scores[self.chosen])

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all graphs, also those that do not satisfy the evidence, and the number of runs."""
        return {**graph_arrays(self.adjacency, self.log_scores), "graph_runs": np.array([self.n_runs], dtype=np.int64)}

    @classmethod
    def restore(cls, parts: Parts) -> SampledGraphs:
        """Rebuild the list of graphs."""
        graphs, runs = restore_graphs(parts), parts.arrays["graph_runs"]
        n = len(graphs.adjacency)
        if runs.shape != (1,) or runs[0] < 1 or n % runs[0]:
            raise ValueError("the number of its graphs is not a multiple of the number of runs")
        about = parts.variables, parts.score, parts.candidates, parts.outsiders, graphs.adjacency, graphs.log_scores
        return cls(*about, np.full(n, 1.0 / n), graphs.workers, graphs.everyone, int(runs[0]))

    def _standard_errors(self, events: np.ndarray) -> np.ndarray:
        """Return the standard errors of the shares of graphs with events (graphs, n), shape (n,)."""
        by_run = events.reshape(self.n_runs, -1, events.shape[1])
        return conditional_standard_errors(by_run, self.chosen.reshape(self.n_runs, -1))

    def _evenly(self, n: int) -> tuple[np.ndarray, int]:
        """Return at most `n` graphs, equally many of each run; under evidence all graphs count as one run."""
        n_runs = self.n_runs if self.chosen.all() else 1
        graphs = self._graphs.reshape(n_runs, -1, *self.adjacency.shape[1:])
        n_draws = graphs.shape[1]
        places = np.linspace(0, n_draws - 1, min(n_draws, max(1, n // n_runs))).round().astype(np.int64)
        return graphs[:, places].reshape(-1, *self.adjacency.shape[1:]), n_runs
