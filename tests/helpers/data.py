"""Random data of linear Gaussian networks."""

import numpy as np


def gaussian_data(d, n, seed, density=0.5, noise=1.0):
    """Rows of a random linear network whose order of variables is shuffled, shape (n, d)."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < density), k=1)
    values = rng.normal(scale=noise, size=(n, d)) @ np.linalg.inv(np.eye(d) - weights)
    return values[:, rng.permutation(d)] + rng.normal(scale=0.3, size=d)


def letters(d):
    return [chr(ord("A") + i) for i in range(d)]
