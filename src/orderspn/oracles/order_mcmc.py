"""Order MCMC: partitions of the orders that tempered Metropolis chains visit.

A run walks over the orders of S_2, S_1 being before, with stationary distribution in proportion to the product of the
leaf masses `tau_j(S_1 + predecessors of j)`; see `search/tempering.py`. A partition is the first half of an order.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.oracles.completion import complete, rank_by_visits
from orderspn.oracles.partitions import gather, once_each, split_orders
from orderspn.oracles.protocol import Proposal, Question
from orderspn.search.ensemble import STUCK_BELOW
from orderspn.search.landscape import Landscape, landscape_of
from orderspn.search.starting import good_order, possible_order
from orderspn.search.tempering import ADJACENT, RELOCATION, Run

STEPS, BURN_IN = 200, 100
"""Moves of a chain by default, times the square of the number of variables."""

BURN_IN_SEGMENTS, BURN_IN_LOOKS = 5, 8
"""After how many pieces of the burn-in temperatures are adapted, and looks at the chain in each."""

FURTHER_ROUNDS = 3
"""How often a run that saw too few different partitions walks on for as long again."""


@dataclass(frozen=True)
class OrderMCMC:
    """Partitions of orders visited by tempered Metropolis chains.

    Draws with repetition are `count` orders evenly spaced along the runs. Distinct partitions are those most
    frequently visited; if a concentrated posterior shows too few of them, they are joined by the best of those that
    differ by the exchange of two variables, then of those that differ from these, and so on.

    Parameters
    ----------
    steps : int, optional
        Moves over which the chains are observed; by default `200 n**2` for n variables. They walk on for longer where
        `count` draws, `thin` moves apart, need more, or too few distinct partitions were seen.
    burn_in : int, optional
        Moves before that; by default `100 n**2`.
    thin : int, optional
        Moves between two observed orders; by default n. Draws with repetition are at least this far apart.
    relocation_share : float
        How many of the moves are relocations; the others are adjacent.
    chains : int
        Independent runs that burn in, the first from a good order, the others from random ones. Those whose mean log
        score stays more than 10 below the best are stuck in a worse region and dropped; the others share the work.
    temperatures : int
        Chains of each run: flatter ones help the one that samples the posterior across valleys.
    """

    steps: int | None = None
    burn_in: int | None = None
    thin: int | None = None
    relocation_share: float = 0.8
    chains: int = 2
    temperatures: int = 4

    def __post_init__(self) -> None:
        check_integer("chains", self.chains, 1)
        check_integer("temperatures", self.temperatures, 1)
        for name, minimum in (("steps", 1), ("burn_in", 0), ("thin", 1)):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), minimum)
        _check_share(self.relocation_share)

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        n = int(question.variables.size)
        steps = STEPS * n**2 if self.steps is None else self.steps
        thin = n if self.thin is None else self.thin
        burn_in = BURN_IN * n**2 if self.burn_in is None else self.burn_in
        runs = Runs.started(question, self.chains, self.temperatures, self.relocation_share, burn_in, rng)
        if distinct:
            wanted = min(count, question.n_partitions)
            visited = _observe(runs, wanted, max(1, steps // thin), thin)
            orders = complete(visited, runs.landscape, wanted)
            return once_each(split_orders(orders), runs.info(len(visited)))
        orders, _ = runs.walk(count, max(thin, steps // count))
        proposal = gather(split_orders(orders))
        proposal.info.update(runs.info(len(proposal.first)))
        return proposal

    def settings(self) -> dict[str, Any]:
        """Name and parameters, as JSON values."""
        return {
            "name": "order-mcmc",
            "steps": self.steps,
            "burn_in": self.burn_in,
            "thin": self.thin,
            "relocation_share": self.relocation_share,
            "chains": self.chains,
            "temperatures": self.temperatures,
        }


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs from different starts, of which those that found the best region share the work."""

    kept: tuple[Run, ...]
    n_started: int
    gap: float  # how far the mean log score of the worst run was below that of the best

    @classmethod
    def started(
        cls,
        question: Question,
        n_runs: int,
        n_temperatures: int,
        relocation_share: float,
        burn_in: int,
        rng: np.random.Generator,
    ) -> Runs:
        """Burn in runs, the first from a good order, the others from random ones; keep the best."""
        landscape = landscape_of(question.tables, question.before, question.variables)
        runs, means = [], []
        for number in range(n_runs):
            drawn = [rng.permutation(landscape.n) for _ in range(n_temperatures)]
            starts = np.stack([possible_order(order, landscape) for order in drawn])
            best = good_order(landscape) if number == 0 else None
            if best is not None:
                starts[0] = best
            run = Run(landscape, starts, relocation_share, rng)
            moves = burn_in // (BURN_IN_SEGMENTS * BURN_IN_LOOKS)
            for _ in range(BURN_IN_SEGMENTS):
                log_scores = run.burn_in(BURN_IN_LOOKS, moves)
            runs.append(run)
            means.append(log_scores.mean())
        kept = [run for run, mean in zip(runs, means, strict=True) if mean >= max(means) - STUCK_BELOW]
        return cls(tuple(kept), n_runs, float(max(means) - min(means)))

    @property
    def landscape(self) -> Landscape:
        """What all runs walk over."""
        return self.kept[0].landscape

    def walk(self, looks: int, thin: int) -> tuple[np.ndarray, np.ndarray]:
        """Walk on with all runs, so that together they look `looks` times."""
        shares = [looks // len(self.kept) + (i < looks % len(self.kept)) for i in range(len(self.kept))]
        walks = [run.walk(share, thin) for run, share in zip(self.kept, shares, strict=True) if share]
        return np.concatenate([orders for orders, _ in walks]), np.concatenate([scores for _, scores in walks])

    def info(self, distinct: int) -> dict[str, float]:
        """Acceptance rates (0 for moves never tried), partitions seen, runs kept, and how far they were apart."""
        tally = np.sum([run.tally for run in self.kept], axis=0)
        tried, accepted = tally.sum(axis=0)
        rates = tally[:, 1] / np.maximum(tally[:, 0], 1)
        return {
            "acceptance": float(accepted / max(tried, 1)),
            "acceptance_adjacent": float(rates[ADJACENT]),
            "acceptance_relocation": float(rates[RELOCATION]),
            "distinct": float(distinct),
            "chains_kept": len(self.kept) / self.n_started,
            "score_gap": self.gap,
        }


def _check_share(share: object) -> None:
    if isinstance(share, bool) or not isinstance(share, numbers.Real):
        raise InvalidType(f"relocation_share must be a number from 0 to 1; got {share!r}.")
    if not 0.0 <= float(share) <= 1.0:
        raise InvalidValue(f"relocation_share must be a number from 0 to 1; got {share}.")


def _observe(runs: Runs, count: int, looks: int, thin: int) -> np.ndarray:
    """Orders of different partitions, the most frequently visited first, shape (m, n).

    The runs walk on while they have seen fewer than `count` partitions, but not for ever.
    """
    orders, log_scores = runs.walk(looks, thin)
    visited = rank_by_visits(orders, log_scores)
    for _ in range(FURTHER_ROUNDS):
        if len(visited) >= count:
            break
        more_orders, more_log_scores = runs.walk(looks, thin)
        orders, log_scores = np.concatenate([orders, more_orders]), np.concatenate([log_scores, more_log_scores])
        visited = rank_by_visits(orders, log_scores)
    return visited
