"""Rules for the parents of each variable: allowed and required edges, numbers of parents, and prior odds.

Rules only change local scores: a parent set that breaks one has the score -inf. So no method can give it any
probability.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class ParentRules:
    """Rules for the parents of d variables, as arrays [cause, effect].

    Attributes
    ----------
    allowed : numpy.ndarray
        Shape (d, d), bool: which edges are possible; none from a variable to itself.
    required : numpy.ndarray
        Shape (d, d), bool: which edges are required.
    most : numpy.ndarray
        Shape (d,): largest number of parents of each variable.
    log_odds : numpy.ndarray
        Shape (d, d): prior log odds of each edge in addition to the prior of sizes; 0 where nothing is known.
    """

    allowed: np.ndarray
    required: np.ndarray
    most: np.ndarray
    log_odds: np.ndarray

    @classmethod
    def none(cls, d: int) -> ParentRules:
        """Return the rules without background knowledge."""
        nothing = np.zeros((d, d), dtype=bool)
        return cls(~np.eye(d, dtype=bool), nothing, np.full(d, d - 1), np.zeros((d, d)))

    def without_causes_of(self, variables: np.ndarray) -> ParentRules:
        """Return the rules in which some variables have no parents."""
        allowed, most = self.allowed.copy(), self.most.copy()
        allowed[:, variables] = False
        most[variables] = 0
        return replace(self, allowed=allowed, most=most)

    def n_allowed(self, child: int) -> int:
        """Return the number of variables that may be parents."""
        return int(self.allowed[:, child].sum())

    def required_of(self, child: int) -> np.ndarray:
        """Return the variables that must be parents, ascending."""
        return np.flatnonzero(self.required[:, child])

    def log_weights(self, child: int, candidates: np.ndarray, always: np.ndarray) -> np.ndarray | float:
        """Return the terms of the log prior for all subsets of the candidates, each with all of `always`, (2**K,).

        They are -inf for sets that break a rule. If all are equal, the result is one number.
        """
        must = self.required_of(child)
        if not self.allowed[always, child].all() or not np.isin(must, [*candidates, *always]).all():
            return -np.inf
        weights = self.log_odds[candidates, child]
        inside = np.where(self.allowed[candidates, child], weights, -np.inf)
        outside = np.where(np.isin(candidates, must), -np.inf, 0.0)
        start = float(self.log_odds[always, child].sum())
        if not inside.any() and not outside.any():
            return start
        return _summed_over_bits(start, inside, outside)

    def log_normalizer(self, child: int, log_prior: np.ndarray) -> float:
        """Return the log of the sum of the prior with odds over all parent sets, without the hard rules.

        `log_prior` (d,) is the log prior of one set by its size.
        """
        odds = np.delete(self.log_odds[:, child], child)
        if not odds.any():
            return 0.0
        by_size = np.full(odds.size + 1, -np.inf)  # log of the elementary symmetric polynomials of the odds
        by_size[0] = 0.0
        for log_odds in odds:
            by_size[1:] = np.logaddexp(by_size[1:], by_size[:-1] + log_odds)
        return float(np.logaddexp.reduce(by_size + log_prior))


def _summed_over_bits(start: float, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """Return, for every mask, `start` plus `inside` of the bits in it plus `outside` of the bits not in it."""
    sums = np.full(1 << inside.size, start)
    for bit, (present, absent) in enumerate(zip(inside.tolist(), outside.tolist(), strict=True)):
        upper = sums[1 << bit : 2 << bit]
        upper[:] = sums[: 1 << bit] + present
        sums[: 1 << bit] += absent
    return sums
