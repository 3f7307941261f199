"""Order MCMC: partitions of the orders that tempered Metropolis chains visit.

Chains over the orders of S_2, with S_1 before, have a stationary distribution in proportion to the product of the leaf
masses `tau_j(S_1 + predecessors of j)`; see `search/order_transitions.py`. A partition is the first half of an order.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from orderspn.chains.run import Run, acceptance_rates
from orderspn.chains.runs import BurnIn, Runs
from orderspn.chains.sample import kept_runs
from orderspn.core.arguments import check_integer
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import seed_sequence
from orderspn.core.workers import Workers
from orderspn.oracles.completion import complete, rank_by_visits
from orderspn.oracles.partitions import evenly_spaced, gather, once_each, split_orders
from orderspn.oracles.protocol import Proposal, Question
from orderspn.search.order_scores import OrderScores, order_scores_of
from orderspn.search.order_transitions import OrderTransitions
from orderspn.search.scored_orders import ScoredOrders
from orderspn.search.starting import good_order, possible_order

STEPS, BURN_IN = 200, 100
"""Moves of a chain by default, times the square of the number of variables."""

SEGMENTS, DRAWS_PER_SEGMENT = 5, 8
"""Segments of the burn-in, and log scores recorded in each."""

FURTHER_ROUNDS = 3
"""Number of times that runs with too few different partitions are continued for the same length."""


@dataclass(frozen=True)
class OrderMCMC:
    """Partitions of orders visited by tempered Metropolis chains.

    Draws with repetition are `count` orders evenly spaced along the runs. Distinct partitions are the most frequent
    ones. If a concentrated posterior shows too few of them, the best of those that differ by the exchange of two
    variables are added, then of those that differ from these, and so on.

    Parameters
    ----------
    steps : int, optional
        Moves after the burn-in, of all runs together; by default `200 n**2` for n variables. There are more if
        `count` draws, `thin` moves apart, need more, or if too few distinct partitions were visited.
    burn_in : int, optional
        Moves of each chain in the burn-in; by default `100 n**2`.
    thin : int, optional
        Moves between two draws; by default n. Draws with repetition are at least this far apart.
    chains : int
        Independent runs that burn in, the first from a good order, the others from random ones. Those whose mean log
        score is more than 10 below the best at the end of the burn-in are stuck in a worse region and dropped; the
        others share the work.
    temperatures : int
        Chains of each run: hotter ones help the one that samples the posterior across valleys.
    """

    steps: int | None = None
    burn_in: int | None = None
    thin: int | None = None
    chains: int = 2
    temperatures: int = 4

    def __post_init__(self) -> None:
        check_integer("chains", self.chains, 1)
        check_integer("temperatures", self.temperatures, 1)
        for name, minimum in (("steps", 1), ("burn_in", 0), ("thin", 1)):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), minimum)

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        order_scores = order_scores_of(question.tables, question.before, question.variables)
        steps = STEPS * order_scores.n**2 if self.steps is None else self.steps
        thin = order_scores.n if self.thin is None else self.thin
        runs, means = self.burnt_in(order_scores, seed_sequence(rng))
        if distinct:
            wanted = min(count, question.n_partitions)
            visited = _visited(runs, wanted, max(1, steps // thin), thin)
            orders = complete(visited, order_scores, wanted)
            return once_each(split_orders(orders), _info(runs, means, len(visited)))
        # Of each run the same number of draws, which may be more than `count` in all.
        in_all = -(-count // len(runs)) * len(runs)
        orders, _ = _draw(runs, in_all, max(thin, steps // in_all))
        proposal = gather(split_orders(orders[evenly_spaced(len(orders), count)]))
        proposal.info.update(_info(runs, means, len(proposal.first)))
        return proposal

    def settings(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON values."""
        return {"name": "order-mcmc", **asdict(self)}

    def burnt_in(self, order_scores: OrderScores, seed: np.random.SeedSequence) -> tuple[Runs, np.ndarray]:
        """Return runs after the burn-in, without those stuck below the best, and mean log scores (all runs,)."""
        transitions = OrderTransitions(ScoredOrders.known(order_scores))

        def start(number: int, rng: np.random.Generator) -> Run:
            drawn = [rng.permutation(order_scores.n) for _ in range(self.temperatures)]
            orders = np.stack([possible_order(order, order_scores) for order in drawn])
            if number == 0 and (best := good_order(order_scores)) is not None:
                orders[0] = best
            return Run(transitions, orders, rng)

        moves = BURN_IN * order_scores.n**2 if self.burn_in is None else self.burn_in
        length = BurnIn(SEGMENTS, DRAWS_PER_SEGMENT, moves // (SEGMENTS * DRAWS_PER_SEGMENT))
        # One thread, because the many questions of a circuit are distributed among threads.
        runs = Runs.started(start, self.chains, seed, Workers())
        means = runs.burn_in(length, "burn-in", Deadline())[:, -DRAWS_PER_SEGMENT:].mean(axis=1)
        return runs.only(kept_runs(means)), means


def _draw(runs: Runs, count: int, moves_per_draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Return at least `count` draws of all runs, the same number of each: orders (m, n) and log scores (m,)."""
    orders, log_scores = runs.draw(-(-count // len(runs)), moves_per_draw, "orders", Deadline())
    return orders.reshape(-1, orders.shape[2]), log_scores.ravel()


def _visited(runs: Runs, wanted: int, count: int, thin: int) -> np.ndarray:
    """Return orders of different partitions, the most frequently visited first, shape (m, n).

    The runs continue while they have visited fewer partitions than wanted, up to `FURTHER_ROUNDS` times.
    """
    orders, log_scores = _draw(runs, count, thin)
    visited = rank_by_visits(orders, log_scores)
    for _ in range(FURTHER_ROUNDS):
        if len(visited) >= wanted:
            break
        more_orders, more_log_scores = _draw(runs, count, thin)
        orders, log_scores = np.concatenate([orders, more_orders]), np.concatenate([log_scores, more_log_scores])
        visited = rank_by_visits(orders, log_scores)
    return visited


def _info(runs: Runs, means: np.ndarray, distinct: int) -> dict[str, float]:
    """Return acceptance rates (0 without proposals), numbers of partitions and runs, and the gap between runs."""
    return {
        "acceptance": float(acceptance_rates(runs.tally.sum(axis=0, keepdims=True))[0]),
        "distinct": float(distinct),
        "chains_kept": len(runs) / means.size,
        "score_gap": float(means.max() - means.min()),
    }
