"""What metrics take: probabilities of edges and effects, from matrices or from whatever can tell them."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices, check_names, read_graph, read_graphs, read_matrices, single


def read_probabilities(name: str, value: Any) -> Matrices:
    """Probabilities of edges: a matrix, a posterior, or graphs, whose edges are then counted. The diagonal is 0."""
    if callable(getattr(value, "edge_probabilities", None)):
        value = value.edge_probabilities()
    matrices = read_matrices(name, value)
    if matrices.values.ndim == 3:
        matrices = Matrices(read_graphs(name, value).values.mean(axis=0), matrices.variables)
    values = matrices.values.astype(np.float64)
    np.fill_diagonal(values, 0.0)
    wrong = values[~((values >= 0.0) & (values <= 1.0))]  # NaN among them
    if wrong.size:
        raise InvalidValue(f"{name} must hold probabilities from 0 to 1; got {wrong[0]:g}.")
    return Matrices(values, matrices.variables)


def read_effects(name: str, value: Any) -> Matrices:
    """Total effects: a matrix, a posterior, an estimate with standard errors, or a network."""
    if callable(getattr(value, "causal_effects", None)):
        value = value.causal_effects()
    elif hasattr(value, "standard_error"):
        value = value.mean
    if isinstance(getattr(value, "total_effects", None), np.ndarray):
        matrices = Matrices(value.total_effects, check_names(name, value.variables))
    else:
        matrices = single(name, read_matrices(name, value))
    if not np.isfinite(off_diagonal(matrices.values)).all():
        raise InvalidValue(f"{name} must hold finite numbers; got NaN or infinity.")
    return Matrices(matrices.values.astype(np.float64), matrices.variables)


def read_pairs(probabilities: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    """Probability and truth of each of the d(d - 1) ordered pairs of variables."""
    p, edges = read_probabilities("probabilities", probabilities), read_graph("truth", truth)
    return off_diagonal(p.values), off_diagonal(edges.in_order_of(p, "truth", "probabilities"))


def off_diagonal(matrix: np.ndarray) -> np.ndarray:
    """The entries of a square matrix without its diagonal, shape (d(d - 1),)."""
    return matrix[~np.eye(len(matrix), dtype=bool)]
