"""Chains over five numbers in a row, written without compiled code."""

import math

import numpy as np

from orderspn.chains.temperatures import swap_neighbours

TARGET = np.array([0.0, -2.5, -1.0, -2.5, 0.5])
"""Log score of each number."""


class PlainTransitions:
    """A step to the left or to the right; where there is no neighbour the chain stays."""

    n = 1
    kinds = ("left", "right")
    moves_between_swaps = 2

    def walk(self, run, pieces, draws, log_scores):
        states = run.states[:, 0].tolist()
        chain_at, turn = np.arange(len(states)), 0
        for i in range(len(draws)):
            for moves in pieces.tolist():
                for t in range(len(states)):
                    for _ in range(moves):
                        states[chain_at[t]] = self.moved(states[chain_at[t]], run, t)
                current = np.array([TARGET[states[c]] for c in chain_at])
                swap_neighbours(turn, chain_at, current, run.betas, run.swaps, run.rng)
                turn = 1 - turn
            draws[i, :, 0] = [states[c] for c in chain_at[: draws.shape[1]]]
            log_scores[i] = TARGET[draws[i, :, 0]]
        run.states[:, 0] = [states[c] for c in chain_at]

    def moved(self, state, run, t):
        kind = int(run.rng.random() < 0.5)
        new = state + 2 * kind - 1
        accepted = 0 <= new < TARGET.size and run.rng.random() < math.exp(
            min(0.0, run.betas[t] * (TARGET[new] - TARGET[state]))
        )
        if t == 0:
            run.tally[kind] += [1, accepted]
        return new if accepted else state
