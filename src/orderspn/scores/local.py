"""Local scores: log prior plus log marginal likelihood of one family, the paper's `p_{G_i}(G_i)`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.protocol import NOBODY, MarginalLikelihood

NO_OUTSIDERS = np.empty((0, 0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class LocalScore:
    """A fitted score with a prior over parent sets, the largest number of parents, and what is known of them."""

    likelihood: MarginalLikelihood
    log_prior: np.ndarray  # (d,) by size of the parent set
    max_parents: int
    known: ParentRules | None = None

    @cached_property
    def rules(self) -> ParentRules:
        """What is known of parents: where nobody said anything, that they are other variables."""
        return ParentRules.none(self.log_prior.size) if self.known is None else self.known

    def table(self, child: int, candidates: np.ndarray, outsiders: np.ndarray = NO_OUTSIDERS) -> np.ndarray:
        """Log scores of all subsets of the candidates, alone and with each row of outsiders, shape (rows * 2**K,)."""
        sizes, most = subset_sizes(candidates.size), self._most_parents(child)
        rows = [
            self.likelihood.log_likelihoods(child, candidates, most, always) + self.log_prior[sizes + always.size]
            for always in _rows(outsiders)
        ]
        if self.known is not None:
            log_normalizer = self.known.log_normalizer(child, self.log_prior)
            for row, always in zip(rows, _rows(outsiders), strict=True):
                row += self.known.log_weights(child, candidates, always) - log_normalizer
        return np.concatenate(rows)

    def with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """What speaks for `parents` and one more variable (d,), whatever the prior of their number.

        The log likelihood and known odds of all of them; -inf for variables that may not be parents.
        """
        odds = self.rules.log_odds[:, child]
        log_score = self.likelihood.log_likelihoods_with_one_more(child, parents) + odds + odds[parents].sum()
        return np.where(self.rules.allowed[:, child], log_score, -np.inf)

    def expected_weights(self, child: int, candidates: np.ndarray, outsiders: np.ndarray = NO_OUTSIDERS) -> np.ndarray:
        """Posterior mean weights of candidates, then outsiders, given each set, shape (rows * 2**K, K + width)."""
        n_masks, n_candidates = 1 << candidates.size, candidates.size
        weights = np.zeros(((1 + len(outsiders)) * n_masks, n_candidates + outsiders.shape[1]))
        for row, always in enumerate(_rows(outsiders)):
            own = weights[row * n_masks : (row + 1) * n_masks]
            own[:, : n_candidates + always.size] = self.likelihood.expected_weights(
                child, candidates, self._most_parents(child), always
            )
        return weights

    @property
    def most_parents(self) -> int:
        """The largest number of parents of any variable."""
        return min(self.max_parents, int(self.rules.most.max()))

    def _most_parents(self, child: int) -> int:
        return min(self.max_parents, int(self.rules.most[child]))


def _rows(outsiders: np.ndarray) -> list[np.ndarray]:
    return [NOBODY, *(row[row >= 0] for row in outsiders)]


def subset_sizes(n_bits: int) -> np.ndarray:
    """Number of members of each mask over `n_bits`, shape (2**n_bits,)."""
    return np.bitwise_count(np.arange(1 << n_bits, dtype=np.uint64)).astype(np.int64)
