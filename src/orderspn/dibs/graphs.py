"""Graphs of particles: their edges, broken cycles, scores and weights.

A graph of a block has a row for each of the d sources and a column for each of the n targets, [cause, effect].
"""

from __future__ import annotations

import numpy as np

from orderspn.core.dag import are_acyclic
from orderspn.dibs.problem import Block, Problem
from orderspn.kernels.kernel import kernel


def hard_graphs(logits: np.ndarray) -> np.ndarray:
    """Return the graph of each particle in the limit of infinite alpha: edges with positive logits, same shape, bool.

    Examples
    --------
    >>> import numpy as np
    >>> hard_graphs(np.array([[[-np.inf, 2.0], [-0.5, -np.inf]]])).astype(int)
    array([[[0, 1], [0, 0]]])
    """
    return logits > 0


def are_cyclic(graphs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return whether each graph (m, d, n) has a cycle among its targets (n,), shape (m,), bool.

    Examples
    --------
    >>> import numpy as np
    >>> are_cyclic(np.array([[[0, 1], [1, 0]], [[0, 1], [0, 0]]], dtype=bool), np.array([0, 1]))
    array([ True, False])
    """
    return ~are_acyclic(graphs[:, targets])


def acyclic_graphs(logits: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the graphs of particles with logits (m, d, n), with cycles broken, and which of them had cycles (m,).

    Examples
    --------
    >>> import numpy as np
    >>> graphs, cyclic = acyclic_graphs(np.array([[[-np.inf, 2.0], [0.5, -np.inf]]]), np.array([0, 1]))
    >>> graphs.astype(int), cyclic
    (array([[[0, 1], [0, 0]]]), array([ True]))
    """
    graphs = hard_graphs(logits)
    cyclic = are_cyclic(graphs, targets)
    for i in np.flatnonzero(cyclic):
        graphs[i] = break_cycles(logits[i], graphs[i], targets)
    return graphs, cyclic


def break_cycles(probabilities: np.ndarray, graph: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Remove the least probable edge that lies on a cycle until there is no cycle.

    Parameters
    ----------
    probabilities : numpy.ndarray
        Shape (d, n): of each edge, or anything that grows with it. Logits also distinguish edges that are almost
        certain. Of equal ones the first in order of sources, then targets, is removed first.
    graph : numpy.ndarray
        Shape (d, n), bool.
    targets : numpy.ndarray
        Shape (n,): the number of each target among the sources.

    Returns
    -------
    numpy.ndarray
        Shape (d, n), bool: the graph without the removed edges.

    Examples
    --------
    >>> import numpy as np
    >>> cycle = np.array([[False, True], [True, False]])
    >>> break_cycles(np.array([[0.0, 0.9], [0.6, 0.0]]), cycle, np.array([0, 1])).astype(int)
    array([[0, 1], [0, 0]])
    """
    broken = graph.copy()
    within = np.ascontiguousarray(graph[targets])
    _remove_edges(within, np.ascontiguousarray(probabilities[targets], dtype=np.float64))
    broken[targets] = within
    return broken


def trimmed_graphs(graphs: np.ndarray, logits: np.ndarray, problem: Problem) -> np.ndarray:
    """Return graphs (m, d, n) with impossible parent sets reduced to possible ones, if a subset is possible.

    From an impossible set (for example with too many members), the least probable members are removed one by one.
    """
    block = problem.block
    trimmed = graphs.copy()
    scores = problem.log_score[block.start + masks_of(graphs, block)]
    for which, target in np.argwhere(scores == -np.inf):
        parents = np.flatnonzero(graphs[which, :, target] & block.allowed[:, target])
        for parent in parents[np.argsort(logits[which, parents, target], kind="stable")]:
            trimmed[which, parent, target] = False
            mask = masks_of(trimmed[which][None], block)[0, target]
            if problem.log_score[block.start[target] + mask] > -np.inf:
                break
    return trimmed


def log_scores(graphs: np.ndarray, problem: Problem) -> np.ndarray:
    """Return log p(D, G) of graphs (m, d, n), without the `log_scale` of the families of the targets, shape (m,)."""
    block = problem.block
    return problem.log_score[block.start + masks_of(graphs, block)].sum(axis=1)


def masks_of(graphs: np.ndarray, block: Block) -> np.ndarray:
    """Return the parent sets of all targets as masks over their candidates, shape (m, n); only allowed edges count."""
    targets = np.arange(block.targets.size)[:, None]
    return (graphs[:, block.source, targets] * block.bit.astype(np.int64)).sum(axis=2)


def score_weights(graphs: np.ndarray, log_score: np.ndarray) -> np.ndarray:
    """Return weights (m,) of graphs (m, d, n) so that every distinct graph counts in proportion to its score: DiBS+.

    Equal graphs share the weight of one. If no graph is possible (all scores are -inf), all distinct graphs count the
    same.

    Examples
    --------
    >>> import numpy as np
    >>> graphs = np.array([[[True]], [[False]], [[True]]])
    >>> score_weights(graphs, np.log([0.3, 0.1, 0.3])).round(6)
    array([0.375, 0.25 , 0.375])
    """
    _, which, counts = np.unique(graphs, axis=0, return_inverse=True, return_counts=True)
    top = log_score.max()
    relative = np.exp(log_score - top) if top > -np.inf else np.ones(log_score.size)
    relative /= counts[which.ravel()]
    weights: np.ndarray = relative / relative.sum()
    return weights


@kernel
def _reach(graph: np.ndarray) -> np.ndarray:
    """Return which variables can be reached from which by one edge or more, (n, n)."""
    n = len(graph)
    reach = graph.copy()
    for between in range(n):
        for cause in range(n):
            if reach[cause, between]:
                for effect in range(n):
                    reach[cause, effect] |= reach[between, effect]
    return reach


@kernel
def _remove_edges(graph: np.ndarray, probabilities: np.ndarray) -> None:
    """Break the cycles of `graph` (n, n) in place."""
    n = len(graph)
    while True:
        reach = _reach(graph)
        worst_cause, worst_effect = -1, -1
        lowest = np.inf
        for cause in range(n):
            for effect in range(n):
                on_cycle = graph[cause, effect] and reach[effect, cause]  # there is a way back
                if on_cycle and (worst_cause < 0 or probabilities[cause, effect] < lowest):
                    worst_cause, worst_effect, lowest = cause, effect, probabilities[cause, effect]
        if worst_cause < 0:
            return
        graph[worst_cause, worst_effect] = False
