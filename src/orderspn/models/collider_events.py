"""V-structures as events, and which of them may be probable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from orderspn.models.graph_shares import GraphShares
from orderspn.queries.edges import Edges


class ColliderEvent(NamedTuple):
    """Names of one cause, the collider and the other cause, and their places."""

    names: tuple[str, str, str]
    places: tuple[int, int, int]

    @property
    def event(self) -> Edges:
        """The event that they are a v-structure."""
        a, collider, b = self.names
        return Edges(present=[(a, collider), (b, collider)], absent=[(a, b), (b, a)])

    def holds_in(self, graphs: np.ndarray) -> np.ndarray:
        """Return in which of the graphs (n, d, d) they are one, shape (n,)."""
        a, collider, b = self.places
        return graphs[:, a, collider] & graphs[:, b, collider] & ~graphs[:, a, b] & ~graphs[:, b, a]


def likely_colliders(
    variables: Sequence[str], context: Collection[int], shares: GraphShares | None, least: float
) -> list[ColliderEvent]:
    """Return the v-structures whose share in graphs is at least `least` and not 0; all possible ones without graphs.

    Examples
    --------
    >>> [collider.names for collider in likely_colliders(["A", "B", "C"], [0], None, 0.0)]
    [('A', 'C', 'B'), ('A', 'B', 'C')]
    """
    found = []
    for a, b in combinations(range(len(variables)), 2):
        if a in context and b in context:
            continue
        others = [c for c in range(len(variables)) if c not in (a, b) and c not in context]
        if shares is not None:
            share = _shares_of(shares, a, b)
            others = [c for c in others if share[c] >= least and share[c] > 0.0]
        found += [ColliderEvent((variables[a], variables[c], variables[b]), (a, c, b)) for c in others]
    return found


def _shares_of(shares: GraphShares, a: int, b: int) -> np.ndarray:
    """Return the share of graphs in which each variable is a collider of two that are not joined, shape (d,)."""
    graphs = shares.graphs
    apart = ~(graphs[:, a, b] | graphs[:, b, a])
    weights = np.where(apart, shares.weights, 0.0)
    return np.asarray(weights @ (graphs[:, a] & graphs[:, b]))
