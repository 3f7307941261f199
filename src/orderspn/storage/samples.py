"""Samples of graphs as arrays: a bit for each pair of variables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from orderspn.models.listed_graphs import ListedGraphs
from orderspn.queries.sampling import orders_of_graphs
from orderspn.scores.local import LocalScore


def sample_arrays(model: ListedGraphs) -> dict[str, np.ndarray]:
    """All graphs, whatever the evidence, and their log scores."""
    return {
        "graphs": np.packbits(model.adjacency.reshape(len(model.adjacency), -1), axis=1),
        "graph_log_scores": model.log_scores,
    }


def weight_arrays(model: ListedGraphs) -> dict[str, np.ndarray]:
    """Weights of all graphs, where they may differ."""
    return {"graph_weights": model.weights}


def restore_weights(arrays: Mapping[str, np.ndarray], n_graphs: int) -> np.ndarray:
    """Weights (n,), checked."""
    weights = arrays["graph_weights"]
    if weights.shape != (n_graphs,) or not (weights >= 0.0).all() or not np.isclose(weights.sum(), 1.0):
        raise ValueError("its graphs and their weights do not match")
    return weights


def restore_graphs(arrays: Mapping[str, np.ndarray], n_runs: int, local: LocalScore) -> tuple[np.ndarray, np.ndarray]:
    """Graphs (n, d, d), bool, and log scores (n,), checked."""
    packed, log_scores, d = arrays["graphs"], arrays["graph_log_scores"], local.log_prior.size
    if packed.shape[1] != -(-d * d // 8) or not len(packed):
        raise ValueError("its graphs do not match the variables")
    adjacency = np.unpackbits(packed, axis=1, count=d * d).astype(bool).reshape(-1, d, d)
    if log_scores.shape != (len(adjacency),) or not np.isfinite(log_scores).all():
        raise ValueError("its graphs and their scores do not match")
    if n_runs < 1 or len(adjacency) % n_runs:
        raise ValueError("its graphs are not those of as many runs as it says")
    orders_of_graphs(adjacency)  # an error if one has a cycle
    _check_rules(adjacency, local)
    return adjacency, log_scores


def _check_rules(adjacency: np.ndarray, local: LocalScore) -> None:
    """Refuse graphs that what is known, or the largest number of parents, rules out."""
    rules, n_parents = local.rules, adjacency.sum(axis=1)
    most = np.minimum(rules.most, local.max_parents)
    if (adjacency & ~rules.allowed).any() or (~adjacency & rules.required).any() or (n_parents > most).any():
        raise ValueError("its graphs break what is known of them")
