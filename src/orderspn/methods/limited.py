"""Families that are too small: variables that probably have more parents than their parent sets can hold.

A parent set has any of the candidates and one or two outsiders. Outsiders are meant for what is improbable. Where a
variable probably has one, it may well have more, and its parent sets end where its posterior goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.core.names import quoted
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family

PROBABLY = 0.5
"""A family is at its limit if its parent set has an outsider with a probability above this."""


@dataclass(frozen=True, eq=False)
class Limited:
    """How probable outsiders are, and which families are at their limit.

    Attributes
    ----------
    shares : numpy.ndarray
        Shape (n,): the probability that a parent set of each variable has an outsider.
    variables : numpy.ndarray
        Shape (n,): indices of these variables.
    most : int
        Number of candidates of the variable with the most.
    """

    shares: np.ndarray
    variables: np.ndarray
    most: int

    @classmethod
    def of(cls, shares: np.ndarray, families: Sequence[Family]) -> Limited:
        """Take the shares of the variables that are no context."""
        return cls(shares, root_block(families)[1], max(family.candidates.size for family in families))

    @property
    def report(self) -> dict[str, float]:
        """The mean probability of an outsider, and the share of families at their limit, for settings."""
        return {
            "outsider_share": float(self.shares.mean()),
            "limited_share": float((self.shares > PROBABLY).mean()),
        }

    def warning(self, names: Sequence[str]) -> str | None:
        """Warn of families at their limit; None without any."""
        worst = np.argsort(-self.shares, kind="stable")[: int((self.shares > PROBABLY).sum())]
        if not worst.size:
            return None
        return (
            f"{worst.size} of {self.shares.size} variables probably have more parents than their families can hold "
            f"({quoted([names[v] for v in self.variables[worst]])}; up to {self.most} candidates, and outsiders beside "
            "them): edges into them are too improbable. Raise memory_limit=, or candidates= if it was given, or pass "
            "methods.Trust(outsiders=2)."
        )
