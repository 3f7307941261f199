"""The DAGs that a partial graph stands for: all directions of its undirected edges, without cycles."""

from __future__ import annotations

import numpy as np

from orderspn.core.dag import reached_from
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
