"""All orders of a block (S_1, S_2), by listing them and, where there are too many, by recursion over subsets.

`scores` is a dictionary child -> {frozenset of parents: log score}, as for the enumeration of DAGs.
"""

import itertools
import math
from functools import cache

import numpy as np

from reference.enumeration import log_sum_exp


def log_leaf(scores, child, before):
    """Log tau: all parent sets of the child within `before`."""
    return log_sum_exp([s for parents, s in scores[child].items() if parents <= before])


def log_best_leaf(scores, child, before):
    return max((s for parents, s in scores[child].items() if parents <= before), default=-math.inf)


class OrderList:
    """Every order of S_2 with its log weight, when S_1 comes before."""

    def __init__(self, scores, before, variables, leaf=log_leaf):
        self.scores, self.before, self.variables = scores, frozenset(before), list(variables)
        self.orders = list(itertools.permutations(self.variables))
        self.log_weights = np.array([self._log_weight(order, leaf) for order in self.orders])
        self.log_mass = log_sum_exp(self.log_weights)
        self.p = np.exp(self.log_weights - self.log_mass)

    def _log_weight(self, order, leaf):
        placed, total = set(self.before), 0.0
        for child in order:
            total += leaf(self.scores, child, frozenset(placed))
            placed.add(child)
        return total

    def placements(self, child):
        """Frozenset of exactly the variables before the child (S_1 included) -> probability."""
        summed = {}
        for order, q in zip(self.orders, self.p, strict=True):
            before = self.before | set(order[: order.index(child)])
            summed[before] = summed.get(before, 0.0) + q
        return summed

    def precedence(self):
        n = len(self.variables)
        matrix = np.zeros((n, n))
        for order, q in zip(self.orders, self.p, strict=True):
            for a, b in itertools.combinations(order, 2):
                matrix[self.variables.index(a), self.variables.index(b)] += q
        return matrix

    def effects(self, weights):
        """Mean effects of all variables on those of the block, (d, n), diagonal 0.

        `weights`: child -> {parents: (d,) weights given exactly these parents}. Given the order, weights of
        different variables are independent.
        """
        d = len(self.scores)
        total = np.zeros((d, d))
        for order, q in zip(self.orders, self.p, strict=True):
            if q == 0.0:
                continue
            b = np.zeros((d, d))
            placed = set(self.before)
            for child in order:
                b[:, child] = expected_weights(self.scores, weights, child, frozenset(placed))
                placed.add(child)
            total += q * (np.linalg.inv(np.eye(d) - b) - np.eye(d))
        return total[:, self.variables]


def expected_weights(scores, weights, child, before):
    total = log_leaf(scores, child, before)
    mean = np.zeros(len(scores))
    for parents, log_score in scores[child].items():
        if parents <= before and log_score > -math.inf:
            mean += math.exp(log_score - total) * weights[child][parents]
    return mean


class SubsetRecursion:
    """The same by recursion over subsets, for blocks of nine or ten variables."""

    def __init__(self, scores, before, variables, leaf=log_leaf):
        self.scores, self.before, self.variables = scores, frozenset(before), tuple(variables)
        self.full = frozenset(variables)
        self.leaf = cache(lambda child, placed: leaf(scores, child, self.before | placed))
        self.prefix = cache(self._prefix)
        self.suffix = cache(self._suffix)
        self.best = cache(self._best)

    def _prefix(self, placed):
        if not placed:
            return 0.0
        return log_sum_exp([self.prefix(placed - {j}) + self.leaf(j, placed - {j}) for j in sorted(placed)])

    def _suffix(self, coming):
        if not coming:
            return 0.0
        placed = self.full - coming
        return log_sum_exp([self.leaf(j, placed) + self.suffix(coming - {j}) for j in sorted(coming)])

    def _best(self, placed):
        if not placed:
            return 0.0
        return max(self.best(placed - {j}) + self.leaf(j, placed - {j}) for j in placed)

    def subset(self, mask):
        return frozenset(v for b, v in enumerate(self.variables) if mask >> b & 1)

    def table(self, kind):
        """`prefix`, `suffix` or `best` of every mask."""
        return np.array([getattr(self, kind)(self.subset(m)) for m in range(1 << len(self.variables))])

    def placements(self, child):
        """Frozenset of exactly the variables before the child (S_1 included) -> probability."""
        others = [v for v in self.variables if v != child]
        result = {}
        for size in range(len(others) + 1):
            for chosen in itertools.combinations(others, size):
                placed = frozenset(chosen)
                log_p = (
                    self.prefix(placed)
                    + self.leaf(child, placed)
                    + self.suffix(self.full - placed - {child})
                    - self.prefix(self.full)
                )
                result[self.before | placed] = math.exp(log_p)
        return result

    def precedence(self):
        n = len(self.variables)
        matrix = np.zeros((n, n))
        for j, child in enumerate(self.variables):
            for placed, q in self.placements(child).items():
                for i, other in enumerate(self.variables):
                    if other in placed:
                        matrix[i, j] += q
        return matrix

    def effects(self, weights):
        """As for `OrderList`: the mean matrix of effects among S_1 and each subset, extended one by one."""
        d = len(self.scores)

        @cache
        def mean_effects(placed):
            if not placed:
                return np.zeros((d, d))
            total = np.zeros((d, d))
            for j in sorted(placed):
                rest = placed - {j}
                log_share = self.prefix(rest) + self.leaf(j, rest) - self.prefix(placed)
                if log_share == -math.inf:
                    continue
                inner = mean_effects(rest)
                extended = inner.copy()
                w = expected_weights(self.scores, weights, j, self.before | rest)
                extended[:, j] = w + inner @ w
                total += math.exp(log_share) * extended
            return total

        return mean_effects(self.full)[:, list(self.variables)]


def prefix_table_by_levels(n, leaf_table, reduce=np.logaddexp.reduce):
    """Plain NumPy over levels of subsets: `leaf_table[j, mask]` is the log leaf of j after exactly `mask`."""
    values = np.full(1 << n, -np.inf)
    values[0] = 0.0
    masks = np.arange(1 << n)
    sizes = np.array([m.bit_count() for m in range(1 << n)])
    for size in range(1, n + 1):
        level = masks[sizes == size]
        terms = np.full((n, level.size), -np.inf)
        for j in range(n):
            has = (level >> j & 1) == 1
            rest = level[has] ^ (1 << j)
            terms[j, has] = values[rest] + leaf_table[j, rest]
        values[level] = reduce(terms, axis=0)
    return values
