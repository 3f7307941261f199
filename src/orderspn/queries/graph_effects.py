"""Total effects given graphs: of weights averaged, or drawn from their posterior.

Given a graph the weights of different variables are independent and a path meets each of them once, so the expectation
of `(I - B)^-1` is `(I - E[B])^-1`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.queries.sampling import distinct_graphs
from orderspn.scores.local import LocalScore

BATCH_BYTES = 256 * 2**20
"""Memory of the matrices that are inverted at a time."""


def mean_effects(
    adjacency: np.ndarray, weights: np.ndarray, score: LocalScore, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """Mean total effects over graphs (n, d, d) with weights (n,) that sum to 1, and standard errors if independent."""
    graphs, which = distinct_graphs(adjacency)
    mass = np.bincount(which, weights)
    d = adjacency.shape[1]
    total, total_squares = np.zeros((d, d)), np.zeros((d, d))
    batch = max(1, BATCH_BYTES // (8 * d * d))
    for start in range(0, len(graphs), batch):
        piece = slice(start, start + batch)
        effects = effects_of(expected_coefficients(graphs[piece], score, workers))
        total += np.einsum("n,nij->ij", mass[piece], effects)
        total_squares += np.einsum("n,nij->ij", mass[piece], effects**2)
    spread = np.maximum(total_squares - total**2, 0.0)
    return total, np.sqrt(spread * np.sum(weights**2))


def effects_of(coefficients: np.ndarray) -> np.ndarray:
    """`(I - B)^-1` of weights (n, d, d), [cause, effect]."""
    effects: np.ndarray = np.linalg.inv(np.eye(coefficients.shape[1]) - coefficients)
    return effects


def expected_coefficients(adjacency: np.ndarray, score: LocalScore, workers: Workers) -> np.ndarray:
    """Posterior mean weights given each graph (n, d, d)."""
    coefficients = np.zeros(adjacency.shape)

    def fill(child: int) -> None:
        for parents, graphs in _parent_sets(adjacency[:, :, child]):
            coefficients[graphs[:, None], parents, child] = score.weights_given(child, parents)[0]

    workers.run([partial(fill, child) for child in range(adjacency.shape[1])])
    return coefficients


def drawn_coefficients(
    adjacency: np.ndarray, score: LocalScore, generators: list[np.random.Generator], workers: Workers
) -> np.ndarray:
    """Weights drawn from their t distributions given each graph (n, d, d); a generator for each variable."""
    coefficients = np.zeros(adjacency.shape)

    def fill(child: int) -> None:
        rng = generators[child]
        for parents, graphs in _parent_sets(adjacency[:, :, child]):
            location, scale, freedom = score.weights_given(child, parents)
            normal = rng.standard_normal((graphs.size, parents.size)) @ _root(scale).T
            stretch = np.sqrt(freedom / rng.chisquare(freedom, graphs.size))
            coefficients[graphs[:, None], parents, child] = location + normal * stretch[:, None]

    workers.run([partial(fill, child) for child in range(adjacency.shape[1])])
    return coefficients


def _root(scale: np.ndarray) -> np.ndarray:
    """A matrix whose product with its transpose is `scale`, also where that is singular."""
    try:
        return np.linalg.cholesky(scale)
    except np.linalg.LinAlgError:  # the same columns twice, at a scale at which the prior is lost
        values, vectors = np.linalg.eigh(scale)
        root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
        return root


def _parent_sets(inside: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The different parent sets that are not empty, each with the graphs that have it, given members (n, d)."""
    sets, which = np.unique(inside, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    graphs = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return [(np.flatnonzero(row), own) for row, own in zip(sets, graphs, strict=True) if row.any()]
