"""Temperatures of chains that swap their states, and the adaptation of the gaps between them."""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel

LOWEST, FOR_VARIABLES = 0.1, 64
"""Initial inverse temperature of the hottest chain, for up to FOR_VARIABLES variables; more need smaller gaps."""

WANTED_SWAPS, ADAPTATION = 0.35, 0.2
"""Target acceptance rate of swaps, and step size of the adaptation of gaps between temperatures."""

NARROWEST, WIDEST = 0.02, 0.7
"""Bounds of the gaps between the logarithms of neighbouring temperatures."""


def first_betas(n_chains: int, n: int) -> np.ndarray:
    """Return initial inverse temperatures for n variables, descending from 1, shape (chains,)."""
    if n_chains == 1:
        return np.ones(1)
    return np.geomspace(1.0, LOWEST ** min(1.0, math.sqrt(FOR_VARIABLES / n)), n_chains)


def adapted(betas: np.ndarray, swaps: np.ndarray) -> np.ndarray:
    """Adapt inverse temperatures to the swaps of neighbours, proposed and accepted (chains - 1, 2)."""
    rates = swaps[:, 1] / np.maximum(swaps[:, 0], 1)
    gaps = -np.diff(np.log(betas)) * np.exp(ADAPTATION * (rates - WANTED_SWAPS))
    adapted: np.ndarray = np.exp(-np.concatenate([[0.0], np.cumsum(np.clip(gaps, NARROWEST, WIDEST))]))
    return adapted


@kernel
def swap_neighbours(first, chain_at, log_scores, betas, swaps, rng):
    """Propose to swap the chains at temperatures `first` and `first + 1`, at `first + 2` and `first + 3`, and so on.

    Accepted swaps exchange the numbers of the chains at both temperatures in `chain_at` (chains,), and their entries in
    `log_scores` (chains,). All are counted in `swaps` (chains - 1, 2).
    """
    for t in range(first, betas.size - 1, 2):
        log_ratio = (betas[t] - betas[t + 1]) * (log_scores[t + 1] - log_scores[t])
        swaps[t, 0] += 1
        if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
            chain_at[t], chain_at[t + 1] = chain_at[t + 1], chain_at[t]
            log_scores[t], log_scores[t + 1] = log_scores[t + 1], log_scores[t]
            swaps[t, 1] += 1
