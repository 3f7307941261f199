"""How many parent sets families have: what memory and time depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderspn.core.masks import check_candidates


@dataclass(frozen=True)
class FamilySizes:
    """Sizes of the families of all variables.

    Attributes
    ----------
    candidates : tuple of int
        How many candidates each variable has.
    rows : tuple of int
        How many rows of outsiders each variable has besides the sets of candidates alone.

    Examples
    --------
    >>> sizes = FamilySizes.of([3, 2], [0, 5])
    >>> sizes.total, sizes.largest, sizes.has_outsiders
    (32, 24, True)
    """

    candidates: tuple[int, ...]
    rows: tuple[int, ...]

    @classmethod
    def of(cls, candidates: Sequence[int], rows: Sequence[int] | None = None) -> FamilySizes:
        """Take the sizes of all families, if tables of their subsets can be made."""
        check_candidates(max(candidates, default=0))
        return cls(tuple(candidates), (0,) * len(candidates) if rows is None else tuple(rows))

    @property
    def d(self) -> int:
        """Number of variables."""
        return len(self.candidates)

    @property
    def sets(self) -> list[int]:
        """Parent sets of each variable."""
        return [(1 + rows) << size for size, rows in zip(self.candidates, self.rows, strict=True)]

    @property
    def total(self) -> int:
        """Parent sets of all variables."""
        return sum(self.sets)

    @property
    def largest(self) -> int:
        """Parent sets of the variable that has the most."""
        return max(self.sets, default=0)

    @property
    def has_outsiders(self) -> bool:
        """Whether blocks have leaf tables of their own."""
        return any(self.rows)
