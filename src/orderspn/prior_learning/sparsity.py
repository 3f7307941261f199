"""How many parents variables have: the beta-binomial prior under which drawn graphs are most probable."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.scores.beta_binomial import BetaBinomial
from orderspn.scores.parent_rules import ParentRules

SMALLEST_CONCENTRATION, LARGEST_CONCENTRATION = 0.5, 1e4
"""Range of concentrations: beyond it shares are 0 or 1, or all the same, as far as data could tell."""


class ParentCounts(NamedTuple):
    """Of variables in drawn graphs with their orders: numbers of parents, known ones and others, and of places left.

    `absent` are those that could have been parents, because they come before the variable and no rule forbids them.
    Those that could not tell nothing about the prior. Rows that are the same are counted.
    """

    known: np.ndarray  # (rows,)
    present: np.ndarray  # (rows,)
    absent: np.ndarray  # (rows,)
    share: np.ndarray  # (rows,): how often, per graph

    @classmethod
    def of(cls, graphs: np.ndarray, orders: np.ndarray, rules: ParentRules, context: np.ndarray) -> ParentCounts:
        """Count parents in graphs (n, d, d) with orders (n, d); context variables are only ever parents."""
        n, d = orders.shape
        explained = np.setdiff1d(np.arange(d), context)
        places = np.argsort(orders, axis=1)
        before = (places[:, :, None] < places[:, None, :]) & rules.allowed
        known = np.broadcast_to(rules.required.sum(axis=0), (n, d))
        possible, parents = before.sum(axis=1), graphs.sum(axis=1)
        rows = np.stack([known, parents - known, possible - parents], axis=-1)[:, explained].reshape(-1, 3)
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        return cls(distinct[:, 0], distinct[:, 1], distinct[:, 2], counts / n)

    def log_probability(self, prior: BetaBinomial, n_variables: int) -> float:
        """Return the mean log probability of a graph given its order."""
        others = n_variables - 1
        chosen = prior.log_probability(self.known + self.present, others - self.known - self.present)
        # The probability of all sets of possible parents: that the impossible ones are none, and the known ones are.
        impossible = others - self.known - self.present - self.absent
        return float(self.share @ (chosen - prior.log_probability(self.known, impossible)))


def most_probable_prior(counts: ParentCounts, n_variables: int) -> BetaBinomial:
    """Return the prior under which the counts are most probable.

    One edge more that is present, and one that is absent, keep the mean away from 0 and 1.
    """
    from scipy.optimize import minimize

    def loss(point: np.ndarray) -> float:
        prior = _at(point)
        return -(counts.log_probability(prior, n_variables) + math.log(prior.mean) + math.log1p(-prior.mean))

    edges, places = counts.share @ counts.present, counts.share @ (counts.present + counts.absent)
    mean = (edges + 1.0) / (places + 2.0)
    ends = [(math.log(1e-6), -math.log(1e-6)), (math.log(SMALLEST_CONCENTRATION), math.log(LARGEST_CONCENTRATION))]
    starts = [np.array([math.log(mean / (1.0 - mean)), math.log(strength)]) for strength in (2.0, 100.0)]
    found = [minimize(loss, start, method="L-BFGS-B", bounds=ends) for start in starts]
    return _at(min(found, key=lambda one: float(one.fun)).x)


def _at(point: np.ndarray) -> BetaBinomial:
    return BetaBinomial(1.0 / (1.0 + math.exp(-point[0])), math.exp(point[1]))
