"""Local scores: log prior plus log marginal likelihood of one family, the paper's `p_{G_i}(G_i)`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orderspn.scores.protocol import MarginalLikelihood


@dataclass(frozen=True, eq=False)
class LocalScore:
    """A fitted score with a prior over parent sets, and the largest number of parents allowed."""

    likelihood: MarginalLikelihood
    log_prior: np.ndarray  # (d,) by size of the parent set
    max_parents: int

    def table(self, child: int, candidates: np.ndarray) -> np.ndarray:
        """Log scores of all subsets of the candidates, shape (2**K,)."""
        log_likelihood = self.likelihood.log_likelihoods(child, candidates, self.max_parents)
        return log_likelihood + self.log_prior[subset_sizes(candidates.size)]

    def expected_weights(self, child: int, candidates: np.ndarray) -> np.ndarray:
        """Posterior mean weights given each subset of the candidates, shape (2**K, K)."""
        return self.likelihood.expected_weights(child, candidates, self.max_parents)


def subset_sizes(n_bits: int) -> np.ndarray:
    """Number of members of each mask over `n_bits`, shape (2**n_bits,)."""
    return np.bitwise_count(np.arange(1 << n_bits, dtype=np.uint64)).astype(np.int64)
