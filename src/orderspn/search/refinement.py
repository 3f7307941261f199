"""Candidates refined with sampled orders.

Forward selection without an order takes a variable's children for its best parents. With orders sampled by a short
search the model itself says who the parents are: every edge has a probability, outsiders included, which enter and
leave the candidates by it. Edges in the other direction count a little, for they may turn in a longer search, and so do
those that would take the place of a parent when they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from orderspn.core.deadline import Deadline
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
from orderspn.search.substitutes import substitute_claims

WEIGHT_OF_REVERSED = 0.1
"""What the probability of j -> k adds to the claim of k to be a candidate of j."""

WARM_CHAINS = 4
"""Temperatures whose orders are asked: warmer ones than the posterior's show what else is plausible."""

LOOKS = 25
"""Orders taken of each of them."""


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
    """Search, choose candidates by what was found, and again."""
    short = replace(effort, burn_in=max(1, effort.burn_in // 4))
    starts: np.ndarray | None = None
    for done in range(rounds + 1):
        outsiders = choose_outsiders(local, candidates, at_once, most_outsiders)
        families = score_families(local, candidates, workers, outsiders)
        if done == rounds or deadline.passed:
            break
        landscape = landscape_of_all(LeafTables.of(families, workers))
        ensemble = Ensemble.started(landscape, short, seed.spawn(1)[0], workers, starts)
        ensemble.burn_in(f"candidates, round {done + 1}", deadline)
        orders = ensemble.look_around(WARM_CHAINS, LOOKS)
        edges = edges_given_orders(orders, landscape, workers).mean(axis=0)
        candidates = _most_probable(
            edges, substitute_claims(edges, orders, local, workers), local.rules, [causes.size for causes in candidates]
        )
        starts = ensemble.ends
    return Refined(families, starts, done)


def _most_probable(
    edges: np.ndarray, substitutes: np.ndarray, rules: ParentRules, sizes: Sequence[int]
) -> list[np.ndarray]:
    """As many candidates as before, those with the highest claims among those that may be; ties go to the first."""
    claims = np.maximum(edges + WEIGHT_OF_REVERSED * edges.T, substitutes)
    claims[~rules.allowed], claims[rules.required] = -1.0, np.inf
    return [np.sort(np.argsort(-claims[:, j], kind="stable")[:size]) for j, size in enumerate(sizes)]
