"""Total effects estimated from sampled orders, for posteriors too large to average over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.workers import Steps, Workers
from orderspn.lattice.expected_weights import MeanWeights
from orderspn.leaves.family import Family
from orderspn.queries.order_model import OrderModel
from orderspn.queries.sampling import places_in, predecessors

if TYPE_CHECKING:
    import pandas as pd

BATCH_BYTES = 2**29
"""What the expected weights of the orders looked at together may take: averages over families are computed once each
time, so more of them save time."""

INVERTED_AT_ONCE = 20
"""Orders whose matrices are inverted together."""


@dataclass(frozen=True, eq=False)
class EffectEstimate:
    """Mean total effects over sampled orders.

    Attributes
    ----------
    mean, standard_error : pandas.DataFrame
        Row = cause, column = effect. The standard error is that of sampling orders; given an order the expectation
        is exact.
    n_orders : int
    """

    mean: pd.DataFrame
    standard_error: pd.DataFrame
    n_orders: int


def estimate_effects(
    orders: OrderModel,
    families: Sequence[Family],
    weights: MeanWeights,
    n: int,
    rng: np.random.Generator,
    workers: Workers,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard error of the effects over `n` sampled orders, each of shape (d, d).

    Given an order the weights of different variables are independent and a path meets each of them once, so the
    expectation of `(I - B)^-1` is `(I - E[B])^-1`.
    """
    d = len(families)
    places = places_in(orders.sample(n, rng))
    batch = max(1, BATCH_BYTES // (8 * d * d))
    steps = workers.steps("expected weights", d * -(-n // batch))
    total, squares = np.zeros((d, d)), np.zeros((d, d))
    for start in range(0, n, batch):
        expected = _expected_given(places[start : start + batch], families, weights, workers, steps)
        for first in range(0, len(expected), INVERTED_AT_ONCE):
            effects = np.linalg.inv(np.eye(d) - expected[first : first + INVERTED_AT_ONCE])
            total += effects.sum(axis=0)
            squares += (effects**2).sum(axis=0)
    mean = total / n
    variance = np.maximum(squares / n - mean**2, 0.0) * n / max(n - 1, 1)
    return mean, np.sqrt(variance / n)


def _expected_given(
    places: np.ndarray, families: Sequence[Family], weights: MeanWeights, workers: Workers, steps: Steps
) -> np.ndarray:
    """Expected weights [order, cause, effect], given the places (n, d) of variables in orders."""
    n, d = places.shape
    expected = np.zeros((n, d, d))

    def fill(v: int) -> None:
        family = families[v]
        expected[:, :, v] = family.expected_weights_given(predecessors(places, v), weights(family))

    workers.run([partial(fill, v) for v in range(d)], steps)
    return expected
