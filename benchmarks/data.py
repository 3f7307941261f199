"""Data as in the paper: random DAGs with 2d expected edges, weights N(0, 1), noise variance 0.1."""

from __future__ import annotations

import numpy as np

NOISE_VARIANCE = 0.1


def linear_gaussian(d: int, n_rows: int, seed: int = 0) -> np.ndarray:
    """Rows drawn from a random linear Gaussian network with 2d expected edges."""
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.random((d, d)) < min(1.0, 4.0 / (d - 1)), 1)
    weights = np.where(edges, rng.normal(size=(d, d)), 0.0)
    order = rng.permutation(d)
    noise = rng.normal(scale=np.sqrt(NOISE_VARIANCE), size=(n_rows, d))
    return np.ascontiguousarray((noise @ np.linalg.inv(np.eye(d) - weights))[:, order])
