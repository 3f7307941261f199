"""Monte Carlo standard errors of the answers of a circuit from sampled orders.

An error has two parts. The first is the standard error of a mean over the draws of Markov chains: that of their
influences on the answer (`circuit/influence.py`). It does not know about sets of orders that were never drawn, and is
too small where these matter. So the second part is a draw whose answer could be anything: uniform between 0 and 1, its
squared distance to the answer q is `1/3 - q (1 - q)` on average. It counts as half of a draw that satisfies the
evidence, as in Jeffreys' prior. `benchmarks/circuit_errors.md` shows that the errors are of the right size.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.chains.sample import LEAST_DRAWS
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.queries.precision import standard_errors

UNSEEN = 0.5
"""Number of draws, with any answer, that are counted besides those that were made."""


def event_error(orders: CircuitOrders, joint: CircuitOrders) -> float:
    """Return the standard error of the probability of an event, given the circuit without and with it.

    It is NaN without draws of chains.
    """
    if not _has_enough_draws(orders):
        return math.nan
    on_mass = orders.influences.on_log_mass()
    probability, influences = 0.0, np.zeros(on_mass.shape)
    if joint.log_mass > -math.inf:
        probability = min(1.0, math.exp(joint.log_mass - orders.log_mass))
        influences = probability * (joint.influences.on_log_mass() - on_mass)
    return float(_errors(np.array([probability]), influences[:, :, None], on_mass)[0])


def edge_errors(orders: CircuitOrders) -> np.ndarray:
    """Return the standard errors of all edge probabilities (d, d), [cause, effect], NaN without draws of chains."""
    d = len(orders.families)
    errors = np.full((d, d), np.nan)
    if _has_enough_draws(orders):
        on_mass = orders.influences.on_log_mass()

        def fill(effect: int, probabilities: np.ndarray, influences: np.ndarray) -> None:
            errors[:, effect] = _errors(probabilities, influences, on_mass)

        orders.each_edge_influence(fill)
    return errors


def _has_enough_draws(orders: CircuitOrders) -> bool:
    return orders.circuit.paths.shape[1] >= LEAST_DRAWS


def _errors(probabilities: np.ndarray, influences: np.ndarray, on_mass: np.ndarray) -> np.ndarray:
    """Return standard errors of n probabilities (n,), given influences on them (runs, draws, n) and on the log mass."""
    # The weight of a draw under the evidence is 1 + its influence on the log mass.
    n_effective = on_mass.size / (1.0 + np.mean(on_mass**2))
    unseen = UNSEEN * (1.0 / 3.0 - probabilities * (1.0 - probabilities)) / n_effective**2
    errors: np.ndarray = np.sqrt(standard_errors(influences) ** 2 + unseen)
    return errors
