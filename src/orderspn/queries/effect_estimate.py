"""Total effects estimated from sampled orders, for posteriors too large to average over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.workers import Workers
from orderspn.lattice.expected_weights import MeanWeights
from orderspn.leaves.family import Family
from orderspn.queries.order_model import OrderModel
from orderspn.queries.sampling import places_in, predecessors

if TYPE_CHECKING:
    import pandas as pd

BATCH = 100
"""Orders whose matrices are inverted at a time."""


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
    drawn = orders.sample(n, rng)
    places = places_in(drawn)
    expected = np.zeros((n, d, d))  # [order, cause, effect]

    def fill(v: int) -> None:
        family = families[v]
        expected[:, :, v] = family.expected_weights_given(predecessors(places, v), weights(family))

    workers.run([partial(fill, v) for v in range(d)], workers.steps("expected weights", d))
    total, squares = np.zeros((d, d)), np.zeros((d, d))
    for start in range(0, n, BATCH):
        effects = np.linalg.inv(np.eye(d) - expected[start : start + BATCH])
        total += effects.sum(axis=0)
        squares += (effects**2).sum(axis=0)
    mean = total / n
    variance = np.maximum(squares / n - mean**2, 0.0) * n / max(n - 1, 1)
    return mean, np.sqrt(variance / n)
