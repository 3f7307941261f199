"""Orders from the posterior of a question, by Markov chains: to check a circuit against, not to build one."""

from __future__ import annotations

import numpy as np

from orderspn.oracles.order_mcmc import BURN_IN, OrderMCMC, Runs
from orderspn.oracles.protocol import Question

N_RUNS = 4
SWEEPS_APART = 20
"""Moves between two orders, times the number of variables: about their autocorrelation time."""


def posterior_orders(question: Question, n_orders: int, rng: np.random.Generator) -> np.ndarray:
    """Draw orders of a question's variables, far apart on runs from different starts, as variables (n_orders, n)."""
    n = int(question.variables.size)
    usual = OrderMCMC()
    runs = Runs.started(question, N_RUNS, usual.temperatures, usual.relocation_share, BURN_IN * n**2, rng)
    orders, _ = runs.walk(n_orders, SWEEPS_APART * n)
    return question.variables[orders]
