"""Graphs of particles: a few graphs moved to where the posterior is, with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from orderspn.core.randomness import RandomState
from orderspn.models.listed_graphs import ListedGraphs
from orderspn.queries.edges import Edges


@dataclass(frozen=True, eq=False)
class ParticleGraphs(ListedGraphs):
    """Graphs of particles, which push each other apart: no independent draws, so that standard errors are unknown."""

    def standard_error(self, event: Edges) -> float:  # noqa: ARG002
        """Unknown: NaN."""
        return math.nan

    def edge_standard_errors(self) -> np.ndarray:
        """Unknown: NaN, shape (d, d)."""
        return np.full((len(self.variables), len(self.variables)), np.nan)

    def estimate_effects(self, n: int, rng: RandomState) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002
        """Mean total effects over all particles, and NaN for standard errors."""
        effects = self.effects()
        return effects, np.full(effects.shape, np.nan)
