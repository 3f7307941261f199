"""The arguments of metrics, in any of their forms: edge probabilities, graphs with weights, and total effects."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from orderspn.core.errors import InvalidValue, Unavailable
from orderspn.core.matrices import Matrices, read_graphs, read_matrices, single
from orderspn.core.names import check_names
from orderspn.core.randomness import RNGLike
from orderspn.metrics.reference import read_truth
from orderspn.models.protocol import is_posterior


def read_probabilities(name: str, value: Any) -> Matrices:
    """Read edge probabilities from a matrix, a posterior, or graphs (frequencies of edges). The diagonal is 0."""
    if callable(getattr(value, "edge_probabilities", None)):
        value = value.edge_probabilities()
    matrices = read_matrices(name, value)
    if matrices.values.ndim == 3:
        shares = np.average(read_graphs(name, value).values, axis=0, weights=_own_weights(value))
        # Sums of weights may exceed 1 by rounding.
        matrices = Matrices(np.minimum(shares, 1.0), matrices.variables)
    values = matrices.values.astype(np.float64)
    np.fill_diagonal(values, 0.0)
    wrong = values[~((values >= 0.0) & (values <= 1.0))]  # NaN among them
    if wrong.size:
        raise InvalidValue(f"{name} must hold probabilities from 0 to 1; got {wrong[0]:g}.")
    return Matrices(values, matrices.variables)


class WeightedGraphs(NamedTuple):
    """Graphs and their weights."""

    graphs: Matrices  # (n, d, d)
    weights: np.ndarray  # (n,), sum 1


def read_sampled(name: str, value: Any, n_samples: int, rng: RNGLike) -> WeightedGraphs:
    """Read graphs with weights: `n_samples` drawn from a posterior, or those given; one graph is a list of one."""
    if is_posterior(value):
        value = value.sample(n_samples, rng=rng)
    read = read_graphs(name, value)
    graphs = Matrices(read.values.reshape(-1, read.n_variables, read.n_variables), read.variables)
    n = len(graphs.values)
    weights = _own_weights(value)
    return WeightedGraphs(graphs, np.full(n, 1.0 / n) if weights is None else weights / weights.sum())


def _own_weights(value: Any) -> np.ndarray | None:
    """Return the weights of sampled graphs, if they have any."""
    weights = getattr(value, "weights", None)
    # A network has weights as well, but of its edges.
    return weights if isinstance(weights, np.ndarray) and value.adjacency.ndim == 3 else None


def read_effects(name: str, value: Any, n_samples: int = 1000, rng: RNGLike = 0) -> Matrices:
    """Read total effects from a matrix, a posterior, an estimate with standard errors, draws of effects, or a network.

    If a posterior has no exact effects, they are estimated from `n_samples` graphs.
    """
    if callable(getattr(value, "causal_effects", None)):
        try:
            value = value.causal_effects()
        except Unavailable:
            value = value.estimate_effects(n_samples, rng=rng)
    if hasattr(value, "standard_error") or hasattr(value, "interval"):
        value = value.mean
    if isinstance(getattr(value, "total_effects", None), np.ndarray):
        matrices = Matrices(value.total_effects, check_names(name, value.variables))
    else:
        matrices = single(name, read_matrices(name, value))
    if not np.isfinite(off_diagonal(matrices.values)).all():
        raise InvalidValue(f"{name} must hold finite numbers; got NaN or infinity.")
    return Matrices(matrices.values.astype(np.float64), matrices.variables)


def read_pairs(probabilities: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each of the d(d - 1) ordered pairs, the probability of the edge and whether it is true."""
    p = read_probabilities("probabilities", probabilities)
    edges = read_truth("truth", truth, "probabilities", p)
    return off_diagonal(p.values), off_diagonal(edges.in_order_of(p, "truth", "probabilities"))


def off_diagonal(matrix: np.ndarray) -> np.ndarray:
    """Return the entries of a square matrix without its diagonal, shape (d(d - 1),)."""
    return matrix[~np.eye(len(matrix), dtype=bool)]
