"""A family: the weighted parent sets of one variable.

This is the only definition of a leaf. Learning, marginals, most probable graphs, draws and effects all use it. Evidence
only removes parent sets from it.

Parent sets are in *rows*. Row 0 has every subset of the candidates. Each further row has every subset of the candidates
together with one or two given other variables, the *outsiders* of that row. So parents are not limited to candidates. A
set of predecessors opens row 0 and the rows whose outsiders it contains.

Order constraints may require variables to come before the child, as parents or not: the *needs* of the family. A set
of predecessors that lacks one of them has mass 0. The scores of parent sets do not depend on the needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from orderspn.leaves.parent_sampling import draw_parent_sets, draw_rows
from orderspn.leaves.transforms import (
    add_supersets_of_rows,
    multiply_into,
    subset_expectation,
    subset_max,
    subset_sum,
)
from orderspn.leaves.validation import check_family
from orderspn.scores.local import NO_OUTSIDERS
from orderspn.scores.protocol import NO_VARIABLES

TIE_ABSOLUTE, TIE_RELATIVE = 1e-9, 1e-12
"""Scores closer than this, by rounding or Markov equivalence, count as equal when the best is chosen."""


@dataclass(frozen=True, eq=False)
class Family:
    """Weighted parent sets of one variable.

    A parent set is the number `row * 2**K + mask`; bit b of the mask is `candidates[b]`.

    Attributes
    ----------
    child : int
        The variable.
    candidates : numpy.ndarray
        Ascending indices of the K variables that may be its parents in any combination.
    log_score : numpy.ndarray
        Shape (rows * 2**K,): log of prior times likelihood of each parent set, minus `log_scale`; -inf for impossible
        ones.
    log_scale : float
        Log of the factor that all scores were divided by, so that sums of scores do not lose digits. It cancels in
        every probability.
    outsider_rows : numpy.ndarray
        Shape (rows - 1, width): the outsiders of each further row; -1 for none.
    needs : numpy.ndarray
        Ascending indices of candidates that must come before the child, as parents or not.
    is_context : bool
        Whether the child is a context variable: it has no parents, comes before all others and is not ordered.
    """

    child: int
    candidates: np.ndarray  # (K,)
    log_score: np.ndarray  # (rows * 2**K,)
    log_scale: float = 0.0
    outsider_rows: np.ndarray = field(default_factory=lambda: NO_OUTSIDERS)
    needs: np.ndarray = field(default_factory=lambda: NO_VARIABLES)
    is_context: bool = False
    _kept: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_family(self.child, self.candidates, self.log_score, self.outsider_rows)

    @property
    def n_masks(self) -> int:
        """Number of subsets of the candidates: 2**K."""
        return 1 << self.candidates.size

    @property
    def n_rows(self) -> int:
        """Number of rows: 1, and one for each choice of outsiders."""
        return 1 + len(self.outsider_rows)

    @property
    def outsiders(self) -> np.ndarray:
        """The variables that are outsiders of any row, ascending."""
        return np.unique(self.outsider_rows[self.outsider_rows >= 0])

    @property
    def log_mass(self) -> np.ndarray:
        """Log of the summed scores of the sets of a row whose candidates are within a mask, shape (rows * 2**K,).

        Without outsiders this is `log tau(U)`; with them, tau(U) is the sum over the rows that U opens. It is -inf for
        a mask that lacks one of `needs`.
        """
        return self._keep("log_mass", subset_sum)

    @property
    def log_best(self) -> np.ndarray:
        """Log of the best score among the sets of a row whose candidates are within a mask, as `log_mass`."""
        return self._keep("log_best", subset_max)

    def _keep(self, name: str, transform: Callable[[np.ndarray, int], np.ndarray]) -> np.ndarray:
        # Not functools.cached_property: before Python 3.12 its lock would make threads wait for each other.
        if name in self._kept:
            return self._kept[name]
        table = transform(self.log_score, self.candidates.size)
        if self.needs.size:
            table.reshape(self.n_rows, self.n_masks)[:, ~self._contain_needs(np.arange(self.n_masks))] = -np.inf
        if self.n_rows == 1:  # tables of many rows are used once, and too large to keep
            self._kept[name] = table
        return table

    def may_have(self, variable: int) -> bool:
        """Whether a variable may be a parent."""
        return bool(np.isin(variable, self.candidates) or np.isin(variable, self.outsider_rows))

    @property
    def possible(self) -> bool:
        """Whether any parent set is possible."""
        return bool((self.log_score > -np.inf).any())

    def possible_after(self, before: np.ndarray) -> bool:
        """Whether `before` (d,), bool, contains all needs and a possible parent set."""
        if not before[self.needs].all():
            return False
        if self.log_score[0] > -np.inf:  # the empty set is possible
            return True
        masks, opened = self.opened_by(before[None])
        if self.n_rows == 1:  # a lookup in a table that is needed anyway
            return bool(self.log_mass[masks[0]] > -np.inf)
        within = (np.arange(self.n_masks) & ~masks[0]) == 0
        by_row = self.log_score.reshape(self.n_rows, self.n_masks)
        return bool((by_row[opened[0]][:, within] > -np.inf).any())

    @property
    def largest_size(self) -> int:
        """Number of members of the largest possible parent set; 0 if none is possible."""
        in_row = (self._row_members >= 0).sum(axis=1)
        sizes = in_row[:, None] + np.bitwise_count(np.arange(self.n_masks, dtype=np.uint64))
        return int(sizes.ravel()[self.log_score > -np.inf].max(initial=0))

    def restricted(self, required: np.ndarray, forbidden: np.ndarray) -> Family:
        """Return the family under evidence: only sets with all `required` and no `forbidden` variables are possible."""
        masks = np.arange(self.n_masks)
        need, avoid = self._mask_of(required), self._mask_of(forbidden)
        allowed_masks = ((masks & need) == need) & ((masks & avoid) == 0)
        required_outsiders = np.setdiff1d(required, self.candidates)
        allowed_rows = np.array(
            [
                np.isin(required_outsiders, row).all() and not np.isin(row[row >= 0], forbidden).any()
                for row in self._row_members
            ]
        )
        allowed = (allowed_rows[:, None] & allowed_masks).ravel()
        log_score = np.where(allowed, self.log_score, -np.inf)
        return replace(self, log_score=log_score)

    def after(self, variables: np.ndarray) -> Family:
        """Return the family with additional needs: these candidates must come before the child."""
        return replace(self, needs=np.union1d(self.needs, variables).astype(np.int64))

    def always_has(self, variable: int) -> bool:
        """Whether every possible parent set contains a variable, which therefore always comes before the child."""
        return not self.restricted(NO_VARIABLES, np.array([variable])).possible

    def parent_set_probabilities(self, mantissa: np.ndarray, exponent: np.ndarray) -> np.ndarray:
        """Return the posterior probability of every parent set, in the array of the mantissas.

        `mantissa * 2**exponent` (rows * 2**K,) is the sum of `placement / tau` over the predecessors that open the row
        and whose candidates are exactly U; the result is `p(G)` times its sum over the U that contain G. Both arrays
        are overwritten: they are large.
        """
        add_supersets_of_rows(mantissa, exponent, self.n_masks)
        multiply_into(self.log_score, mantissa, exponent)
        return mantissa

    def opened_by(self, before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the masks of the candidates in predecessors (n, d), bool, and the rows they open (n, rows)."""
        masks = before[:, self.candidates] @ (np.int64(1) << np.arange(self.candidates.size))
        opened = np.ones((len(before), self.n_rows), dtype=bool)
        if self.n_rows > 1:
            opened[:, 1:] = (before[:, np.maximum(self.outsider_rows, 0)] | (self.outsider_rows < 0)).all(axis=2)
        return masks.astype(np.int64), opened

    def sample_parents(self, before: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw one parent set within each row of predecessors `before` (n, d), with probability `p(G) / tau(U)`."""
        masks, opened = self.opened_by(before)
        half = self.candidates.size // 2
        # For few draws, going through all subsets of predecessors takes less time than the table of partial sums.
        if (1 << np.bitwise_count(masks).astype(np.int64)).sum() <= half * self.log_score.size:
            half = 0
        log_partial = subset_sum(self.log_score, half) if half else self.log_score
        log_mass = self.log_mass
        uniforms = rng.random((len(before), 2))
        if self.n_rows > 1:
            masks = masks + self.n_masks * draw_rows(log_mass, masks, opened, rng.random(len(before)))
        return draw_parent_sets(self.log_score, log_partial, log_mass, masks, half, self.n_masks, uniforms)

    def best_parents(self, before: np.ndarray, ranks: np.ndarray) -> int:
        """Return the best parent set within `before` (d,), bool; of equals the smallest, then the first by `ranks`."""
        masks, opened = self.opened_by(before[None])
        within = (np.arange(self.n_masks) & ~masks[0]) == 0
        log_score = np.where((opened[0][:, None] & within).ravel(), self.log_score, -np.inf)
        best = float(log_score.max())
        tied = np.flatnonzero(log_score >= best - tie_tolerance(best))

        def preference(parent_set: int) -> tuple[int, list[int]]:
            members = sorted(ranks[self.members(parent_set)].tolist())
            return len(members), members

        return min(tied.tolist(), key=preference)

    def members(self, parent_set: int) -> np.ndarray:
        """Return the variables of a parent set, ascending."""
        row, mask = divmod(parent_set, self.n_masks)
        outsiders = self._row_members[row]
        chosen = self.candidates[(mask >> np.arange(self.candidates.size) & 1).astype(bool)]
        return np.sort(np.concatenate([chosen, outsiders[outsiders >= 0]]))

    def indicators(self, parent_sets: np.ndarray, d: int) -> np.ndarray:
        """Return which variables are in each parent set, shape (n, d), bool."""
        rows, masks = parent_sets // self.n_masks, parent_sets % self.n_masks
        inside = np.zeros((parent_sets.size, d + 1), dtype=bool)
        inside[:, self.candidates] = masks[:, None] >> np.arange(self.candidates.size) & 1
        np.put_along_axis(inside, self._row_members[rows], True, axis=1)  # -1 is the column that is cut off
        return inside[:, :d]

    def edge_marginals(self, probabilities: np.ndarray, d: int) -> np.ndarray:
        """Return the probability that each variable is a parent, shape (d,), given those of all parent sets."""
        by_row = probabilities.reshape(self.n_rows, self.n_masks)
        marginals = np.zeros(d + 1)
        marginals[self.candidates] = bit_marginals(by_row.sum(axis=0))
        for outsiders, total in zip(self.outsider_rows, by_row[1:].sum(axis=1), strict=True):
            marginals[outsiders] += total
        marginals[self.certain] = 1.0  # without rounding error
        return marginals[:d]

    @property
    def certain(self) -> np.ndarray:
        """The candidates that are in every possible parent set, ascending."""
        possible = np.flatnonzero(self.log_score > -np.inf) % self.n_masks
        in_all = np.bitwise_and.reduce(possible, initial=self.n_masks - 1)
        return self.candidates[(in_all >> np.arange(self.candidates.size) & 1).astype(bool)]

    def expected_weights(self, weights: np.ndarray) -> np.ndarray:
        """Return the mean of `weights[G]` (rows * 2**K, ...) over the sets of a row within each mask."""
        return subset_expectation(self.log_score, weights, self.candidates.size)

    def expected_weights_given(self, before: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the expected weight of every variable given predecessors `before` (n, d), shape (n, d)."""
        n, d = before.shape
        masks, opened = self.opened_by(before)
        expected, n_candidates = self.expected_weights(weights), self.candidates.size
        log_mass = self.log_mass.reshape(self.n_rows, self.n_masks)[:, masks].T  # (n, rows)
        log_mass = np.where(opened, log_mass, -np.inf)
        shares = np.exp(log_mass - log_mass.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        result = np.zeros((n, d + 1))
        for row, outsiders in enumerate(self._row_members):
            own = shares[:, [row]] * expected[row * self.n_masks + masks]
            result[:, self.candidates] += own[:, :n_candidates]
            result[:, outsiders] += own[:, n_candidates:]
        return result[:, :d]

    @property
    def _row_members(self) -> np.ndarray:
        """Outsiders of every row, shape (rows, width); row 0 has none."""
        return np.concatenate([np.full((1, self.outsider_rows.shape[1]), -1), self.outsider_rows])

    @property
    def needs_mask(self) -> int:
        """The needs as a mask of candidates."""
        return self._mask_of(self.needs)

    def _contain_needs(self, masks: np.ndarray) -> np.ndarray:
        """Whether masks contain all needs."""
        return (masks & self.needs_mask) == self.needs_mask

    def _mask_of(self, variables: np.ndarray) -> int:
        return int(sum(1 << int(bit) for bit in np.flatnonzero(np.isin(self.candidates, variables))))


def tie_tolerance(log_value: float) -> float:
    """Return the distance within which another log value counts as equal to `log_value`."""
    return TIE_ABSOLUTE + TIE_RELATIVE * abs(log_value)


def bit_marginals(probabilities: np.ndarray) -> np.ndarray:
    """Return the probability of each bit, shape (K,), given the probabilities of all masks.

    Each bit is summed over the upper half of the masks and then summed out, so all bits cost 2**(K+1) additions.
    """
    n_bits = probabilities.size.bit_length() - 1
    marginals = np.empty(n_bits)
    remaining = probabilities
    for bit in reversed(range(n_bits)):
        lower, upper = remaining[: 1 << bit], remaining[1 << bit :]
        marginals[bit] = upper.sum()
        remaining = lower + upper
    return marginals
