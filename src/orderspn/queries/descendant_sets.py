"""The distribution of the descendants of a variable, as a list of sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class DescendantSets:
    """Sets of descendants of one variable, and their probabilities, most probable first.

    Attributes
    ----------
    members : numpy.ndarray
        Shape (n, d), bool: the variables of each set.
    probabilities, standard_errors : numpy.ndarray
        Shape (n,); standard errors are 0 if probabilities are exact.
    """

    members: np.ndarray
    probabilities: np.ndarray
    standard_errors: np.ndarray

    @classmethod
    def merged(cls, members: np.ndarray, probabilities: np.ndarray, errors: np.ndarray) -> DescendantSets:
        """Add up the probabilities of equal sets, whose errors are independent; leave out those of probability 0."""
        distinct, which = np.unique(members, axis=0, return_inverse=True)
        summed = np.minimum(np.bincount(which.ravel(), probabilities, len(distinct)), 1.0)
        squares = np.bincount(which.ravel(), errors**2, len(distinct))
        best_first = np.lexsort((distinct.sum(axis=1), -summed))[: np.count_nonzero(summed)]
        return cls(distinct[best_first], summed[best_first], np.sqrt(squares[best_first]))

    @classmethod
    def of_draws(cls, members: np.ndarray, weights: np.ndarray, extra: float = 0.0) -> DescendantSets:
        """Count the sets (n, d) of weighted draws; `extra` is the standard error of the distribution drawn from."""
        counted = cls.merged(members, weights, np.zeros(len(weights)))
        spread = binomial_error(counted.probabilities, len(members))
        return cls(counted.members, counted.probabilities, np.hypot(spread, extra))

    @classmethod
    def mixed(cls, shares: Sequence[float], parts: Sequence[DescendantSets]) -> DescendantSets:
        """Return the weighted mean of several distributions."""
        weighed = list(zip(shares, parts, strict=True))
        return cls.merged(
            np.concatenate([part.members for _, part in weighed]),
            np.concatenate([share * part.probabilities for share, part in weighed]),
            np.concatenate([share * part.standard_errors for share, part in weighed]),
        )

    def probability(self, inside: np.ndarray, outside: np.ndarray) -> float:
        """Return the probability that all of `inside` and none of `outside` descend, given indices."""
        holds = self.members[:, inside].all(axis=1) & ~self.members[:, outside].any(axis=1)
        return float(min(self.probabilities[holds].sum(), 1.0))


def binomial_error(share: np.ndarray, n: int) -> np.ndarray:
    """Return the standard error of shares of n draws; it is that of one draw where all of them agree."""
    error: np.ndarray = np.sqrt((share * (1.0 - share) + 1.0 / n) / n)
    return error
