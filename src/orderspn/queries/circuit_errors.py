"""Monte Carlo standard errors of the answers of a circuit from sampled orders.

They are those of the mean of the influences of all draws (`circuit/influence.py`). The change of an answer if draw i
were left out is its influence divided by `1 - share_i`, where `share_i` is the weight of the draw under the evidence
(a jackknife). This matters if few draws satisfy the evidence. If only one does, the error is unknown.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.chains.sample import LEAST_DRAWS
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.queries.precision import standard_errors

NO_SPREAD = 1e-14
"""Influences that spread less than this, relative to the answer's scale, are equal but for rounding."""

ALL_OF_IT = 1.0 - 1e-9
"""Share of the weight above which a single draw has all of it."""


def event_error(orders: CircuitOrders, joint: CircuitOrders) -> float:
    """Return the standard error of the probability of an event, given the circuit without and with it.

    It is NaN if it is unknown, also if all draws agree.
    """
    if not _has_enough_draws(orders) or joint.log_mass == -math.inf:
        return math.nan
    probability = min(1.0, math.exp(joint.log_mass - orders.log_mass))
    on_mass = orders.influences.on_log_mass()
    influences = probability * (joint.influences.on_log_mass() - on_mass)
    return float(_errors(influences[:, :, None], on_mass)[0])


def edge_errors(orders: CircuitOrders) -> np.ndarray:
    """Return the standard errors of all edge probabilities (d, d), [cause, effect], NaN as for events."""
    d = len(orders.families)
    errors = np.full((d, d), np.nan)
    if _has_enough_draws(orders):
        on_mass = orders.influences.on_log_mass()

        def fill(effect: int, influences: np.ndarray) -> None:
            errors[:, effect] = _errors(influences, on_mass)

        orders.each_edge_influence(fill)
    return errors


def _has_enough_draws(orders: CircuitOrders) -> bool:
    return orders.circuit.paths.shape[1] >= LEAST_DRAWS


def _errors(influences: np.ndarray, on_mass: np.ndarray) -> np.ndarray:
    """Return standard errors, shape (n,), from influences on n answers (runs, draws, n) and on the log mass."""
    shares = (1.0 + on_mass) / on_mass.size
    if shares.max() > ALL_OF_IT:
        return np.full(influences.shape[2], np.nan)
    traces = influences / (1.0 - np.maximum(shares, 0.0))[:, :, None]
    errors = standard_errors(traces)
    return np.where(np.ptp(traces, axis=(0, 1)) > NO_SPREAD, errors, np.nan)
