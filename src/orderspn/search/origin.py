"""How another process makes the scores of orders again: from fitted scores, candidates and outsiders."""

from __future__ import annotations

from orderspn.chains.away import Origin
from orderspn.core.workers import Workers
from orderspn.leaves.lists import ParentLists
from orderspn.leaves.tables import LeafTables
from orderspn.scores.local import LocalScore
from orderspn.search.order_scores import all_order_scores
from orderspn.search.order_transitions import OrderTransitions
from orderspn.search.scored_orders import ScoredOrders


def origin_of_orders(local: LocalScore, lists: ParentLists) -> Origin:
    """Return the origin of the chains over all orders of families with these lists."""
    return Origin(order_transitions, (local, lists))


def order_transitions(workers: Workers, local: LocalScore, lists: ParentLists) -> OrderTransitions:
    """Score the families and lay out their masses, in a worker."""
    tables = LeafTables.of(lists.scored(local, workers), workers)
    return OrderTransitions(ScoredOrders.known(all_order_scores(tables)))
