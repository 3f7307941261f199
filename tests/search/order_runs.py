"""Runs over the orders of a block."""

import numpy as np

from orderspn.chains.run import Run
from orderspn.search.order_transitions import OrderTransitions
from orderspn.search.scored_orders import ScoredOrders
from search.order_scores import random_orders


def order_run(block, starts, seed=0):
    """From given orders (temperatures, n)."""
    return Run(OrderTransitions(ScoredOrders.known(block.order_scores)), starts, np.random.default_rng(seed))


def start_run(block, n_chains=1, seed=0, betas=None):
    """From random orders."""
    run = order_run(block, random_orders(block, n_chains, seed), seed)
    if betas is not None:
        run.betas = np.array(betas)
    return run
