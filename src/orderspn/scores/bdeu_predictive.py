"""Predictive probabilities of new rows given a family and data, under BDeu: means of Dirichlet distributions.

Among the N_j training rows with the same levels of the parents, the child has level k in N_jk. In the next row it has
level k with probability `(N_jk + ess / (q r)) / (N_j + ess / q)`, for r levels of the child and q configurations of the
parents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.core.memory import readable_bytes
from orderspn.data.categories import Categories

if TYPE_CHECKING:
    from orderspn.scores.bdeu import FittedBDeu

LARGEST_TABLE = 2**24
"""Most entries of a table of counts: 128 MiB."""


@dataclass(frozen=True, eq=False)
class CategoryPredictive:
    """Predictive probabilities of rows under BDeu."""

    fitted: FittedBDeu
    rows: Categories

    def log_probabilities(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the log probability of the child given its parents in each row, (M,); 0 where it was intervened on."""
        cells = math.prod(len(self.fitted.levels[v]) for v in (child, *parents.tolist()))
        if cells > LARGEST_TABLE:
            raise Unavailable(
                f"a graph has so many parents at once that a table of {readable_bytes(8 * cells)} would be needed; the "
                f"limit is {readable_bytes(8 * LARGEST_TABLE)}. Learn again with smaller max_parents=, or merge levels."
            )
        strengths = self.fitted.strengths_given(child, parents)
        log_mean = np.log(strengths) - np.log(strengths.sum(axis=-1, keepdims=True))
        codes = self.rows.codes.astype(np.int64)
        log_probability: np.ndarray = log_mean[(*codes[:, parents].T, codes[:, child])]
        intervened = self.rows.intervened
        return log_probability if intervened is None else np.where(intervened[:, child], 0.0, log_probability)
