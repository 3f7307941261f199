"""The exact distribution of the descendants of a variable, in the posterior over all orders of one block.

Variables are placed one at a time. With the placed set U goes the set T of those that descend from the source. A new
variable v descends if it has a parent in T: given U it does not with probability `tau(U - T) / tau(U)`. So states are
pairs of U and a subset T of it, 3 for each variable but the source, and a step from one to the next has a probability.
The distribution of T, when all are placed, is that of whole sets of descendants. One source takes about
`n 3**(n - 1)` steps and `3**(n - 1)` numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.leaves.explained_parts import ExplainedParts
from orderspn.leaves.family import Family
from orderspn.leaves.transforms import subset_sum
from orderspn.scores.protocol import NO_VARIABLES

MOST_VARIABLES = 15
"""Most ordered variables: 5 million states for each source."""


@dataclass(frozen=True, eq=False)
class Descendants:
    """The orders of a block, for questions about descendants.

    Attributes
    ----------
    families : sequence of Family
        Families of all variables of the data, by index.
    before, variables : numpy.ndarray
        The context variables, and those that are ordered.
    """

    families: Sequence[Family]
    before: np.ndarray
    variables: np.ndarray

    def probabilities(self, source: int) -> np.ndarray:
        """Return the probability of each set of descendants of a variable, by its mask over `variables`, (2**n,).

        The source is not among its own descendants.
        """
        n = self.variables.size
        found = np.zeros(1 << n)
        place = np.flatnonzero(self.variables == source)
        if place.size:
            log_free = self._log_tau
            _spread(self._steps, self._log_tau, log_free, int(place[0]), found)
        else:
            log_free = self._tables(forbidden=np.array([source]))
            _spread(self._steps, self._log_tau, log_free, -1, found)
        return found

    def matrix(self, workers: Workers) -> np.ndarray:
        """Return the probability that one variable is an ancestor of another, (d, d)."""
        d, n = len(self.families), self.variables.size
        ancestors = np.zeros((d, d))
        inside = (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(np.float64)
        _ = self._steps, self._log_tau  # cached before threads use them

        def fill(source: int) -> None:
            ancestors[source, self.variables] = self.probabilities(source) @ inside

        workers.run([partial(fill, source) for source in range(d)], workers.steps("descendants", d))
        return np.minimum(ancestors, 1.0)

    @cached_property
    def _log_tau(self) -> np.ndarray:
        """Log of the summed scores of the parent sets within each set of variables, (n, 2**n)."""
        return self._tables(forbidden=NO_VARIABLES)

    @cached_property
    def _steps(self) -> np.ndarray:
        """The probability that a variable is placed next after each set, (n, 2**n)."""
        n = self.variables.size
        log_leaves = self._log_tau.copy()
        for place, v in enumerate(self.variables.tolist()):
            needed = _mask_of(np.isin(self.variables, self.families[v].needs))
            log_leaves[place, (np.arange(1 << n) & needed) != needed] = -np.inf
        steps = np.zeros((n, 1 << n))
        _step_probabilities(log_leaves, steps)
        return steps

    def _tables(self, forbidden: np.ndarray) -> np.ndarray:
        """Return the log sums over parent sets without some variables; context parents are summed over."""
        n = self.variables.size
        masks = np.arange(1 << n)
        tables = np.empty((n, 1 << n))
        for place, v in enumerate(self.variables.tolist()):
            family = self.families[v].restricted(NO_VARIABLES, forbidden)
            summed = ExplainedParts.of(family, self.variables).summed
            own = np.zeros(1 << n, dtype=np.int64)
            for bit, candidate in enumerate(summed.candidates.tolist()):
                own |= (masks >> int(np.searchsorted(self.variables, candidate)) & 1) << bit
            tables[place] = subset_sum(summed.log_score, summed.candidates.size)[own]
        return tables


def _mask_of(members: np.ndarray) -> int:
    return int(members @ (1 << np.arange(members.size)))


@kernel
def _step_probabilities(log_leaves, steps):
    """Fill in the probability of each next variable: its leaf value times the mass of all that may follow."""
    n, count = log_leaves.shape
    log_rest = np.zeros(count)  # of all orders of the variables that are not placed
    for placed in range(count - 2, -1, -1):
        largest = -np.inf
        for v in range(n):
            if not (placed >> v) & 1:
                largest = max(largest, log_leaves[v, placed] + log_rest[placed | (1 << v)])
        if largest == -np.inf:
            log_rest[placed] = -np.inf
            continue
        total = 0.0
        for v in range(n):
            if not (placed >> v) & 1:
                steps[v, placed] = math.exp(log_leaves[v, placed] + log_rest[placed | (1 << v)] - largest)
                total += steps[v, placed]
        for v in range(n):
            steps[v, placed] /= total
        log_rest[placed] = largest + math.log(total)


@kernel
def _spread(steps, log_tau, log_free, source, found):
    """Fill in the probability of each set of descendants of an ordered variable, or of one before all if it is -1."""
    n, count = steps.shape
    powers = np.zeros(n, np.int64)  # of 3, for each variable but the source
    n_states = 1
    for v in range(n):
        if v != source:
            powers[v] = n_states
            n_states *= 3
    own = 0 if source < 0 else 1 << source
    mass = np.zeros(n_states)
    if source < 0:
        mass[0] = 1.0
    else:
        _place_source(steps, source, powers, mass)
    digits = np.zeros(n, np.int64)  # 0: to be placed, 1: placed, 2: a descendant
    placed = own
    descending = 0
    for state in range(n_states):
        if mass[state] > 0.0:
            if placed == count - 1:
                found[descending] += mass[state]
            for v in range(n):
                if digits[v] > 0 or v == source or steps[v, placed] == 0.0:
                    continue
                here = mass[state] * steps[v, placed]
                apart = math.exp(log_free[v, placed & ~(descending | own)] - log_tau[v, placed])
                mass[state + powers[v]] += here * apart
                mass[state + 2 * powers[v]] += here * (1.0 - apart)
        for v in range(n):  # count up by one
            if v == source:
                continue
            digits[v] += 1
            if digits[v] == 1:
                placed |= 1 << v
                break
            if digits[v] == 2:
                descending |= 1 << v
                break
            digits[v] = 0
            placed &= ~(1 << v)
            descending &= ~(1 << v)


@kernel
def _place_source(steps, source, powers, mass):
    """Fill in the probability that the source is placed after each set, none of which descends from it."""
    n, count = steps.shape
    reach = np.zeros(count)
    reach[0] = 1.0
    for placed in range(count):
        if (placed >> source) & 1 or reach[placed] == 0.0:
            continue
        state = 0
        for v in range(n):
            if (placed >> v) & 1:
                state += powers[v]
            elif v != source:
                reach[placed | (1 << v)] += reach[placed] * steps[v, placed]
        mass[state] += reach[placed] * steps[source, placed]
