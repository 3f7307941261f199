"""The probability of new rows given a family and data: under BDeu a mean of Dirichlet distributions.

Of the training rows with the same levels of the parents, N_j, the child has level k in N_jk. Its next one is k with
probability `(N_jk + ess / (q r)) / (N_j + ess / q)`, for r levels of the child and q configurations of the parents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.core.memory import readable_bytes
from orderspn.data.categories import Categories
from orderspn.scores.bdeu import FittedBDeu

LARGEST_TABLE = 2**24
"""Entries of a table of counts: 128 MiB."""


@dataclass(frozen=True, eq=False)
class CategoryPredictive:
    """Predictive probabilities of rows given data."""

    fitted: FittedBDeu
    rows: Categories

    def log_probabilities(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Log probability of the child given its parents in each row, shape (M,); 0 where it was set from outside."""
        cells = math.prod(len(self.fitted.levels[v]) for v in (child, *parents.tolist()))
        if cells > LARGEST_TABLE:
            raise Unavailable(
                f"a graph has so many parents at once that a table of {readable_bytes(8 * cells)} would be needed; the "
                f"limit is {readable_bytes(8 * LARGEST_TABLE)}. Learn again with smaller max_parents=, or merge levels."
            )
        strengths = self.fitted.counts_given(child, parents) + self.fitted.equivalent_sample_size / cells
        log_mean = np.log(strengths) - np.log(strengths.sum(axis=-1, keepdims=True))
        codes = self.rows.codes.astype(np.int64)
        log_probability: np.ndarray = log_mean[(*codes[:, parents].T, codes[:, child])]
        was_set = self.rows.intervened
        return log_probability if was_set is None else np.where(was_set[:, child], 0.0, log_probability)
