"""What families settle without any data: edges and precedences that every graph has, or none.

Evidence and knowledge remove parent sets, so some edges are in all graphs that remain, and others in none. Their
probabilities are exactly 1 and 0, also where other answers have a Monte Carlo error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.leaves.family import Family
from orderspn.queries.edges import Edge, Edges


@dataclass(frozen=True, eq=False)
class Settled:
    """What follows from families, each (d, d), bool.

    Attributes
    ----------
    present, absent : numpy.ndarray
        The edges [cause, effect] that every graph has, and those that none has.
    before : numpy.ndarray
        The pairs whose first variable comes before the second in every order.
    possible : bool
        Whether graphs may exist: every family has a parent set, and no variable comes before itself.
    """

    present: np.ndarray
    absent: np.ndarray
    before: np.ndarray
    possible: bool

    @classmethod
    def by(cls, families: Sequence[Family]) -> Settled:
        """Return what follows from families."""
        d = len(families)
        ever, always, before = (np.zeros((d, d), dtype=bool) for _ in range(3))
        for family in families:
            child = family.child
            ever[:, child], always[:, child] = _parents(family, d)
            before[family.needs, child] = True
        before = _closed(before | always)
        possible = all(family.possible for family in families) and not before.diagonal().any()
        return cls(always, ~ever | before.T | np.eye(d, dtype=bool), before, possible)

    @property
    def edges(self) -> np.ndarray:
        """The edges of which it is known whether graphs have them."""
        return self.present | self.absent

    def implies(self, event: Edges, variables: Sequence[str]) -> bool:
        """Whether every graph, with each of its orders, satisfies an event."""
        index = {name: i for i, name in enumerate(variables)}

        def all_in(table: np.ndarray, pairs: Sequence[Edge]) -> bool:
            return all(table[index[one], index[other]] for one, other in pairs)

        return (
            all_in(self.present, event.present)
            and all_in(self.absent, event.absent)
            and all_in(self.before, event.before)
        )


def _parents(family: Family, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the variables that are in any possible parent set, and those that are in all of them, each (d,), bool."""
    used = (family.log_score > -np.inf).reshape(family.n_rows, family.n_masks)
    masks, rows = np.flatnonzero(used.any(axis=0)), used.any(axis=1)
    inside = np.zeros((family.n_rows, d + 1), dtype=bool)
    np.put_along_axis(inside[1:], family.outsider_rows, True, axis=1)  # -1 is the column that is cut off
    ever, always = np.zeros(d, dtype=bool), np.zeros(d, dtype=bool)
    ever[:] = inside[rows, :d].any(axis=0)
    always[:] = inside[rows, :d].all(axis=0)
    bits = np.int64(1) << np.arange(family.candidates.size)
    ever[family.candidates] = (np.bitwise_or.reduce(masks, initial=0) & bits) > 0
    always[family.candidates] = (np.bitwise_and.reduce(masks, initial=family.n_masks - 1) & bits) > 0
    return ever, always


def _closed(before: np.ndarray) -> np.ndarray:
    """Return the transitive closure of a relation (d, d), bool."""
    closed = before.copy()
    for middle in np.flatnonzero(before.any(axis=0) & before.any(axis=1)):
        closed |= np.outer(closed[:, middle], closed[middle])
    return closed
