"""Stacks of graphs without cycles: the check, and all of them where they are few."""

from __future__ import annotations

import itertools

import numpy as np

from orderspn.core.dag import are_acyclic, topological_order
from orderspn.core.matrices import Matrices


def check_acyclic(name: str, graphs: Matrices) -> None:
    """Refuse a stack of graphs (n, d, d) in which one has a cycle; the error shows it."""
    cyclic = np.flatnonzero(~are_acyclic(graphs.values))
    if cyclic.size:
        topological_order(f"{name}[{cyclic[0]}]", graphs.values[cyclic[0]], graphs.variables)


def all_dags(d: int) -> np.ndarray:
    """Every DAG of d variables once, shape (n, d, d), bool: 29,281 of 5 variables."""
    pairs = list(itertools.combinations(range(d), 2))
    joined = np.array(list(itertools.product(range(3), repeat=len(pairs))))  # none, forward or backward, of each pair
    graphs = np.zeros((len(joined), d, d), dtype=bool)
    for pair, (a, b) in enumerate(pairs):
        graphs[:, a, b] = joined[:, pair] == 1
        graphs[:, b, a] = joined[:, pair] == 2
    return graphs[are_acyclic(graphs)]
