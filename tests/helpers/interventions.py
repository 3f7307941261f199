"""Rows of networks in which variables are intervened on, and the masks of interventions."""

import numpy as np


def random_mask(rng, n, d, share=0.3):
    """Which variables were intervened on in which rows: none, one or several of them."""
    return rng.random((n, d)) < share * rng.random(d)


def one_at_a_time(n_observed, n_each, d):
    """Observational rows, then `n_each` rows for every variable with an intervention on it alone, shape (n, d)."""
    return np.vstack([np.zeros((n_observed, d), dtype=bool), np.repeat(np.eye(d, dtype=bool), n_each, axis=0)])


def chain_of_numbers(intervened, rng, weight=1.0):
    """X1 -> X2 -> ... in observational rows; a variable that is intervened on is independent noise."""
    n, d = intervened.shape
    values = rng.normal(size=(n, d))
    for v in range(1, d):
        values[:, v] += np.where(intervened[:, v], 0.0, weight * values[:, v - 1])
    return values


def chain_of_categories(intervened, rng, agreement=0.8):
    """The same with two levels: a variable agrees with the one before it, unless it is set by the toss of a coin."""
    n, d = intervened.shape
    codes = rng.integers(0, 2, size=(n, d))
    for v in range(1, d):
        follows = np.where(rng.random(n) < agreement, codes[:, v - 1], 1 - codes[:, v - 1])
        codes[:, v] = np.where(intervened[:, v], codes[:, v], follows)
    return codes
