"""The number of candidates of each variable: many where many variables claim to be parents, few elsewhere.

The tables of a family double with each candidate. Most variables have few probable parents and need few candidates.
Hubs of dense graphs have more than a dozen, and no table that leaves some of them out is right.

Parent sets with two variables that are no candidates are left out. If claims to be a candidate are probabilities, their
mass is about half the square of the sum of all claims that are not met. So meeting one more claim saves about its
product with that sum, and costs as many parent sets as there were. Claims are met where they save the most for their
cost, down to a limit, which is raised until the tables of all families fit the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.parents.outsiders import choose_outsiders
from orderspn.parents.sizes import rows_of_outsiders
from orderspn.scores.local import LocalScore
from orderspn.scores.parent_rules import ParentRules

LEAST, MOST = 5, 20
"""Fewest and most candidates of a variable, unless their number was requested."""

LEAST_SAVED, RAISED = 1e-6, 1.25
"""Least saved mass for each subset of the candidates; while there is not enough memory, it is raised by this factor."""


@dataclass(frozen=True)
class Allotment:
    """How many candidates and rows of outsiders variables may have.

    Attributes
    ----------
    least, most : int
        Fewest and most candidates of a variable.
    total, largest : int
        Most parent sets of all variables, and of one of them.
    at_once : int
        Outsiders in a parent set.
    most_outsiders : int or None
        Outsiders of a variable; None for all others.
    """

    least: int
    most: int
    total: int
    largest: int
    at_once: int
    most_outsiders: int | None

    def rows(self, d: int, size: int) -> int:
        """Return the number of rows of outsiders of a variable with so many candidates."""
        return min(rows_of_outsiders(d, size, self.at_once, self.most_outsiders), max(0, (self.largest >> size) - 1))

    def outsiders(self, local: LocalScore, candidates: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the rows of outsiders of each variable, given its candidates."""
        rows = [self.rows(len(candidates), own.size) for own in candidates]
        return choose_outsiders(local, candidates, self.at_once, self.most_outsiders, rows)

    def choose(self, claims: np.ndarray, rules: ParentRules) -> list[np.ndarray]:
        """Return the candidates of each variable, ascending, given the claims of all others (d, d), [cause, effect].

        Required causes have an infinite claim, and causes that are not allowed none.
        """
        claims = claims.copy()
        claims[~rules.allowed], claims[rules.required] = -np.inf, np.inf
        ranked = np.argsort(-claims, axis=0, kind="stable")
        sizes = self._sizes(claims)
        return [np.sort(ranked[:size, j]) for j, size in enumerate(sizes.tolist())]

    def _sizes(self, claims: np.ndarray) -> np.ndarray:
        """Return the number of candidates of each variable."""
        d = len(claims)
        possible, certain = (claims > -np.inf).sum(axis=0), (claims == np.inf).sum(axis=0)
        least = np.minimum(np.maximum(self.least, certain), possible)
        for_one = self.largest.bit_length() - 1  # row 0 alone has at most `largest` sets
        most = np.maximum(least, np.minimum(min(self.most, for_one), possible))
        sets = np.array([(1 + self.rows(d, size)) << size for size in range(int(most.max(initial=0)) + 1)])
        saved, lowest = saved_by_claims(claims), LEAST_SAVED
        while True:
            sizes = np.clip(np.count_nonzero(saved > lowest, axis=0), least, most)
            if sets[sizes].sum() <= self.total or (sizes == least).all():
                return sizes
            lowest *= RAISED


def saved_by_claims(claims: np.ndarray) -> np.ndarray:
    """Return what meeting each claim (d, d), the highest first, saves for each subset of candidates; none increases."""
    ranked = -np.sort(-np.clip(np.where(np.isposinf(claims), 1.0, claims), 0.0, None), axis=0)
    unmet = np.cumsum(ranked[::-1], axis=0)[::-1]
    return np.asarray(ranked * unmet * 0.5 ** np.arange(len(claims))[:, None])
