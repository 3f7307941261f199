"""The number of parent sets of families, on which memory and time depend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderspn.core.masks import check_candidates
from orderspn.parents.outsiders import MOST_AT_ONCE, PAIRED


@dataclass(frozen=True)
class FamilySizes:
    """Sizes of the families of all variables.

    Attributes
    ----------
    candidates : tuple of int
        Number of candidates of each variable.
    rows : tuple of int
        Number of rows of outsiders of each variable, besides row 0.
    n_context : int
        Number of context variables among them, which are not ordered.

    Examples
    --------
    >>> sizes = FamilySizes.of([3, 2], [0, 5])
    >>> sizes.total, sizes.largest, sizes.has_outsiders
    (32, 24, True)
    """

    candidates: tuple[int, ...]
    rows: tuple[int, ...]
    n_context: int = 0
    most_of_one: int = 0
    """Parent sets that a single variable may have, where others have fewer in turn."""

    @classmethod
    def of(cls, candidates: Sequence[int], rows: Sequence[int] | None = None, n_context: int = 0) -> FamilySizes:
        """Build the sizes of all families, after a check of the number of candidates."""
        check_candidates(max(candidates, default=0))
        return cls(tuple(candidates), (0,) * len(candidates) if rows is None else tuple(rows), n_context)

    @property
    def n_ordered(self) -> int:
        """Number of variables that are ordered: all but the context ones."""
        return self.d - self.n_context

    @property
    def d(self) -> int:
        """Number of variables."""
        return len(self.candidates)

    @property
    def sets(self) -> list[int]:
        """Number of parent sets of each variable."""
        return [(1 + rows) << size for size, rows in zip(self.candidates, self.rows, strict=True)]

    @property
    def total(self) -> int:
        """Number of parent sets of all variables."""
        return sum(self.sets)

    @property
    def largest(self) -> int:
        """Number of parent sets of the variable with the most."""
        return max([self.most_of_one, *self.sets])

    @property
    def has_outsiders(self) -> bool:
        """Whether any family has outsiders, so that blocks have their own leaf tables."""
        return any(self.rows)


def rows_of_outsiders(d: int, size: int, at_once: int, most: int | None) -> int:
    """Return the number of rows of outsiders of a variable with `size` candidates, if all others may be parents."""
    if at_once == 0:
        return 0
    others = max(0, d - 1 - size)
    singles = others if most is None else min(others, most)
    leading = min(singles, PAIRED)
    return singles + (leading * (leading - 1) // 2 if at_once == MOST_AT_ONCE else 0)
