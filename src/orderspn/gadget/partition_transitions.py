"""Chains over ordered partitions: five kinds of Metropolis moves, and the compiled loop that makes them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from orderspn.chains.run import Run
from orderspn.chains.temperatures import swap_neighbours
from orderspn.gadget.dags import empty_dag, layers_along
from orderspn.gadget.layers import accept, gain_of, make_layers
from orderspn.gadget.moves import IMPOSSIBLE, propose_exchange, propose_relocation, propose_split_or_merge
from orderspn.gadget.order_walk import walk_along_order
from orderspn.gadget.parent_scores import ParentScores
from orderspn.gadget.reversal import reverse_edges
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel

MOVES = ("split or merge", "exchange", "relocation", "edge reversal", "order walk")
SPLIT_OR_MERGE, EXCHANGE, RELOCATION, REVERSAL, ORDER_WALK = range(5)

SHARES = (0.2, 0.1, 0.2, 0.2, 0.3)
"""Share of each kind among the moves."""

BUNCH = 32
"""Moves between DAGs are made in bunches that begin with the same DAG, because drawing a DAG costs more than a move."""


@dataclass(frozen=True, eq=False)
class PartitionTransitions:
    """Moves over ordered partitions; a state is the layer of each variable.

    Attributes
    ----------
    parent_scores : ParentScores
        Scores of the parent sets.
    shares : tuple of float
        Share of each kind among the moves, in the order of `MOVES`.
    """

    parent_scores: ParentScores
    shares: tuple[float, ...] = SHARES

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
        """Moves of each chain between two swaps."""
        return max(1, self.n // 2)

    def start(self, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the layers (n,) of a DAG drawn given an order, which must be possible."""
        levels: np.ndarray = layers_along(order, rng, self.parent_scores)
        return levels

    def layers(self, states: np.ndarray) -> np.ndarray:
        """Return the states: they are layers."""
        return states

    def walk(self, run: Run, pieces: np.ndarray, draws: np.ndarray, log_scores: np.ndarray) -> None:
        """Continue the walk, as all `Transitions`."""
        shares = np.cumsum(self.shares)
        counts = run.tally, run.swaps
        _walk(run.states, run.betas, pieces, shares, run.rng, self.parent_scores, *counts, draws, log_scores)


@kernel
def _walk(ends, betas, pieces, shares, rng, parent_scores, tally, swaps, draws, log_scores):
    n_chains = ends.shape[0]
    chains = [make_layers(ends[t], parent_scores) for t in range(n_chains)]
    dag = empty_dag(parent_scores)
    chain_at = np.arange(n_chains)
    current = np.empty(n_chains)  # log score at each temperature
    for t in range(n_chains):
        current[t] = chains[t].log_mass.sum()
    ahead = np.zeros(n_chains, np.int64)  # moves made beyond the pieces so far, since some come in bunches
    turn = 0
    for draw in range(draws.shape[0]):
        for moves in pieces:
            for t in range(n_chains):
                state = chains[chain_at[t]]
                ahead[t] = _make_moves(
                    state, dag, betas[t], moves - ahead[t], shares, rng, parent_scores, tally, t == 0
                )
                current[t] = state.log_mass.sum()
            swap_neighbours(turn, chain_at, current, betas, swaps, rng)
            turn = 1 - turn
        for t in range(draws.shape[1]):
            copy_into(draws[draw, t], chains[chain_at[t]].level)
            log_scores[draw, t] = current[t]
    for t in range(n_chains):
        copy_into(ends[t], chains[chain_at[t]].level)


@kernel
def _make_moves(state, dag, beta, moves, shares, rng, parent_scores, tally, counts):
    """Make at least `moves` moves at one temperature; return how many more. They are counted if `counts`."""
    done = 0
    while done < moves:
        kind = 0
        uniform = rng.random() * shares[-1]
        while uniform >= shares[kind]:
            kind += 1
        if kind >= REVERSAL:
            # A bunch is made once in `BUNCH` times, to keep its share of the moves.
            if rng.random() * BUNCH >= 1.0:
                continue
            count, accepted = BUNCH, _propose_dags(kind, state, dag, beta, rng, parent_scores)
        else:
            count, accepted = 1, _propose(kind, state, beta, rng, parent_scores)
        done += count
        if counts:
            tally[kind, 0] += count
            tally[kind, 1] += accepted
    return done - moves


@kernel
def _propose(kind, state, beta, rng, parent_scores):
    """Propose one move between partitions; return whether it was accepted."""
    if kind == SPLIT_OR_MERGE:
        first, last, log_ratio = propose_split_or_merge(state, rng)
    elif kind == EXCHANGE:
        first, last, log_ratio = propose_exchange(state, rng)
    else:
        first, last, log_ratio = propose_relocation(state, rng)
    if first == IMPOSSIBLE:
        return 0
    log_ratio += beta * gain_of(first, last, state, parent_scores)
    if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
        accept(state)
        return 1
    return 0


@kernel
def _propose_dags(kind, state, dag, beta, rng, parent_scores):
    """Propose a bunch of moves between DAGs; return the number accepted."""
    if kind == REVERSAL:
        return reverse_edges(state, dag, BUNCH, beta, rng, parent_scores)
    return walk_along_order(state, dag, BUNCH, beta, rng, parent_scores)
