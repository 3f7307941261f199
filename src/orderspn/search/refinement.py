"""Candidates refined with sampled orders.

Forward selection without an order takes a variable's children for its best parents. With orders sampled by a short
search the model itself says who the parents are: every edge has a probability, outsiders included, which enter and
leave the candidates by it. Edges in the other direction count a little, for they may turn in a longer search, and so do
those that would take the place of a parent when they do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from orderspn.core.deadline import Deadline, now
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.scoring import score_families
from orderspn.leaves.tables import LeafTables
from orderspn.parents.outsiders import choose_outsiders
from orderspn.scores.local import LocalScore
from orderspn.scores.parent_rules import ParentRules
from orderspn.search.ensemble import Effort, Ensemble
from orderspn.search.landscape import landscape_of_all
from orderspn.search.order_edges import edges_given_orders
from orderspn.search.substitutes import substitute_claims, substitute_seconds

WEIGHT_OF_REVERSED = 0.1
"""What the probability of j -> k adds to the claim of k to be a candidate of j."""

WARM_CHAINS = 4
"""Temperatures whose orders are asked: warmer ones than the posterior's show what else is plausible."""

LOOKS = 25
"""Orders taken of each of them."""

LAYING_OUT = 2.0
"""What the tables of a search take, as a multiple of the time that their scores took; rather too much."""

WALKING, LOOKING = 0.4, 0.5
"""Parts of what is left of a round for its burn-in, and of what is left then for orders."""


@dataclass(frozen=True, eq=False)
class Refined:
    """Families whose candidates were refined, and where the chains of the last round ended."""

    families: list[Family]
    starts: np.ndarray | None  # (runs, temperatures, d)
    rounds: int


def refine(
    local: LocalScore,
    candidates: Sequence[np.ndarray],
    at_once: int,
    most_outsiders: int | None,
    rounds: int,
    effort: Effort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> Refined:
    """Search, choose candidates by what was found, and again; no round begins that would not end by the deadline."""
    short = replace(effort, burn_in=max(1, effort.burn_in // 4))
    starts: np.ndarray | None = None
    families: list[Family] = []
    for done in range(rounds + 1):
        families.clear()  # so that none are there twice
        begin = now()
        outsiders = choose_outsiders(local, candidates, at_once, most_outsiders)
        families = score_families(local, candidates, workers, outsiders)
        scoring = now() - begin
        if done == rounds or deadline.passed or not _time_for_a_round(scoring, local, deadline):
            break
        work = f"candidates, round {done + 1}"
        own = seed.spawn(1)[0]
        candidates, starts = _round(work, local, families, starts, short, own, workers, deadline.before(scoring))
    return Refined(families, starts, done)


def _round(
    work: str,
    local: LocalScore,
    families: Sequence[Family],
    starts: np.ndarray | None,
    effort: Effort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> tuple[list[np.ndarray], np.ndarray]:
    """Search with some candidates; as many others of each variable, and where the chains ended."""
    landscape = landscape_of_all(LeafTables.of(families, workers))
    ensemble = Ensemble.started(landscape, effort, seed, workers, starts)
    ensemble.burn_in(work, deadline.share(WALKING))
    orders = ensemble.look_around(WARM_CHAINS, LOOKS, deadline.share(LOOKING))
    edges = edges_given_orders(orders, landscape, workers).mean(axis=0)
    claims = substitute_claims(edges, orders, local, workers)
    sizes = [family.candidates.size for family in families]
    return _most_probable(edges, claims, local.rules, sizes), ensemble.ends


def _time_for_a_round(scoring: float, local: LocalScore, deadline: Deadline) -> bool:
    """Whether tables, substitutes and new scores take at most half of what is left, so that there is a search."""
    if deadline.left == math.inf:
        return True
    return 2.0 * ((1.0 + LAYING_OUT) * scoring + substitute_seconds(local)) <= deadline.left


def _most_probable(
    edges: np.ndarray, substitutes: np.ndarray, rules: ParentRules, sizes: Sequence[int]
) -> list[np.ndarray]:
    """As many candidates as before, those with the highest claims among those that may be; ties go to the first."""
    claims = np.maximum(edges + WEIGHT_OF_REVERSED * edges.T, substitutes)
    claims[~rules.allowed], claims[rules.required] = -1.0, np.inf
    return [np.sort(np.argsort(-claims[:, j], kind="stable")[:size]) for j, size in enumerate(sizes)]
