"""A family: every parent set of one variable over its candidates, weighted by local scores.

This is the only definition of a leaf. Learning, marginals, most probable graphs, samples and effects all read
it; evidence on the family removes parent sets from it and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from orderspn.leaves.parent_sampling import draw_parent_sets
from orderspn.leaves.transforms import subset_expectation, subset_max, subset_sum, superset_sum

TIE_ABSOLUTE, TIE_RELATIVE = 1e-9, 1e-12
"""Scores closer than this (rounding, Markov-equivalent graphs) count as equal when one maximum is chosen."""


@dataclass(frozen=True, eq=False)
class Family:
    """Weighted parent sets of one variable.

    A set of parents, or of allowed parents, is a mask over `candidates`: bit b stands for `candidates[b]`.

    Attributes
    ----------
    child : int
        The variable.
    candidates : numpy.ndarray
        Ascending indices of the K variables that may be its parents.
    log_score : numpy.ndarray
        Shape (2**K,): log of prior times likelihood of each parent set, less `log_scale`; -inf for those ruled out.
    log_scale : float
        What all scores of the family were divided by, so that sums keep their digits however many rows there are. It
        cancels in every probability.
    """

    child: int
    candidates: np.ndarray  # (K,)
    log_score: np.ndarray  # (2**K,)
    log_scale: float = 0.0
    _kept: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    @property
    def log_mass(self) -> np.ndarray:
        """`log tau(U)`: log of the summed scores of the parent sets within U, shape (2**K,)."""
        return self._keep("log_mass", subset_sum)

    @property
    def log_best(self) -> np.ndarray:
        """Log of the best score among the parent sets within U, shape (2**K,)."""
        return self._keep("log_best", subset_max)

    def _keep(self, name: str, transform: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        # Not functools.cached_property: before Python 3.12 its lock would make threads wait for each other.
        if name not in self._kept:
            self._kept[name] = transform(self.log_score)
        return self._kept[name]

    def mask_of(self, variables: np.ndarray) -> int:
        """The variables that are candidates, as a mask."""
        return int(sum(1 << int(bit) for bit in np.flatnonzero(np.isin(self.candidates, variables))))

    def restricted(self, required: int, forbidden: int) -> Family:
        """The same family under evidence: only sets with all of `required` and none of `forbidden`."""
        masks = np.arange(self.log_score.size)
        allowed = ((masks & required) == required) & ((masks & forbidden) == 0)
        return Family(self.child, self.candidates, np.where(allowed, self.log_score, -np.inf), self.log_scale)

    def parent_set_probabilities(self, placement: np.ndarray) -> np.ndarray:
        """Posterior of every parent set, given how probable each set of predecessors is.

        `placement[U]` is the probability that the candidates before the variable are exactly U; the result is
        `p(G) * sum over U containing G of placement(U) / tau(U)`.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            log_ratio = np.where(placement > 0.0, np.log(placement) - self.log_mass, -np.inf)
            return np.exp(self.log_score + superset_sum(log_ratio))

    def sample_parents(self, allowed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw one parent set within each of the masks `allowed`, with probability `p(G) / tau(U)`."""
        half = self.candidates.size // 2
        log_partial = subset_sum(self.log_score, n_bits=half)
        uniforms = rng.random((allowed.size, 2))
        return draw_parent_sets(self.log_score, log_partial, self.log_mass, allowed, half, uniforms)

    def best_parents(self, allowed: int, ranks: np.ndarray) -> int:
        """The best parent set within `allowed`; among equals the smallest, then the first by `ranks`."""
        masks = np.arange(self.log_score.size)
        within = (masks & ~allowed) == 0
        best = self.log_best[allowed]
        tied = masks[within & (self.log_score >= best - tie_tolerance(best))]

        def preference(mask: int) -> tuple[int, list[int]]:
            members = sorted(int(ranks[v]) for b, v in enumerate(self.candidates) if mask >> b & 1)
            return len(members), members

        return min((int(mask) for mask in tied), key=preference)

    def expected_weights(self, weights: np.ndarray) -> np.ndarray:
        """Mean of `weights[G]` (2**K, K) over the parent sets within U, for every U."""
        return subset_expectation(self.log_score, weights)


def tie_tolerance(log_value: float) -> float:
    """How far below `log_value` another value still counts as equal."""
    return TIE_ABSOLUTE + TIE_RELATIVE * abs(log_value)


def edge_marginals(probabilities: np.ndarray) -> np.ndarray:
    """Probability of each bit, from the probabilities of all masks, shape (K,).

    Each bit is read off the upper half and then summed out, so that all bits cost 2**(K+1) additions.
    """
    n_bits = probabilities.size.bit_length() - 1
    marginals = np.empty(n_bits)
    remaining = probabilities
    for bit in reversed(range(n_bits)):
        lower, upper = remaining[: 1 << bit], remaining[1 << bit :]
        marginals[bit] = upper.sum()
        remaining = lower + upper
    return marginals
