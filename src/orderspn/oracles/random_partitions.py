"""Random partitions: an oracle that ignores the data, as a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.oracles.partitions import fill_up, gather, once_each, random_partitions, split_orders
from orderspn.oracles.protocol import Proposal, Question
from orderspn.search.order_scores import order_scores_of
from orderspn.search.starting import random_possible_orders

TRIES = 4
"""Number of orders drawn for each distinct partition if some are impossible."""


@dataclass(frozen=True)
class RandomPartitions:
    """Draw every balanced partition with the same probability, without the data.

    If variables need others before them, most partitions are impossible. Then the first halves of random possible
    orders are drawn instead.
    """

    draws_from_posterior = False

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        drawn = _possible_partitions(question, TRIES * count if distinct else count, rng)
        if distinct:
            none = np.empty((0, question.variables.size), dtype=bool)
            return once_each(fill_up(question, none if drawn is None else drawn, count, rng))
        return gather(random_partitions(question, count, rng) if drawn is None else drawn)

    def settings(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON values."""
        return {"name": "random"}


def _possible_partitions(question: Question, count: int, rng: np.random.Generator) -> np.ndarray | None:
    """Return partitions (count, n) that leave each variable a possible parent set; None if all do, or none does."""
    if question.leaves_all_possible:
        return None
    orders = random_possible_orders(order_scores_of(question.tables, question.before, question.variables), count, rng)
    return None if orders is None else split_orders(orders)
