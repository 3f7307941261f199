"""Which graphs have no cycles, and all of them where they are few."""

from __future__ import annotations

import itertools

import numpy as np

from orderspn.core.dag import topological_order
from orderspn.core.matrices import Matrices


def check_acyclic(name: str, graphs: Matrices) -> None:
    """Refuse a stack of graphs (n, d, d) in which one has a cycle; the error shows it."""
    cyclic = np.flatnonzero(~are_acyclic(graphs.values))
    if cyclic.size:
        topological_order(f"{name}[{cyclic[0]}]", graphs.values[cyclic[0]], graphs.variables)


def are_acyclic(graphs: np.ndarray) -> np.ndarray:
    """Whether each of the graphs (n, d, d), bool, has no cycle, shape (n,)."""
    left = np.ones(graphs.shape[:2], dtype=bool)  # (n, d): variables with a cause among those that are left
    while True:
        kept = left & (graphs & left[:, :, None]).any(axis=1)
        if (kept == left).all():
            return np.asarray(~left.any(axis=1))
        left = kept


def all_dags(d: int) -> np.ndarray:
    """Every DAG of d variables once, shape (n, d, d), bool: 29,281 of 5 variables."""
    pairs = list(itertools.combinations(range(d), 2))
    joined = np.array(list(itertools.product(range(3), repeat=len(pairs))))  # none, forward or backward, of each pair
    graphs = np.zeros((len(joined), d, d), dtype=bool)
    for pair, (a, b) in enumerate(pairs):
        graphs[:, a, b] = joined[:, pair] == 1
        graphs[:, b, a] = joined[:, pair] == 2
    return graphs[are_acyclic(graphs)]
