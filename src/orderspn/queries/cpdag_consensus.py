"""The CPDAG with the smallest expected structural Hamming distance to those of a posterior.

The distance counts pairs of variables that two CPDAGs join differently, so its mean follows from the probabilities of
the four ways to join each pair. Which ways go together in a CPDAG does not: the best one is found by a search among
DAGs, by single edges that are added, removed or reversed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from orderspn.core.dag import are_acyclic
from orderspn.core.equivalence import essential_graphs
from orderspn.queries.best_order import ROUNDING
from orderspn.queries.consensus import ChosenGraph

SEEDS = 5
"""Number of graphs from which searches start."""

CELLS = 20_000_000
"""Number of cells of adjacency matrices that are looked at together."""

LEAST = 0.01
"""Pairs that are joined with a smaller probability are left unjoined by the search."""


class JoinedPairs(NamedTuple):
    """Probabilities of the ways to join pairs of variables in CPDAGs, each (d, d)."""

    directed: np.ndarray  # [cause, effect]
    undirected: np.ndarray  # symmetric

    @classmethod
    def of(cls, cpdags: np.ndarray, weights: np.ndarray) -> JoinedPairs:
        """Return the weighted shares of CPDAGs (n, d, d)."""
        both = cpdags & cpdags.transpose(0, 2, 1)
        return cls(np.tensordot(weights, cpdags & ~both, axes=1), np.tensordot(weights, both, axes=1))

    @property
    def unjoined(self) -> np.ndarray:
        """Probabilities that pairs are not joined."""
        return np.maximum(1.0 - self.directed - self.directed.T - self.undirected, 0.0)

    @property
    def lower_bound(self) -> float:
        """The expected distance if each pair could be joined in its most probable way."""
        best = np.maximum.reduce([self.directed, self.directed.T, self.undirected, self.unjoined])
        return float(np.triu(1.0 - best, 1).sum())

    def expected_distances(self, cpdags: np.ndarray) -> np.ndarray:
        """Return the expected distance of each of the CPDAGs (n, d, d), shape (n,)."""
        d = cpdags.shape[-1]
        back = cpdags.transpose(0, 2, 1)
        upper = np.triu(np.ones((d, d), dtype=bool), 1)
        right = np.where(
            cpdags,
            np.where(back, self.undirected, self.directed),
            np.where(back, self.directed.T, self.unjoined),
        )
        return upper.sum() - right[:, upper].sum(axis=1)


def distances_to(cpdags: np.ndarray, one: np.ndarray) -> np.ndarray:
    """Return the structural Hamming distance of each of the CPDAGs (n, d, d) to one, shape (n,)."""
    differs = cpdags != one
    return (differs | differs.transpose(0, 2, 1)).sum(axis=(1, 2)) // 2


def least_loss_cpdag(
    pairs: JoinedPairs, starts: np.ndarray, context: Sequence[int] = (), *, all_of_them: bool = False
) -> ChosenGraph:
    """Return the CPDAG with the smallest expected distance that a search finds.

    Parameters
    ----------
    pairs : JoinedPairs
    starts : numpy.ndarray
        DAGs (n, d, d); the search goes on from the best of them.
    context : sequence of int
        Variables that are only ever causes.
    all_of_them : bool
        Whether `starts` are all DAGs, so that the best is the best of all.
    """
    cpdags = essential_graphs(starts, context)
    distances = pairs.expected_distances(cpdags)
    best_first = np.argsort(distances, kind="stable")
    if not all_of_them:
        seeds = _distinct(cpdags, best_first)[:SEEDS]
        found = [_climb(starts[seed], distances[seed], pairs, context) for seed in seeds]
        best, distance = min(found, key=lambda each: each[1])
    else:
        best, distance = starts[best_first[0]], float(distances[best_first[0]])
    bound = min(pairs.lower_bound, distance)
    chosen = essential_graphs(best[None], context)[0]
    return ChosenGraph(chosen, distance, bound, all_of_them or distance <= bound + ROUNDING)


def _distinct(cpdags: np.ndarray, best_first: np.ndarray) -> list[int]:
    """Return the places of the first of each CPDAG, in the order given."""
    known: dict[bytes, int] = {}
    for place in best_first.tolist():
        known.setdefault(cpdags[place].tobytes(), place)
    return list(known.values())


def _climb(dag: np.ndarray, distance: float, pairs: JoinedPairs, context: Sequence[int]) -> tuple[np.ndarray, float]:
    """Change single edges for as long as that makes the expected distance smaller."""
    joined = pairs.directed + pairs.directed.T + pairs.undirected
    allowed = joined > LEAST
    allowed[:, list(context)] = False
    while True:
        graphs = _neighbours(dag, allowed)
        if not len(graphs):
            return dag, float(distance)
        step = max(1, CELLS // dag.size)
        each = np.concatenate(
            [
                pairs.expected_distances(essential_graphs(graphs[start : start + step], context))
                for start in range(0, len(graphs), step)
            ]
        )
        best = int(np.argmin(each))
        if each[best] >= distance - ROUNDING:
            return dag, float(distance)
        dag, distance = graphs[best], each[best]


def _neighbours(dag: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return the DAGs that differ from one by an edge that is added, removed or reversed, shape (n, d, d)."""
    changed = []
    for cause, effect in np.argwhere(dag):
        changed.append(dag.copy())
        changed[-1][cause, effect] = False
        if allowed[effect, cause]:
            changed.append(changed[-1].copy())
            changed[-1][effect, cause] = True
    for cause, effect in np.argwhere(allowed & ~dag & ~dag.T & ~np.eye(len(dag), dtype=bool)):
        changed.append(dag.copy())
        changed[-1][cause, effect] = True
    graphs = np.array(changed, dtype=bool).reshape(-1, *dag.shape)
    return graphs[are_acyclic(graphs)]
