"""Local scores: log prior plus log marginal likelihood of one family, the paper's `p_{G_i}(G_i)`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from orderspn.core.masks import check_candidates
from orderspn.scores.answers import check_gap, read_finite, read_log_values, read_numbers, read_weights
from orderspn.scores.capabilities import weights_of
from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.protocol import NO_VARIABLES, MarginalLikelihood

NO_OUTSIDERS = np.empty((0, 0), dtype=np.int64)

ROWS_AT_ONCE = "log_likelihoods_of_rows"
"""The method of scores that compute all rows of a family in one call; the others are called row by row."""


@dataclass(frozen=True, eq=False)
class LocalScore:
    """A fitted score with a prior over parent sets, the largest number of parents, and rules for parents.

    Context variables have no parents and no score of their own: that of their empty parent set is 0.
    """

    likelihood: MarginalLikelihood
    log_prior: np.ndarray  # (d,) by size of the parent set
    max_parents: int
    known: ParentRules | None = None
    context: np.ndarray = field(default_factory=lambda: NO_VARIABLES)  # ascending indices

    def __repr__(self) -> str:
        known = "" if self.known is None else ", with background knowledge"
        return f"<LocalScore: {self.likelihood!r}, at most {self.max_parents} parents{known}>"

    @cached_property
    def rules(self) -> ParentRules:
        """The rules for parents; without background knowledge and context only that none is a parent of itself."""
        known = ParentRules.none(self.log_prior.size) if self.known is None else self.known
        return known.without_causes_of(self.context) if self.context.size else known

    def is_context(self, child: int) -> bool:
        """Whether a variable is context: only ever a parent."""
        return bool(np.isin(child, self.context))

    def table(self, child: int, candidates: np.ndarray, outsiders: np.ndarray = NO_OUTSIDERS) -> np.ndarray:
        """Compute log scores of all subsets of the candidates, alone and with each row of outsiders, (rows * 2**K,)."""
        check_candidates(candidates.size)  # before any array of size 2**K is allocated
        if self.is_context(child):
            return _only_empty_set((1 + len(outsiders)) << candidates.size)
        sizes, most = subset_sizes(candidates.size), self._most_parents(child)
        log_prior = np.where(np.arange(self.log_prior.size) <= most, self.log_prior, -np.inf)  # for any score
        log_score = np.empty((1 + len(outsiders), sizes.size))
        log_score[0] = self._log_likelihoods(child, candidates, NO_VARIABLES)
        log_score[1:] = self._log_likelihoods_of_rows(child, candidates, outsiders)
        log_normalizer = 0.0 if self.known is None else self.known.log_normalizer(child, self.log_prior)
        for row, always in zip(log_score, _rows(outsiders), strict=True):
            row += log_prior[sizes + always.size]
            if self.known is not None:
                row += self.known.log_weights(child, candidates, always) - log_normalizer
        check_gap(self.likelihood, log_score.ravel())
        return log_score.ravel()

    def _log_likelihoods(self, child: int, candidates: np.ndarray, always: np.ndarray) -> np.ndarray:
        answer = self.likelihood.log_likelihoods(child, candidates, self._most_parents(child), always)
        return read_log_values(self.likelihood, "log_likelihoods", answer, (1 << candidates.size,))

    def of_set(self, child: int, parents: np.ndarray) -> float:
        """Compute the log score of one set of parents; -inf if it breaks a rule or is too large."""
        if self.is_context(child):
            return -np.inf if parents.size else 0.0
        if parents.size > self._most_parents(child):
            return -np.inf
        log_score = float(self._log_likelihoods(child, NO_VARIABLES, parents)[0] + self.log_prior[parents.size])
        if self.known is None:
            return log_score
        log_weight = float(self.known.log_weights(child, NO_VARIABLES, parents))
        return log_score + log_weight - self.known.log_normalizer(child, self.log_prior)

    def _log_likelihoods_of_rows(self, child: int, candidates: np.ndarray, outsiders: np.ndarray) -> np.ndarray:
        """Compute the same with each row of outsiders, in one call if the score has one, shape (rows, 2**K)."""
        shape = (len(outsiders), 1 << candidates.size)
        at_once = getattr(self.likelihood, ROWS_AT_ONCE, None)
        if at_once is None or not len(outsiders):
            rows = [self._log_likelihoods(child, candidates, always) for always in _rows(outsiders)[1:]]
            return np.array(rows).reshape(shape)
        answer = at_once(child, candidates, self._most_parents(child), outsiders)
        return read_log_values(self.likelihood, ROWS_AT_ONCE, answer, shape)

    def with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Compute the log score of `parents` with each one more variable (d,), without the prior of their number.

        It is the log likelihood plus the known log odds of all of them; -inf for variables that may not be parents.
        """
        odds, possible = self.rules.log_odds[:, child], self.rules.allowed[:, child].copy()
        possible[parents] = False  # no parent is chosen twice, for any score
        method = "log_likelihoods_with_one_more"
        answer = getattr(self.likelihood, method)(child, parents)
        log_likelihood = np.where(possible, read_numbers(self.likelihood, method, answer, possible.shape), -np.inf)
        return read_log_values(self.likelihood, method, log_likelihood, possible.shape) + odds + odds[parents].sum()

    def expected_weights(self, child: int, candidates: np.ndarray, outsiders: np.ndarray = NO_OUTSIDERS) -> np.ndarray:
        """Return the posterior mean weights of candidates, then outsiders, given each set, (rows * 2**K, K + width)."""
        check_candidates(candidates.size)  # before any array of size 2**K is allocated
        n_masks, n_candidates = 1 << candidates.size, candidates.size
        weights = np.zeros(((1 + len(outsiders)) * n_masks, n_candidates + outsiders.shape[1]))
        for row, always in enumerate(_rows(outsiders)):
            own = weights[row * n_masks : (row + 1) * n_masks]
            answer = weights_of(self.likelihood).expected_weights(child, candidates, self._most_parents(child), always)
            width = n_candidates + always.size
            own[:, :width] = read_finite(self.likelihood, "expected_weights", answer, (n_masks, width))
        return weights

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return location (p,), scale (p, p) and degrees of freedom of the t distribution of the parents' weights."""
        return read_weights(self.likelihood, weights_of(self.likelihood).weights_given(child, parents), parents.size)

    @property
    def most_parents(self) -> int:
        """The largest number of parents of any variable."""
        return min(self.max_parents, int(self.rules.most.max()))

    def _most_parents(self, child: int) -> int:
        return min(self.max_parents, int(self.rules.most[child]))


def _only_empty_set(count: int) -> np.ndarray:
    """Return log scores of `count` parent sets: 0 for the empty one, and -inf for all others."""
    log_score = np.full(count, -np.inf)
    log_score[0] = 0.0
    return log_score


def _rows(outsiders: np.ndarray) -> list[np.ndarray]:
    return [NO_VARIABLES, *(row[row >= 0] for row in outsiders)]


def subset_sizes(n_bits: int) -> np.ndarray:
    """Return the number of members of each mask over `n_bits`, shape (2**n_bits,)."""
    return np.bitwise_count(np.arange(1 << n_bits, dtype=np.uint64)).astype(np.int64)
