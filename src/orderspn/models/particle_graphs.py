"""Graphs of particles: a few graphs with weights that approximate the posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.core.stored_arrays import NUMBER, StoredArray, StoredArrays
from orderspn.models.graph_arrays import STORED_GRAPHS, graph_arrays, restore_graphs, restore_weights
from orderspn.models.listed_graphs import ListedGraphs
from orderspn.models.parts import Parts
from orderspn.queries.edges import Edges


@dataclass(frozen=True, eq=False, repr=False)
class ParticleGraphs(ListedGraphs):
    """Graphs of particles. Particles repel each other and are not independent draws, so standard errors are unknown."""

    kind: ClassVar[str] = "particles"
    nature: ClassVar[str] = "is a sample of graphs, those of particles"
    stored: ClassVar[StoredArrays] = {**STORED_GRAPHS, "graph_weights": StoredArray((NUMBER,), (1,))}

    def standard_error(self, event: Edges) -> float:  # noqa: ARG002
        """Return NaN: the standard error is unknown."""
        return math.nan

    def edge_standard_errors(self) -> np.ndarray:
        """Return NaN (d, d): standard errors are unknown."""
        return np.full((len(self.variables), len(self.variables)), np.nan)

    def estimate_effects(self, n: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002
        """Return mean total effects over all particles, and NaN for standard errors."""
        effects = self.effects()
        return effects, np.full(effects.shape, np.nan)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all graphs, also those that do not satisfy the evidence, and their weights."""
        return {**graph_arrays(self.adjacency, self.log_scores), "graph_weights": self.weights}

    @classmethod
    def restore(cls, parts: Parts) -> ParticleGraphs:
        """Rebuild the list of graphs."""
        graphs = restore_graphs(parts)
        weights = restore_weights(parts.arrays, len(graphs.adjacency))
        about = parts.variables, parts.score, parts.candidates, parts.outsiders, graphs.adjacency, graphs.log_scores
        return cls(*about, weights, graphs.workers, graphs.everyone)
