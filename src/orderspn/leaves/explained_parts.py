"""The parent sets of a family, grouped by their members that are no context.

Context variables come before all others, so orders and cycles only know the explained parents of a variable. Given
these, its context parents are independent of everything else. Summed over them, a family with K candidates becomes one
with as many candidates as there are explained ones among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orderspn.leaves.family import Family


@dataclass(frozen=True, eq=False)
class ExplainedParts:
    """A family, and the same summed over context parents.

    Attributes
    ----------
    family : Family
    summed : Family
        All of its possible explained parents are candidates, also outsiders of `family`; without `log_scale`.
    group : numpy.ndarray
        Shape (sets,): the parent set of `summed` that each parent set of the family belongs to.
    """

    family: Family
    summed: Family
    group: np.ndarray

    @classmethod
    def of(cls, family: Family, explained: np.ndarray) -> ExplainedParts:
        """Group the parent sets of a family by their members among `explained`, ascending.

        Examples
        --------
        Variable 0 is context, and may be a parent of variable 2 beside variable 1:

        >>> import numpy as np
        >>> family = Family(2, np.array([0, 1]), np.log([1.0, 2.0, 3.0, 4.0]))
        >>> parts = ExplainedParts.of(family, np.array([1, 2]))
        >>> parts.summed.candidates.tolist(), np.exp(parts.summed.log_score).round(9).tolist()
        ([1], [3.0, 7.0])
        """
        members = np.intersect1d(np.union1d(family.candidates, family.outsiders), explained).astype(np.int64)
        group = _groups(family, members)
        log_score = np.full(1 << members.size, -np.inf)
        by_group = np.argsort(group, kind="stable")
        present, starts = np.unique(group[by_group], return_index=True)
        log_score[present] = np.logaddexp.reduceat(family.log_score[by_group], starts)
        return cls(family, Family(family.child, members, log_score, needs=family.needs), group)

    def spread(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the probabilities of the parent sets of the family, given those of the sets of `summed`."""
        return probabilities[self.group] * self._shares

    def means(self, values: np.ndarray) -> np.ndarray:
        """Return the means of values (sets, k) over the parent sets of each group, (groups, k); 0 if there are none."""
        weighted = values * self._shares[:, None]
        found = np.empty((self.summed.log_score.size, values.shape[1]))
        for column, own in enumerate(weighted.T):
            found[:, column] = np.bincount(self.group, weights=own, minlength=len(found))
        return found

    def draw(self, parents: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """Draw a parent set of the family for each row of parents (n, candidates of `summed`), bool, shape (n,)."""
        groups = parents @ (np.int64(1) << np.arange(self.summed.candidates.size))
        by_group = np.argsort(self.group, kind="stable")
        ends = np.cumsum(self._shares[by_group])
        first, last = (np.searchsorted(self.group[by_group], groups, side=side) for side in ("left", "right"))
        below = np.where(first > 0, ends[first - 1], 0.0)
        chosen = np.searchsorted(ends, below + uniforms * (ends[last - 1] - below), side="right")
        return np.asarray(by_group[np.clip(chosen, first, last - 1)])

    @cached_property
    def _shares(self) -> np.ndarray:
        """The share of each parent set in the mass of its group."""
        log_totals = self.summed.log_score[self.group]
        possible = log_totals > -np.inf
        return np.where(possible, np.exp(self.family.log_score - np.where(possible, log_totals, 0.0)), 0.0)


def _groups(family: Family, members: np.ndarray) -> np.ndarray:
    """Return the mask over `members` of each parent set of a family, shape (sets,)."""
    masks = np.arange(family.n_masks)
    within = np.zeros(family.n_masks, dtype=np.int64)
    by_row = np.zeros(family.n_rows, dtype=np.int64)
    for place, member in enumerate(members.tolist()):
        bit = np.flatnonzero(family.candidates == member)
        if bit.size:
            within |= (masks >> bit[0] & 1) << place
        by_row[1:] |= (family.outsider_rows == member).any(axis=1).astype(np.int64) << place
    return (by_row[:, None] | within).ravel()
