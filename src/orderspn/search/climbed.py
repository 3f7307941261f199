"""The beginning of a search: orders of good graphs, which climbs find without any candidates, and first candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.checkpoints.part import Part
from orderspn.climbing.iterated import climb_all
from orderspn.climbing.terms import climb_terms
from orderspn.core.deadline import Deadline
from orderspn.core.workers import Workers
from orderspn.leaves.context import context_first
from orderspn.parents.allotment import Allotment
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import NO_VARIABLES
from orderspn.search.refinement import claims_of
from orderspn.search.selections import selection_claims

RESTARTS = 20
"""Times that each climb is disturbed and climbs again."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """Candidates of each variable, and states of chains to begin with."""

    candidates: list[np.ndarray]
    starts: np.ndarray  # (runs, temperatures, n)


def can_climb(local: LocalScore) -> bool:
    """Whether climbs take little time: they are compiled for BGe and BIC only."""
    return climb_terms(local) is not None


def climbed_beginning(
    local: LocalScore,
    allotment: Allotment,
    runs: int,
    temperatures: int,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
    checkpoint: Checkpoint = NOT_KEPT,
    always: np.ndarray = NO_VARIABLES,
) -> Beginning:
    """Climb once for each run; all of its chains begin with the order that the climb ended at."""
    stage = workers.stage("climbing")
    kept = checkpoint.found("climbs")
    if kept is None:
        climbs = climb_all(local, runs, RESTARTS, seed, workers, deadline)
        orders, graphs = np.stack([own.order for own in climbs]), np.stack([own.graph for own in climbs])
        checkpoint.keep("climbs", Part({"orders": orders, "graphs": graphs}))
    else:
        orders, graphs = kept.arrays["orders"], kept.arrays["graphs"]
    d = local.log_prior.size
    of_graphs = claims_of(graphs.mean(axis=0), context_first(orders, d), local, workers)
    claims = np.maximum(of_graphs, selection_claims(local, workers))
    claims[always] = np.inf
    explained = np.setdiff1d(np.arange(d), local.context)
    places = np.searchsorted(explained, orders)
    stage.done("%d climbs of %d restarts", runs, RESTARTS)
    return Beginning(allotment.choose(claims, local.rules), np.repeat(places[:, None], temperatures, axis=1))
