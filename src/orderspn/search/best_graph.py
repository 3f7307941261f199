"""The graph with the highest score, searched beyond the orders that a posterior covers.

Scores raised to a power put all weight of a family on its best parent set, and all weight of the orders on those of the
best graphs: tempered chains over such a landscape, at the cold end nearly a search for the maximum, at the warm end the
posterior itself, are simulated annealing that can turn back. What they find is improved variable by variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.core.deadline import Deadline
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.landscape import landscape_of_all
from orderspn.search.starting import improved

POWER = 10.0
"""Scores are raised to this power."""

LOOKS = 10
"""Orders of each run that are improved to the end."""


@dataclass(frozen=True, eq=False)
class Found:
    """An order, the best parent set of each variable within it, and the log score less all scales."""

    order: np.ndarray
    parent_sets: list[int]
    log_score: float


def find_best_graph(
    families: Sequence[Family],
    starts: np.ndarray,
    effort: Effort,
    ranks: np.ndarray,
    seed: np.random.SeedSequence,
    workers: Workers,
) -> Found:
    """Search from orders `starts` (runs, temperatures, d); among equals choices go by `ranks`."""
    sharpened = [Family(f.child, f.candidates, POWER * f.log_score, 0.0, f.outsiders) for f in families]
    landscape = landscape_of_all(LeafTables.of(sharpened, workers))
    ensemble = Ensemble.started(landscape, effort, seed, workers, starts)
    ensemble.burn_in("best graph", Deadline())
    ends = ensemble.look_around(1, LOOKS)
    tried = [best_within(improved(order, landscape), families, ranks) for order in np.unique(ends, axis=0)]
    return max(tried, key=lambda found: found.log_score)


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
