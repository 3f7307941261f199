"""Refinement of candidates with sampled orders.

Candidates that are chosen without an order, or by one good graph, miss what other orders want. Orders sampled by a
short search give every edge a probability, also those from outsiders. The variables with the most probable edges become
the candidates, as many as the allotment has room for. So do the variables that would take the place of a parent (see
`substitutes.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.checkpoints.part import Part, apart, in_a_row
from orderspn.core.deadline import Deadline, now
from orderspn.core.randomness import seed_for
from orderspn.core.tasks import chosen_backend
from orderspn.core.workers import Workers
from orderspn.leaves.context import context_first
from orderspn.leaves.family import Family
from orderspn.leaves.lists import ParentLists
from orderspn.leaves.tables import LeafTables
from orderspn.parents.allotment import Allotment
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import NO_VARIABLES
from orderspn.search.context_edges import context_edges
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.order_scores import all_order_scores
from orderspn.search.origin import origin_of_orders
from orderspn.search.sampled_edges import sampled_mean_edges
from orderspn.search.scored_orders import ScoredOrders
from orderspn.search.substitutes import substitute_claims, substitute_seconds

WEIGHT_OF_REVERSED = 0.1
"""Weight of the probability of j -> k in the claim of k to be a candidate of j."""

WARM_CHAINS = 4
"""Number of temperatures whose orders are used: those above 1 show further plausible edges."""

DRAWS = 25
"""Orders drawn at each of them."""

LAYING_OUT = 2.0
"""Time for the tables of a search, as a multiple of the time for their scores; a cautious value."""

BURN_IN, DRAWING = 0.4, 0.5
"""Share of the time of a round for its burn-in, and share of the remaining time for drawing orders."""


@dataclass(frozen=True, eq=False)
class Refined:
    """Families with refined candidates, and the last states of the chains of the last round."""

    families: list[Family]
    starts: np.ndarray | None  # (runs, temperatures, d)
    rounds: int


def refine(
    local: LocalScore,
    candidates: Sequence[np.ndarray],
    allotment: Allotment,
    rounds: int,
    effort: Effort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
    starts: np.ndarray | None = None,
    checkpoint: Checkpoint = NOT_KEPT,
    always: np.ndarray = NO_VARIABLES,
) -> Refined:
    """Repeat rounds of a search and a new choice of candidates by its edge probabilities.

    The first search begins at `starts` (runs, temperatures, n), and each other one where the last one ended. A round
    begins only if there is time for it before the deadline. Rounds that the checkpoint has are not repeated. The
    variables of `always` are candidates of all others.
    """
    families: list[Family] | None = None
    for done in range(rounds + 1):
        work = f"candidates, round {done + 1}"
        kept = checkpoint.found(work) if done < rounds else None
        if kept is not None:
            candidates, starts = apart(kept.arrays["candidates"], kept.arrays["sizes"]), kept.arrays["starts"]
            continue
        begin, families = now(), None  # the old ones are not in memory beside the new ones
        lists = ParentLists(tuple(candidates), tuple(allotment.outsiders(local, candidates)))
        if done == rounds or deadline.limited or chosen_backend() is None:
            families = lists.scored(local, workers)  # otherwise workers score their own
        scoring = now() - begin
        if done == rounds or deadline.passed or not _time_for_a_round(scoring, local, deadline):
            break
        stage = workers.stage(work)
        # A search from random orders has a longer way than one from good ones.
        length = replace(effort, burn_in=effort.burn_in if starts is None else max(1, effort.burn_in // 4))
        own = seed_for(seed, f"round {done + 1}")
        until = deadline.before(scoring)
        claims, starts = _round(
            work, local, lists, families, starts, length, own, workers, until, checkpoint.within(work)
        )
        claims[always] = np.inf
        candidates = allotment.choose(claims, local.rules)
        joined, sizes = in_a_row(candidates)
        checkpoint.keep(work, Part({"candidates": joined, "sizes": sizes, "starts": starts}))
        stage.done("%d parent sets", lists.n_sets)
    assert families is not None  # scored before the last round ended
    return Refined(families, starts, done)


def _round(
    work: str,
    local: LocalScore,
    lists: ParentLists,
    scored: Sequence[Family] | None,
    starts: np.ndarray | None,
    effort: Effort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
    checkpoint: Checkpoint,
) -> tuple[np.ndarray, np.ndarray]:
    """Search with families of the given lists, which may be scored already.

    Return claims to be a candidate (d, d), and the last states of the chains.
    """

    def families() -> Sequence[Family]:
        return lists.scored(local, workers) if scored is None else scored

    d = len(lists.candidates)
    variables = np.setdiff1d(np.arange(d), local.context)
    ordered = ScoredOrders(
        variables.size, lambda: all_order_scores(LeafTables.of(families(), workers)), origin_of_orders(local, lists)
    )
    ordered.prepared(deadline)
    ensemble = Ensemble.started(ordered, effort, seed, workers, starts, checkpoint)
    ensemble.burn_in(work, deadline.share(BURN_IN))
    drawn = ensemble.coldest_draws(WARM_CHAINS, DRAWS, deadline.share(DRAWING))
    orders = context_first(variables[drawn], d)
    edges = context_edges(orders, families(), workers) if local.context.size else np.zeros((d, d))
    edges[np.ix_(variables, variables)] = sampled_mean_edges(drawn, ordered, workers)
    return claims_of(edges, orders, local, workers), ensemble.ends


def claims_of(edges: np.ndarray, orders: np.ndarray, local: LocalScore, workers: Workers) -> np.ndarray:
    """Return claims to be a candidate (d, d), [cause, effect], given edge probabilities (d, d) and orders (m, d).

    The reverse of a probable edge counts a little, because it may be reversed in a longer search.
    """
    substitutes = substitute_claims(edges, orders, local, workers)
    return np.asarray(np.maximum(edges + WEIGHT_OF_REVERSED * edges.T, substitutes))


def _time_for_a_round(scoring: float, local: LocalScore, deadline: Deadline) -> bool:
    """Whether tables, substitutes and new scores take at most half of the time left; the rest is for the search."""
    if deadline.left == math.inf:
        return True
    return 2.0 * ((1.0 + LAYING_OUT) * scoring + substitute_seconds(local)) <= deadline.left
