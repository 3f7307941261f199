"""Chains that swap: their temperatures, how the gaps between these adapt, and what every run of such chains keeps."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

LOWEST, FOR_VARIABLES = 0.1, 64
"""Inverse temperature of the flattest chain at the start, for so many variables; more need smaller gaps."""

WANTED_SWAPS, ADAPTATION = 0.35, 0.2
"""Share of swaps that should succeed, and how strongly gaps between temperatures follow the difference to it."""

NARROWEST, WIDEST = 0.02, 0.7
"""Bounds of the gaps between the logarithms of neighbouring temperatures."""


def first_betas(n_chains: int, n: int) -> np.ndarray:
    """Inverse temperatures to begin with for n variables, descending from 1, shape (chains,)."""
    if n_chains == 1:
        return np.ones(1)
    return np.geomspace(1.0, LOWEST ** min(1.0, math.sqrt(FOR_VARIABLES / n)), n_chains)


def adapted(betas: np.ndarray, swaps: np.ndarray) -> np.ndarray:
    """Inverse temperatures after swaps of neighbours were tried and accepted so often (chains - 1, 2)."""
    rates = swaps[:, 1] / np.maximum(swaps[:, 0], 1)
    gaps = -np.diff(np.log(betas)) * np.exp(ADAPTATION * (rates - WANTED_SWAPS))
    adapted: np.ndarray = np.exp(-np.concatenate([[0.0], np.cumsum(np.clip(gaps, NARROWEST, WIDEST))]))
    return adapted


class TemperedRun(ABC):
    """Chains at several temperatures.

    Attributes
    ----------
    betas : numpy.ndarray
        Shape (temperatures,): inverse temperatures, descending from 1.
    tally : numpy.ndarray
        Shape (kinds, 2): moves of each kind of the chain at 1, tried and accepted.
    swaps : numpy.ndarray
        Shape (temperatures - 1, 2): swaps of each pair of neighbours, tried and accepted.
    """

    betas: np.ndarray
    tally: np.ndarray
    swaps: np.ndarray

    def begin(self, n_chains: int, n: int, n_kinds: int) -> None:
        """Set temperatures for n variables, and all counts to 0."""
        self.betas = first_betas(n_chains, n)
        self.tally = np.zeros((n_kinds, 2), dtype=np.int64)
        self.swaps = np.zeros((max(n_chains - 1, 0), 2), dtype=np.int64)

    @abstractmethod
    def walk(self, looks: int, moves: int) -> tuple[np.ndarray, np.ndarray]:
        """Walk on, looking after every `moves` of each chain: states (looks, n) and log scores (looks,) at 1."""

    def burn_in(self, looks: int, moves: int) -> np.ndarray:
        """Walk without keeping anything but log scores (looks,), then adapt temperatures."""
        self.swaps[:] = 0
        _, log_scores = self.walk(looks, moves)
        self.betas = adapted(self.betas, self.swaps)
        self.swaps[:] = 0
        self.tally[:] = 0
        return log_scores
