"""One run of partition MCMC: Metropolis chains at several temperatures that exchange their partitions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from orderspn.gadget.dags import empty_dag
from orderspn.gadget.layers import accept, gain_of, make_layers
from orderspn.gadget.moves import IMPOSSIBLE, propose_exchange, propose_relocation, propose_split_or_merge
from orderspn.gadget.order_walk import walk_along_order
from orderspn.gadget.reversal import reverse_edges
from orderspn.gadget.terrain import Terrain
from orderspn.search.temperatures import TemperedRun

MOVES = ("split or merge", "exchange", "relocation", "edge reversal", "order walk")
SPLIT_OR_MERGE, EXCHANGE, RELOCATION, REVERSAL, ORDER_WALK = range(5)

SHARES = (0.2, 0.1, 0.2, 0.2, 0.3)
"""How many of the moves are of each kind."""

BUNCH = 32
"""Moves between DAGs that begin with the same one, for to draw it costs more than to try them."""


@dataclass(eq=False)
class PartitionRun(TemperedRun):
    """Tempered chains over the ordered partitions of one terrain.

    Attributes
    ----------
    terrain : Terrain
    starts : numpy.ndarray
        Shape (temperatures, n): layers of the variables that the chains begin with.
    rng : numpy.random.Generator
    shares : sequence of float
        How many of the moves are of each kind.
    """

    terrain: Terrain
    starts: np.ndarray
    rng: np.random.Generator
    shares: tuple[float, ...] = SHARES
    levels: np.ndarray = field(init=False)  # (temperatures, n): where the chains are

    def __post_init__(self) -> None:
        self.begin(len(self.starts), self.terrain.n, len(MOVES))
        self.levels = self.starts.copy()

    def walk(self, looks: int, moves: int) -> tuple[np.ndarray, np.ndarray]:
        """Walk on, looking after every `moves` of each chain: layers (looks, n) and log scores (looks,) at 1."""
        levels = np.empty((looks, self.terrain.n), dtype=np.int64)
        log_scores = np.empty(looks)
        shares = np.cumsum(self.shares)
        counts = self.tally, self.swaps
        _walk(self.levels, self.betas, moves, shares, self.rng, self.terrain, *counts, levels, log_scores)
        return levels, log_scores


@njit(cache=True, nogil=True)
def _walk(ends, betas, moves, shares, rng, terrain, tally, swaps, levels, log_scores):
    n_chains, n = ends.shape
    chains = [make_layers(ends[c], terrain) for c in range(n_chains)]
    dag = empty_dag(terrain)
    at = np.arange(n_chains)  # which chain is at which temperature
    between = max(1, n // 2)
    owed = np.zeros(n_chains, np.int64)  # moves that a chain made beyond its piece, for some come in bunches
    turn = 0
    for look in range(levels.shape[0]):
        done = 0
        while done < moves:
            piece = min(between, moves - done)
            for t in range(n_chains):
                owed[t] = _wander(chains[at[t]], dag, betas[t], piece - owed[t], shares, rng, terrain, tally, t == 0)
            done += piece
            # Even pairs and odd pairs by turns: a state on its way keeps its direction longer than with random pairs.
            for t in range(turn, n_chains - 1, 2):
                difference = chains[at[t + 1]].log_mass.sum() - chains[at[t]].log_mass.sum()
                log_ratio = (betas[t] - betas[t + 1]) * difference
                swaps[t, 0] += 1
                if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
                    at[t], at[t + 1] = at[t + 1], at[t]
                    swaps[t, 1] += 1
            turn = 1 - turn
        levels[look] = chains[at[0]].level
        log_scores[look] = chains[at[0]].log_mass.sum()
    for t in range(n_chains):
        ends[t] = chains[at[t]].level


@njit(cache=True, nogil=True)
def _wander(state, dag, beta, moves, shares, rng, terrain, tally, counts):
    """Make `moves` moves at one temperature; how many it made beyond, for some come in bunches."""
    done = 0
    while done < moves:
        kind = 0
        uniform = rng.random() * shares[-1]
        while uniform >= shares[kind]:
            kind += 1
        if kind >= REVERSAL:
            # Taken in its turn only, so that its share of the moves is what it should be.
            if rng.random() * BUNCH >= 1.0:
                continue
            count, accepted = BUNCH, _propose_dags(kind, state, dag, beta, rng, terrain)
        else:
            count, accepted = 1, _propose(kind, state, beta, rng, terrain)
        done += count
        if counts:
            tally[kind, 0] += count
            tally[kind, 1] += accepted
    return done - moves


@njit(cache=True, nogil=True)
def _propose(kind, state, beta, rng, terrain):
    """Try one move between partitions; whether it was accepted."""
    if kind == SPLIT_OR_MERGE:
        first, last, log_ratio = propose_split_or_merge(state, rng)
    elif kind == EXCHANGE:
        first, last, log_ratio = propose_exchange(state, rng)
    else:
        first, last, log_ratio = propose_relocation(state, rng)
    if first == IMPOSSIBLE:
        return 0
    log_ratio += beta * gain_of(first, last, state, terrain)
    if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
        accept(state)
        return 1
    return 0


@njit(cache=True, nogil=True)
def _propose_dags(kind, state, dag, beta, rng, terrain):
    """Try a bunch of moves between DAGs; how many were accepted."""
    if kind == REVERSAL:
        return reverse_edges(state, dag, BUNCH, beta, rng, terrain)
    return walk_along_order(state, dag, BUNCH, beta, rng, terrain)
