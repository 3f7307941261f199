"""Chains from the target over DAGs to that over orders: neighbours swap, so that the first mixes as well as the last.

The first chains are over pairs of a DAG and an order (`pairs.py`), with exponents rho that fall from 1, where every DAG
counts once. Chains over orders alone follow: at rho = 0, and then at temperatures above 1. Their graphs differ from
those of the first chain by dozens of nats in the numbers of their orders, but every step on the way is small.

The gaps between all chains are adapted by the rates of swaps, as for temperatures (`chains/temperatures.py`): a run's
`betas` only say how wide they are, as differences of logarithms. `exponents_of` divides the way from rho = 1 to 0 in
proportion to the first of them; the others are those of temperatures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from orderspn.chains.run import Run
from orderspn.gadget.dags import dag_of
from orderspn.gadget.layers import layers_of_dag, make_layers
from orderspn.gadget.pairs import (
    draw_dag_along,
    log_probability_of,
    make_pair,
    move_order,
    redraw_parents,
    relocate,
    with_redrawn_order,
)
from orderspn.gadget.parent_draws import draw_parents
from orderspn.gadget.parent_scores import ParentScores
from orderspn.gadget.reversal import reverse_in_dag
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.search.order_scores import OrderScores

MOVES = ("relocation", "redrawn parents", "edge reversal")
RELOCATION, PARENTS, REVERSAL = range(3)

PER_PARENTS, PER_REVERSAL = 8, 2
"""Relocations for each other move; edges are reversed in the first chain alone."""

CURVATURE = 1.4
"""Exponents begin as `1 - x**CURVATURE` with x from 0 to 1: near 1 the probabilities of orders vary most."""


@dataclass(frozen=True, eq=False)
class LadderTransitions:
    """Moves of chains over pairs of a DAG and an order, and over orders.

    A state is an order and the numbers of parent sets, of a DAG that only counts for chains over pairs; what is drawn
    are the layers of a DAG.

    Attributes
    ----------
    parent_scores : ParentScores
        Scores of the parent sets.
    order_scores : OrderScores
        Scores of the orders of the same families.
    """

    parent_scores: ParentScores
    order_scores: OrderScores

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.parent_scores.n

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the kinds of moves."""
        return MOVES

    @property
    def moves_between_swaps(self) -> int:
        """Relocations of each chain between two swaps."""
        return max(PER_PARENTS, self.n)

    def start(self, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a state (2 n,): an order, which must be possible, and a DAG drawn given the order."""
        return np.concatenate([order, _parents_along(order, rng, self.parent_scores)])

    def layers(self, states: np.ndarray) -> np.ndarray:
        """Return layers of the DAGs of states (m, 2 n), shape (m, n)."""
        return np.stack([_layers_of(state, self.parent_scores) for state in states])

    def walk(self, run: Run, pieces: np.ndarray, draws: np.ndarray, log_scores: np.ndarray) -> None:
        """Continue the walk, as all `Transitions`; log scores are those of the layers."""
        rhos, betas = exponents_of(run.betas)
        scores = self.order_scores, self.parent_scores
        _walk(run.states, rhos, betas, pieces, run.rng, *scores, run.tally, run.swaps, draws, log_scores)


def exponents_of(betas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the exponents rho of chains over pairs, and inverse temperatures of those over orders.

    Half of the chains are over pairs, and one more if their number is odd.

    Examples
    --------
    >>> rhos, temperatures = exponents_of(np.array([1.0, 0.5, 0.25, 0.125]))
    >>> rhos.round(3).tolist(), temperatures.tolist()
    ([1.0, 0.621], [1.0, 0.5])
    """
    n_orders = betas.size // 2
    n_pairs = betas.size - n_orders
    if n_orders == 0:
        return np.ones(1), np.empty(0)
    way = np.log(betas[: n_pairs + 1])
    return 1.0 - (way[:-1] / way[-1]) ** CURVATURE, betas[n_pairs:] / betas[n_pairs]


@kernel
def _parents_along(order, rng, parent_scores):
    n = order.size
    place, parent_sets = np.empty(n, np.int64), np.empty(n, np.int64)
    for position in range(n):
        place[order[position]] = position
    for j in range(n):
        parent_sets[j] = draw_parents(j, place, place[j], False, rng, parent_scores)
    return parent_sets


@kernel
def _layers_of(state, parent_scores):
    dag = dag_of(state[state.size // 2 :], parent_scores)
    level = np.empty(dag.n_parents.size, np.int64)
    layers_of_dag(dag.parents, dag.n_parents, level)
    return level


@kernel
def _walk(ends, rhos, betas, pieces, rng, order_scores, parent_scores, tally, swaps, draws, log_scores):
    n_chains, n_pairs = ends.shape[0], rhos.size
    n = ends.shape[1] // 2
    chains = [make_pair(ends[t, :n], ends[t, n:], order_scores, parent_scores) for t in range(n_chains)]
    chain_at = np.arange(n_chains)
    # What swaps depend on: log probability of the order of a pair, and log mass of an order, by the place of the chain.
    log_probability, log_mass = np.zeros(n_chains), np.zeros(n_chains)
    for t in range(n_pairs):
        log_probability[t] = log_probability_of(chains[t])
    levels, no_gains = np.empty(n, np.int64), np.empty(0)
    turn = 0
    for draw in range(draws.shape[0]):
        for moves in pieces:
            for t in range(n_pairs):
                k = chain_at[t]
                log_probability[t] = _move_pair(
                    chains[k], rhos[t], log_probability[t], moves, levels, rng, order_scores, parent_scores, tally
                )
                chains[k], log_probability[t] = with_redrawn_order(
                    chains[k], rhos[t], log_probability[t], rng, order_scores
                )
            for t in range(n_pairs, n_chains):
                state = chains[chain_at[t]].state
                for _ in range(moves):
                    move_order(state, betas[t - n_pairs], rng, order_scores, no_gains)
                log_mass[t] = state.current.sum()
            if n_pairs < n_chains and (n_pairs - 1) % 2 == turn:
                log_probability[n_pairs] = _drawn_along(chains[chain_at[n_pairs]], rng, parent_scores)
            _swap(turn, chain_at, rhos, betas, log_probability, log_mass, swaps, rng)
            turn = 1 - turn
        for t in range(draws.shape[1]):
            pair = chains[chain_at[t]]
            if t >= n_pairs:
                draw_dag_along(pair, rng, parent_scores)
            layers_of_dag(pair.dag.parents, pair.dag.n_parents, draws[draw, t])
            log_scores[draw, t] = make_layers(draws[draw, t], parent_scores).log_mass.sum()
    for t in range(n_chains):
        pair = chains[chain_at[t]]
        copy_into(ends[t, :n], pair.state.order)
        copy_into(ends[t, n:], pair.dag.parent_sets)


@kernel
def _move_pair(pair, rho, log_probability, moves, levels, rng, order_scores, parent_scores, tally):
    """Make moves of a pair; return the log probability of its order, which means nothing at rho = 1.

    Moves are counted at rho = 1. There edges are reversed, too: the order may then be none of the DAG, and another must
    be drawn.
    """
    no_gains = np.empty(0)
    n_parents, n_reversals = -(-moves // PER_PARENTS), -(-moves // PER_REVERSAL)
    counts = 1 if rho == 1.0 else 0
    for _ in range(moves):
        accepted, log_probability = relocate(pair, rho, log_probability, rng, order_scores, parent_scores, no_gains)
        tally[RELOCATION, 1] += counts * accepted
    for _ in range(n_parents):
        accepted, log_probability = redraw_parents(pair, rho, log_probability, rng, parent_scores)
        tally[PARENTS, 1] += counts * accepted
    tally[RELOCATION, 0] += counts * moves
    tally[PARENTS, 0] += counts * n_parents
    if rho == 1.0:
        for _ in range(n_reversals):
            tally[REVERSAL, 1] += reverse_in_dag(pair.dag, levels, rng, parent_scores)
        tally[REVERSAL, 0] += n_reversals
    return log_probability


@kernel
def _swap(first, chain_at, rhos, betas, log_probability, log_mass, swaps, rng):
    """Propose swaps of neighbours as `chains.temperatures.swap_neighbours`, by what each pair of them differs in."""
    n_pairs = rhos.size
    for t in range(first, chain_at.size - 1, 2):
        if t < n_pairs:
            rho = rhos[t + 1] if t + 1 < n_pairs else 0.0
            log_ratio = (rhos[t] - rho) * (log_probability[t + 1] - log_probability[t])
        else:
            log_ratio = (betas[t - n_pairs] - betas[t + 1 - n_pairs]) * (log_mass[t + 1] - log_mass[t])
        swaps[t, 0] += 1
        if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
            swaps[t, 1] += 1
            chain_at[t], chain_at[t + 1] = chain_at[t + 1], chain_at[t]
            log_probability[t], log_probability[t + 1] = log_probability[t + 1], log_probability[t]


@kernel
def _drawn_along(pair, rng, parent_scores):
    """Draw a DAG given the order; return the log probability of the order."""
    draw_dag_along(pair, rng, parent_scores)
    return log_probability_of(pair)
