"""Posteriors of parent sets, edges and precedences: one upward and one downward pass for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.queries.order_model import OrderModel


@dataclass(frozen=True, eq=False)
class Marginals:
    """Everything about single families that a posterior says.

    Attributes
    ----------
    parent_sets : list of numpy.ndarray
        For each variable the probability of every parent set, shape (rows * 2**K,).
    precedence : numpy.ndarray
        Shape (d, d): probability that the row's variable comes before the column's in the order.
    """

    parent_sets: list[np.ndarray]
    precedence: np.ndarray


def marginals(orders: OrderModel, families: Sequence[Family], workers: Workers) -> Marginals:
    """Posterior of every parent set of every variable, and precedences."""
    visits = orders.visits()
    parent_sets = visits.log_ratios  # overwritten one by one: nobody else has them, and they are large

    def fill(v: int) -> None:
        parent_sets[v][:] = families[v].parent_set_probabilities(parent_sets[v])

    workers.run([partial(fill, v) for v in range(len(families))], workers.steps("parent sets", len(families)))
    return Marginals(parent_sets, visits.precedence)


def edge_matrix(families: Sequence[Family], parent_sets: Sequence[np.ndarray]) -> np.ndarray:
    """Edge probabilities, row = cause, column = effect, from those of the parent sets."""
    matrix = np.zeros((len(families), len(families)))
    for family, probabilities in zip(families, parent_sets, strict=True):
        matrix[:, family.child] = family.edge_marginals(probabilities, len(families))
    # Rounding in long sums may leave the unit interval by a few last digits.
    return np.clip(matrix, 0.0, 1.0)


def entropy(mean_log_excess: float, families: Sequence[Family], parent_sets: Sequence[np.ndarray]) -> float:
    """Entropy of the posterior over (order, graph), in nats.

    The log probability of a pair is its log score less an excess that depends on its order, of which the mean is
    given. The log score is a sum over families, so its mean needs the posteriors of single families only.
    """
    mean_log_score = 0.0
    for family, probabilities in zip(families, parent_sets, strict=True):
        possible = probabilities > 0.0
        mean_log_score += float(np.dot(probabilities[possible], family.log_score[possible]))
    return mean_log_excess - mean_log_score
