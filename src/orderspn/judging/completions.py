"""The DAGs that a partial graph stands for: all directions of its undirected edges, without cycles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orderspn.core.dag import are_acyclic, reached_from
from orderspn.user_graphs.partial_graph import PartialGraph


def completions(graph: PartialGraph, most: int) -> tuple[np.ndarray, bool]:
    """Return the DAGs with the edges of a partial graph, at most `most`, shape (n, d, d), and whether these are all.

    Examples
    --------
    >>> graph = PartialGraph.of("graph", "ABC", [("A", "B")], [("B", "C"), ("A", "C")])
    >>> len(completions(graph, 10)[0])  # A -> B -> C -> A is a cycle
    3
    """
    place = {name: v for v, name in enumerate(graph.variables)}
    lines = [(place[a], place[b]) for a, b in graph.undirected]
    found: list[np.ndarray] = []
    waiting = [(graph.arrows, 0)]
    while waiting and len(found) < most:
        so_far, done = waiting.pop()
        if done == len(lines):
            found.append(so_far)
            continue
        for cause, effect in (lines[done], lines[done][::-1]):
            if not reached_from(so_far, effect)[cause]:
                more = so_far.copy()
                more[cause, effect] = True
                waiting.append((more, done + 1))
    return np.stack(found), not waiting


def climbed(dag: np.ndarray, lines: np.ndarray, values: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return a DAG (d, d) that is better, or the same: undirected edges `lines` (d, d) are reversed while that helps.

    Examples
    --------
    >>> line = np.array([[False, True], [True, False]])
    >>> climbed(np.triu(line), line, lambda graphs: graphs[:, 1, 0].astype(float)).astype(int)
    array([[0, 0],
           [1, 0]])
    """
    while True:
        places = np.argwhere(dag & lines)
        others = np.repeat(dag[None], len(places) + 1, axis=0)
        for other, (cause, effect) in zip(others, places, strict=False):
            other[cause, effect], other[effect, cause] = False, True
        others = others[are_acyclic(others)]
        found = values(others)  # the last is the DAG itself
        best = int(np.argmax(found))
        if not found[best] > found[-1]:
            return dag
        dag = others[best]
