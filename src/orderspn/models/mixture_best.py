"""The best of several graphs under a mixture of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from orderspn.leaves.family import tie_tolerance
from orderspn.queries.most_probable import BestGraph, MostProbableGraph

G = TypeVar("G", BestGraph, MostProbableGraph)


def best_of(found: Sequence[G], log_probabilities: Sequence[float]) -> tuple[G, float]:
    """Return the graph of the highest log probability, and that; ties go by edges, order and score.

    So the order of components does not matter.
    """
    highest = max(log_probabilities)
    tied = [
        graph
        for graph, log_probability in zip(found, log_probabilities, strict=True)
        if log_probability >= highest - tie_tolerance(graph.log_score)
    ]
    return min(tied, key=_rank), highest


def _rank(graph: G) -> tuple[int, list[tuple[str, str]], list[str], float]:
    return len(graph.edges.present), sorted(graph.edges.present), graph.order, -graph.log_score
