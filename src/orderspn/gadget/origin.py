"""How another process makes the chains from DAGs to orders again."""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.chains.away import Origin
from orderspn.core.workers import Workers
from orderspn.gadget.ladder import LadderTransitions
from orderspn.gadget.parent_scores import all_parent_scores
from orderspn.leaves.family import Family
from orderspn.leaves.lists import ParentLists
from orderspn.leaves.tables import LeafTables
from orderspn.scores.local import LocalScore
from orderspn.search.order_scores import all_order_scores


def origin_of_ladder(local: LocalScore, families: Sequence[Family]) -> Origin:
    """Return the origin of the chains over all variables of families that were scored from data."""
    return Origin(ladder_transitions, (local, ParentLists.of(families)))


def ladder_transitions(workers: Workers, local: LocalScore, lists: ParentLists) -> LadderTransitions:
    """Score the families and lay out their parent sets and masses, in a worker."""
    families = lists.scored(local, workers)
    return LadderTransitions(all_parent_scores(families, workers), all_order_scores(LeafTables.of(families, workers)))
