"""Local scores: log prior plus log marginal likelihood of one family, the paper's `p_{G_i}(G_i)`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orderspn.scores.protocol import MarginalLikelihood

NO_OUTSIDERS = np.empty((0, 0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LocalScore:
    """A fitted score with a prior over parent sets, and the largest number of parents allowed."""

    likelihood: MarginalLikelihood
    log_prior: np.ndarray  # (d,) by size of the parent set
    max_parents: int

    def table(self, child: int, candidates: np.ndarray, outsiders: np.ndarray = NO_OUTSIDERS) -> np.ndarray:
        """Log scores of all subsets of the candidates, alone and with each row of outsiders, shape (rows * 2**K,)."""
        sizes = subset_sizes(candidates.size)
        rows = [
            self.likelihood.log_likelihoods(child, candidates, self.max_parents, always)
            + self.log_prior[sizes + always.size]
            for always in _rows(outsiders)
        ]
        return np.concatenate(rows)

    def expected_weights(self, child: int, candidates: np.ndarray, outsiders: np.ndarray = NO_OUTSIDERS) -> np.ndarray:
        """Posterior mean weights of candidates, then outsiders, given each set, shape (rows * 2**K, K + width)."""
        n_masks, n_candidates = 1 << candidates.size, candidates.size
        weights = np.zeros(((1 + len(outsiders)) * n_masks, n_candidates + outsiders.shape[1]))
        for row, always in enumerate(_rows(outsiders)):
            own = weights[row * n_masks : (row + 1) * n_masks]
            own[:, : n_candidates + always.size] = self.likelihood.expected_weights(
                child, candidates, self.max_parents, always
            )
        return weights


def _rows(outsiders: np.ndarray) -> list[np.ndarray]:
    return [np.empty(0, dtype=np.int64), *(row[row >= 0] for row in outsiders)]


def subset_sizes(n_bits: int) -> np.ndarray:
    """Number of members of each mask over `n_bits`, shape (2**n_bits,)."""
    return np.bitwise_count(np.arange(1 << n_bits, dtype=np.uint64)).astype(np.int64)
