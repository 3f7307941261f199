"""What a file has of a model: its parts, checked each by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.scoring import score_families
from orderspn.parents.sizes import FamilySizes
from orderspn.scores.local import LocalScore

BytesForThreads = Callable[[int], int]
"""Bytes that a model takes, given the number of threads."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a model, before evidence.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    candidates : sequence of numpy.ndarray
        Of each variable, those that may be parents in any combination.
    outsider_rows : sequence of numpy.ndarray
        Of each variable, rows of those that may be parents besides them; -1 for nobody.
    sizes : FamilySizes
        Of the families that follow from both, once the evidence of the file is added.
    arrays : mapping of str to numpy.ndarray
        Those of the model, and all others of the file. Their types are what the model declares.
    settings : mapping
        How the posterior was learned, checked.
    workers_for : callable
        Given a function from numbers of threads to bytes: as many threads as there is memory for. Where there is not
        enough for one, the error that the file is refused with. To be called before anything of that size is made.
    """

    variables: tuple[str, ...]
    score: LocalScore
    candidates: Sequence[np.ndarray]
    outsider_rows: Sequence[np.ndarray]
    sizes: FamilySizes
    arrays: Mapping[str, np.ndarray]
    settings: Mapping[str, Any]
    workers_for: Callable[[BytesForThreads], Workers]

    @property
    def outsiders(self) -> list[np.ndarray]:
        """Of each variable, those that may be parents besides the candidates."""
        return [np.unique(rows[rows >= 0]) for rows in self.outsider_rows]

    def families(self, needed: BytesForThreads) -> tuple[tuple[Family, ...], Workers]:
        """Scored parent sets of each variable, and the threads for them, if the whole takes `needed` bytes."""
        scratch = getattr(self.score.likelihood, "scratch_bytes", 0)
        workers = self.workers_for(lambda n_jobs: n_jobs * scratch + needed(n_jobs))
        return tuple(score_families(self.score, self.candidates, workers, self.outsider_rows)), workers
