"""The graph with the highest score, searched beyond the orders that a posterior covers.

Scores raised to a power put all weight of a family on its best parent set, and all weight of the orders on those of the
best graphs: tempered chains over such a landscape, at the cold end nearly a search for the maximum, at the warm end the
posterior itself, are simulated annealing that can turn back. The best of what they find are polished.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.landscape import Landscape, landscape_of_all
from orderspn.search.polishing import best_landscape, polished

POWER = 10.0
"""Scores are raised to this power."""

LOOKS = 10
"""Orders of each run that are polished."""

BEST, TURNS = 8, 20
"""Of how many different results, the best, wander and are polished again, and how often."""


@dataclass(frozen=True, eq=False)
class Found:
    """An order, the best parent set of each variable within it, and the log score less all scales."""

    order: np.ndarray
    parent_sets: list[int]
    log_score: float


def find_best_graph(
    families: Sequence[Family],
    starts: np.ndarray | None,
    effort: Effort,
    ranks: np.ndarray,
    seed: np.random.SeedSequence,
    workers: Workers,
    known: np.ndarray | None = None,
) -> Found:
    """Search from orders `starts` (runs, temperatures, d), or from any that are possible.

    The result is no worse than the best graphs of the orders `known` (m, d). Among equal parent sets choices go by
    `ranks`.
    """
    seeds = seed.spawn(3)
    sharpened = [replace(f, log_score=POWER * f.log_score, log_scale=0.0) for f in families]
    ensemble = Ensemble.started(landscape_of_all(LeafTables.of(sharpened, workers)), effort, seeds[0], workers, starts)
    ensemble.burn_in("best graph", Deadline())
    ends = ensemble.look_around(1, LOOKS, Deadline())
    ends = np.unique(ends if known is None else np.concatenate([ends, known]), axis=0)
    landscape = best_landscape(LeafTables.of(families, workers))
    orders, log_scores = _polish_all(ends, landscape, 0, seeds[1], workers)
    # Orders of the same graph have the same score; those of different ones hardly ever.
    _, different = np.unique(np.round(-log_scores, 6), return_index=True)
    orders, log_scores = _polish_all(orders[different[:BEST]], landscape, TURNS, seeds[2], workers)
    return best_within(orders[int(np.argmax(log_scores))], families, ranks)


def _polish_all(
    orders: np.ndarray, landscape: Landscape, turns: int, seed: np.random.SeedSequence, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """Polish every order (m, d); the results and their log scores."""
    found, log_scores = np.empty_like(orders), np.empty(len(orders))
    seeds = seed.spawn(len(orders))

    def polish(number: int) -> None:
        found[number], log_scores[number] = polished(orders[number], landscape, turns, generator_of(seeds[number]))

    workers.run([partial(polish, number) for number in range(len(orders))])
    return found, log_scores


def best_within(order: np.ndarray, families: Sequence[Family], ranks: np.ndarray) -> Found:
    """The best graph that follows an order."""
    before = np.zeros(order.size, dtype=bool)
    parent_sets = [0] * order.size
    log_score = 0.0
    for child in order.tolist():
        parent_sets[child] = families[child].best_parents(before, ranks)
        log_score += float(families[child].log_score[parent_sets[child]])
        before[child] = True
    return Found(order, parent_sets, log_score)
