"""Probabilities of many whole graphs under a posterior at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from orderspn.leaves.family import Family
from orderspn.models.listed_graphs import ListedGraphs
from orderspn.queries.edges import Edges


def listed_graphs(posterior: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Graphs (n, d, d) and their weights (n,) of a posterior that is a list of them; None for any other."""
    model = posterior._model
    if not isinstance(model, ListedGraphs):
        return None
    weights = model.weights[model.chosen]
    return model.adjacency[model.chosen], weights / weights.sum()


def graph_probabilities(posterior: Any, graphs: np.ndarray) -> np.ndarray:
    """Probability of each of the DAGs (n, d, d), shape (n,), under a posterior that sums over families.

    Each is proportional to the scores of its families, times what its orders weigh where orders count. One of them,
    the most probable, is asked for as an event, and gives the scale to all.
    """
    model = posterior._model
    log_weights = np.zeros(len(graphs))
    for family in model.families:
        log_weights += _log_scores(family, graphs[:, :, family.child])
    possible = np.flatnonzero(log_weights > -np.inf)
    if posterior.settings["target"] == "order" and possible.size:
        log_weights[possible] += model.orders.log_order_masses(graphs[possible])
    best = int(np.argmax(log_weights))
    if log_weights[best] == -math.inf:
        return np.zeros(len(graphs))
    log_probability = posterior.log_probability(_as_event(graphs[best], posterior.variables))
    probabilities: np.ndarray = np.exp(log_weights - log_weights[best] + log_probability)
    return probabilities


def _log_scores(family: Family, parents: np.ndarray) -> np.ndarray:
    """Log score of each parent set (n, d), bool; -inf for those that the family does not have."""
    masks, _ = family.opened_by(parents)
    outside = parents.copy()
    outside[:, family.candidates] = False
    others, which = np.unique(outside, axis=0, return_inverse=True)
    rows = {frozenset(row[row >= 0].tolist()): place for place, row in enumerate(family.outsiders, start=1)}
    rows[frozenset()] = 0
    row_of = np.array([rows.get(frozenset(np.flatnonzero(other).tolist()), -1) for other in others])[which.ravel()]
    return np.where(row_of >= 0, family.log_score[np.maximum(row_of, 0) * family.n_masks + masks], -np.inf)


def _as_event(graph: np.ndarray, names: list[str]) -> Edges:
    """All edges of a graph present, all others absent."""
    pairs = [(c, e) for c in range(len(names)) for e in range(len(names)) if c != e]
    return Edges(
        present=[(names[c], names[e]) for c, e in pairs if graph[c, e]],
        absent=[(names[c], names[e]) for c, e in pairs if not graph[c, e]],
    )
