"""How another process makes the scores of orders again: from fitted scores, candidates and outsiders."""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.chains.away import Origin
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.lists import ParentLists
from orderspn.leaves.tables import LeafTables
from orderspn.scores.local import LocalScore
from orderspn.search.order_scores import all_order_scores
from orderspn.search.order_transitions import OrderTransitions


def origin_of_orders(local: LocalScore, families: Sequence[Family]) -> Origin:
    """Return the origin of the chains over all orders of families that were scored from data."""
    return Origin(order_transitions, (local, ParentLists.of(families)))


def order_transitions(workers: Workers, local: LocalScore, lists: ParentLists) -> OrderTransitions:
    """Score the families and lay out their masses, in a worker."""
    tables = LeafTables.of(lists.scored(local, workers), workers)
    return OrderTransitions(all_order_scores(tables))
