"""Candidates and outsiders of all variables: what families are made of, besides local scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.scoring import score_families, score_family
from orderspn.scores.local import LocalScore


@dataclass(frozen=True, eq=False)
class ParentLists:
    """Candidates and rows of outsiders of each variable: a few numbers, from which tables of scores are made again."""

    candidates: tuple[np.ndarray, ...]
    outsiders: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, families: Sequence[Family]) -> ParentLists:
        """Return the lists of families that were scored from data and have no evidence."""
        return cls(tuple(own.candidates for own in families), tuple(own.outsider_rows for own in families))

    @property
    def n_sets(self) -> int:
        """Number of parent sets of all variables."""
        each = zip(self.candidates, self.outsiders, strict=True)
        return sum((1 + len(rows)) << candidates.size for candidates, rows in each)

    def scored(self, local: LocalScore, workers: Workers) -> list[Family]:
        """Score the families again: the same bits in every process."""
        return score_families(local, self.candidates, workers, self.outsiders)

    def family(self, local: LocalScore, child: int) -> Family:
        """Score the family of one variable again."""
        return score_family(local, child, self.candidates[child], self.outsiders[child])
