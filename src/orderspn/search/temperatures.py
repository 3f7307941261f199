"""Temperatures of chains that swap: where they begin, and how the gaps between them adapt."""

from __future__ import annotations

import math

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
