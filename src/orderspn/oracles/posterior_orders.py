"""Orders from the posterior of a question, by a Markov chain: to check a circuit against, not to build one."""

from __future__ import annotations

import numpy as np

from orderspn.oracles.order_mcmc import BURN_IN, Chain
from orderspn.oracles.protocol import Question

RELOCATION_SHARE = 0.8
MOVES_APART = 5
"""Moves between two orders, times the square of the number of variables: about their autocorrelation time."""


def posterior_orders(question: Question, n_orders: int, rng: np.random.Generator) -> np.ndarray:
    """Draw orders of a question's variables, far apart on the chain, as indices of variables, shape (n_orders, n)."""
    n = int(question.variables.size)
    chain = Chain(question, RELOCATION_SHARE, rng)
    chain.walk(1, BURN_IN * n**2)
    orders, _ = chain.walk(n_orders, MOVES_APART * n**2)
    return question.variables[orders]
