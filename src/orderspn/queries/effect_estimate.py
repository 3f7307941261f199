"""Total effects estimated from sampled orders, for posteriors too large to average over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.workers import Workers
from orderspn.lattice.path_effects import MeanWeights
from orderspn.leaves.family import Family
from orderspn.queries.order_model import OrderModel
from orderspn.queries.sampling import allowed_masks

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
    onto: list[np.ndarray] = [np.empty(0)] * d  # of each variable: (n, K) expected weights of its candidates

    def fill(v: int) -> None:
        family = families[v]
        onto[v] = family.expected_weights(weights(family))[allowed_masks(drawn, family)]

    workers.run([partial(fill, v) for v in range(d)], workers.steps("expected weights", d))
    total, squares = np.zeros((d, d)), np.zeros((d, d))
    for start in range(0, n, BATCH):
        expected = np.zeros((min(BATCH, n - start), d, d))  # [order, cause, effect]
        for family in families:
            expected[:, family.candidates, family.child] = onto[family.child][start : start + BATCH]
        effects = np.linalg.inv(np.eye(d) - expected)
        total += effects.sum(axis=0)
        squares += (effects**2).sum(axis=0)
    mean = total / n
    variance = np.maximum(squares / n - mean**2, 0.0) * n / max(n - 1, 1)
    return mean, np.sqrt(variance / n)
