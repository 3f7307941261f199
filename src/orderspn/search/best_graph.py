"""The search for the graph with the highest score, over all orders.

If scores are raised to a power, the best parent set has nearly all weight of a family, and orders of the best graphs
have nearly all weight of the orders. The coldest of the tempered chains over these scores nearly search for the
maximum, and the hottest sample the posterior: simulated annealing that can turn back. The best orders that they find
are polished (see `polishing.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of, seed_for
from orderspn.core.workers import Workers
from orderspn.leaves.context import context_first, root_block
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.order_scores import OrderScores, all_order_scores
from orderspn.search.polishing import best_order_scores, polished
from orderspn.search.scored_orders import ScoredOrders

POWER = 10.0
"""Scores are raised to this power."""

DRAWS = 10
"""Orders of each run that are polished."""

BEST, TURNS = 8, 20
"""Number of the best results that wander and are polished again, and how often."""


@dataclass(frozen=True, eq=False)
class Found:
    """An order, the best parent set of each variable given it, and the log score without the scales of the families."""

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
    """Search from orders `starts` (runs, temperatures, n), or from random possible orders.

    The result is no worse than the best graph of any of the orders `known` (m, n). Ties between parent sets are broken
    by `ranks` of the variables. Orders are of the n variables that are no context.
    """
    d, variables = len(families), root_block(families)[1]
    starts, known = (None if orders is None else np.searchsorted(variables, orders) for orders in (starts, known))
    sharpened = [replace(f, log_score=POWER * f.log_score, log_scale=0.0) for f in families]
    sharp = all_order_scores(LeafTables.of(sharpened, workers))
    ensemble = Ensemble.started(ScoredOrders.known(sharp), effort, seed_for(seed, "search"), workers, starts)
    ensemble.burn_in("best graph", Deadline())
    ends = ensemble.coldest_draws(1, DRAWS, Deadline())
    ends = np.unique(ends if known is None else np.concatenate([ends, known]), axis=0)
    order_scores = best_order_scores(LeafTables.of(families, workers))
    orders, log_scores = _polish_all(ends, order_scores, 0, seed_for(seed, "polishing"), workers)
    # Orders of the same graph have the same score; those of different graphs almost never.
    _, different = np.unique(np.round(-log_scores, 6), return_index=True)
    orders, log_scores = _polish_all(
        orders[different[:BEST]], order_scores, TURNS, seed_for(seed, "wandering"), workers
    )
    best = variables[orders[[int(np.argmax(log_scores))]]]
    return best_within(context_first(best, d)[0], families, ranks)


def _polish_all(
    orders: np.ndarray, order_scores: OrderScores, turns: int, seed: np.random.SeedSequence, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """Polish every order (m, d); return the results and their log scores."""
    found, log_scores = np.empty_like(orders), np.empty(len(orders))
    seeds = seed.spawn(len(orders))

    def polish(number: int) -> None:
        found[number], log_scores[number] = polished(orders[number], order_scores, turns, generator_of(seeds[number]))

    workers.run([partial(polish, number) for number in range(len(orders))])
    return found, log_scores


def best_within(order: np.ndarray, families: Sequence[Family], ranks: np.ndarray) -> Found:
    """Return the best graph with a given topological order."""
    before = np.zeros(order.size, dtype=bool)
    parent_sets = [0] * order.size
    log_score = 0.0
    for child in order.tolist():
        parent_sets[child] = families[child].best_parents(before, ranks)
        log_score += float(families[child].log_score[parent_sets[child]])
        before[child] = True
    return Found(order, parent_sets, log_score)
