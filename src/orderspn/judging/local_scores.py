"""Log scores of any parent sets and graphs, whether or not a posterior covers them."""

from __future__ import annotations

import math

import numpy as np

from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import NO_VARIABLES


class LocalScores:
    """Log of prior times likelihood of parent sets, each computed once.

    Parameters
    ----------
    score : LocalScore
    """

    def __init__(self, score: LocalScore) -> None:
        self.score = score
        self._known: dict[tuple[int, bytes], float] = {}

    def family(self, child: int, parents: np.ndarray) -> float:
        """Return the log score of one parent set, given as indicators (d,); -inf if it is not allowed."""
        key = child, parents.tobytes()
        if key not in self._known:
            self._known[key] = self._computed(child, np.flatnonzero(parents))
        return self._known[key]

    def graphs(self, adjacency: np.ndarray) -> np.ndarray:
        """Return the log score of each graph (n, d, d), shape (n,)."""
        n, d, _ = adjacency.shape
        log_scores = np.zeros(n)
        for child in range(d):
            sets, which = np.unique(adjacency[:, :, child], axis=0, return_inverse=True)
            log_scores += np.array([self.family(child, parents) for parents in sets])[which.ravel()]
        return log_scores

    def log_likelihood(self, adjacency: np.ndarray) -> float:
        """Return the log marginal likelihood of one graph (d, d), without the prior."""
        return sum(
            float(self.score.likelihood.log_likelihoods(child, NO_VARIABLES, len(parents), parents)[-1])
            for child in range(len(adjacency))
            if not self.score.is_context(child)
            for parents in [np.flatnonzero(adjacency[:, child])]
        )

    def _computed(self, child: int, parents: np.ndarray) -> float:
        if self.score.is_context(child):
            return -math.inf if parents.size else 0.0
        if parents.size > self.score.most_parents:
            return -math.inf
        rows = parents[None] if parents.size else np.empty((0, 0), dtype=np.int64)
        return float(self.score.table(child, NO_VARIABLES, rows)[-1])
