"""Changes of one edge: additions, removals and reversals, and what each gains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from orderspn.core.dag import reached_from
from orderspn.judging.local_scores import LocalScores
from orderspn.judging.standing import Standing
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import satisfying


class Move(NamedTuple):
    """A change of one edge, and the difference of log scores that it makes."""

    change: str
    cause: str
    effect: str
    gain: float


def best_moves(graph: np.ndarray, standing: Standing, evidence: Edges, variables: tuple[str, ...]) -> list[Move]:
    """List the legal changes of one edge of a graph (d, d), the largest gain first.

    Legal ones leave a graph without cycles that neither background knowledge, context variables, the largest number of
    parents nor the evidence rules out.
    """
    changes = list(_changes(graph))
    if not changes:
        return []
    after = np.stack([changed for _, _, _, changed in changes])
    kept = satisfying(after, evidence, variables)
    if standing.scores is None:
        values = standing.by_scores(np.concatenate([graph[None], after]))
        with np.errstate(invalid="ignore"):  # impossible before and after
            gains = values[1:] - values[0]
    else:
        gains = np.array([_gain(graph, changed, standing.scores) for changed in after])
    moves = [
        Move(change, variables[a], variables[b], float(gain))
        for (change, a, b, _), gain, legal in zip(changes, gains, kept, strict=True)
        if legal and gain > -np.inf
    ]
    return sorted(moves, key=lambda move: (-move.gain, move.change, move.cause, move.effect))


def _gain(before: np.ndarray, after: np.ndarray, scores: LocalScores) -> float:
    """Return the difference of the families that differ; infinite where an impossible one becomes possible."""
    changed = np.flatnonzero((before != after).any(axis=0)).tolist()
    new = sum(scores.family(child, after[:, child]) for child in changed)
    old = sum(scores.family(child, before[:, child]) for child in changed)
    return float(new) if new == -np.inf else float(new - old)


def _changes(graph: np.ndarray) -> Iterator[tuple[str, int, int, np.ndarray]]:
    """Yield the name of each change, its edge, and the graph after it, which has no cycle."""
    d = len(graph)
    for cause in range(d):
        for effect in range(d):
            if cause == effect:
                continue
            changed = graph.copy()
            if graph[cause, effect]:
                changed[cause, effect] = False
                yield "remove", cause, effect, changed.copy()
                if not reached_from(changed, cause)[effect]:
                    changed[effect, cause] = True
                    yield "reverse", cause, effect, changed
            elif not graph[effect, cause] and not reached_from(graph, effect)[cause]:
                changed[cause, effect] = True
                yield "add", cause, effect, changed
