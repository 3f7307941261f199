"""The parts of a model in a file, each of them checked."""

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
"""Maps the number of threads to the bytes of a model."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a model, before evidence.

    Attributes
    ----------
    variables : tuple of str
    score : LocalScore
    candidates : sequence of numpy.ndarray
        The candidate parents of each variable.
    outsider_rows : sequence of numpy.ndarray
        The rows of outsiders of each variable; -1 for none.
    sizes : FamilySizes
        Sizes of the families with these candidates and outsiders, under the evidence of the file.
    arrays : mapping of str to numpy.ndarray
        The arrays of the model, and all others of the file. Their types are those that the model declares.
    settings : mapping
        The settings that the posterior was learned with, checked.
    workers_for : callable
        Maps a function from numbers of threads to bytes to as many threads as there is memory for; raises the error for
        the file if there is not enough for one. Call it before anything of that size is allocated.
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
        """The outsiders of each variable."""
        return [np.unique(rows[rows >= 0]) for rows in self.outsider_rows]

    def families(self, needed: BytesForThreads) -> tuple[tuple[Family, ...], Workers]:
        """Return the scored parent sets of each variable and the threads, for a model that takes `needed` bytes."""
        scratch = getattr(self.score.likelihood, "scratch_bytes", 0)
        workers = self.workers_for(lambda n_jobs: n_jobs * scratch + needed(n_jobs))
        return tuple(score_families(self.score, self.candidates, workers, self.outsider_rows)), workers
