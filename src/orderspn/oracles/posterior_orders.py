"""Orders from the posterior of a question, by Markov chains: to check a circuit against, not to build one."""

from __future__ import annotations

import numpy as np

from orderspn.oracles.order_mcmc import BURN_IN, Chains
from orderspn.oracles.protocol import Question

N_CHAINS, RELOCATION_SHARE = 8, 0.8
MOVES_APART = 5
"""Moves between two orders, times the square of the number of variables: about their autocorrelation time."""


def posterior_orders(question: Question, n_orders: int, rng: np.random.Generator) -> np.ndarray:
    """Draw orders of a question's variables, far apart on chains from many starts, as variables (n_orders, n)."""
    n = int(question.variables.size)
    chains = Chains.started(question, N_CHAINS, RELOCATION_SHARE, BURN_IN * n**2, rng)
    orders, _ = chains.walk(n_orders, MOVES_APART * n**2)
    return question.variables[orders]
