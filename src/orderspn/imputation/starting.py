"""A graph to begin imputations with: every variable has a few of the others as parents, whatever the evidence for them.

Cells that are drawn from their columns alone hide dependences, and a chain that begins with them takes many sweeps to
find them again. Drawn with too many edges, they keep the dependences; the edges that are not there are soon lost.
"""

from __future__ import annotations

import numpy as np

from orderspn.scores.protocol import MarginalLikelihood

MOST_PARENTS = 2
"""Parents of each variable, if so many come before it."""


def dense_graph(fitted: MarginalLikelihood, context: np.ndarray, d: int, rng: np.random.Generator) -> np.ndarray:
    """Draw an order with context first; choose the parents of each variable among those before it, one by one, (d, d).

    Each is the one with which the score is highest. Context variables have no parents.
    """
    explained = np.setdiff1d(np.arange(d), context)
    order = np.concatenate([context, rng.permutation(explained)]).astype(np.int64)
    graph = np.zeros((d, d), dtype=bool)
    for place in range(context.size, d):
        child, before = int(order[place]), order[:place]
        for _ in range(min(MOST_PARENTS, place)):
            log_scores = fitted.log_likelihoods_with_one_more(child, np.flatnonzero(graph[:, child]))
            graph[before[np.argmax(log_scores[before])], child] = True
    return graph
