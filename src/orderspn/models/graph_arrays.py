"""Lists of graphs as arrays in files: a bit for each pair of variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from orderspn.core.stored_arrays import BYTE, NUMBER, StoredArray, StoredArrays
from orderspn.core.workers import Workers
from orderspn.models.memory import listed_bytes
from orderspn.models.parts import Parts
from orderspn.queries.sampling import orders_of_graphs
from orderspn.scores.local import LocalScore

STORED_GRAPHS: StoredArrays = {
    "graphs": StoredArray((BYTE,), (2,)),
    "graph_log_scores": StoredArray((NUMBER,), (1,)),
}
"""The arrays of every list of graphs."""


class RestoredGraphs(NamedTuple):
    """Graphs from a file."""

    adjacency: np.ndarray  # (n, d, d), bool
    log_scores: np.ndarray  # (n,)
    workers: Workers

    @property
    def everyone(self) -> np.ndarray:
        """The mask of all graphs, shape (n,)."""
        return np.ones(len(self.adjacency), dtype=bool)


def graph_arrays(adjacency: np.ndarray, log_scores: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of graphs (n, d, d) and their log scores (n,)."""
    return {"graphs": np.packbits(adjacency.reshape(len(adjacency), -1), axis=1), "graph_log_scores": log_scores}


def restore_weights(arrays: Mapping[str, np.ndarray], n_graphs: int) -> np.ndarray:
    """Return the weights (n,), checked."""
    weights = arrays["graph_weights"]
    if weights.shape != (n_graphs,) or not (weights >= 0.0).all() or not np.isclose(weights.sum(), 1.0):
        raise ValueError("its graphs and their weights do not match")
    return weights


def restore_graphs(parts: Parts) -> RestoredGraphs:
    """Return graphs and log scores, checked."""
    packed, log_scores, d = parts.arrays["graphs"], parts.arrays["graph_log_scores"], len(parts.variables)
    workers = parts.workers_for(lambda _: listed_bytes(len(packed), d))
    if packed.shape[1] != -(-d * d // 8) or not len(packed):
        raise ValueError("its graphs do not match the variables")
    adjacency = np.unpackbits(packed, axis=1, count=d * d).astype(bool).reshape(-1, d, d)
    if log_scores.shape != (len(adjacency),) or not np.isfinite(log_scores).all():
        raise ValueError("its graphs and their scores do not match")
    orders_of_graphs(adjacency)  # raises if one has a cycle
    _check_rules(adjacency, parts.score)
    return RestoredGraphs(adjacency, log_scores, workers)


def _check_rules(adjacency: np.ndarray, local: LocalScore) -> None:
    """Raise a ValueError for graphs that background knowledge or the largest number of parents rules out."""
    rules, n_parents = local.rules, adjacency.sum(axis=1)
    most = np.minimum(rules.most, local.max_parents)
    if (adjacency & ~rules.allowed).any() or (~adjacency & rules.required).any() or (n_parents > most).any():
        raise ValueError("its graphs contradict its background knowledge")
