"""BGe and BDeu of one family by their textbook formulas, with 80 digits and from the raw table.

The numbers of the table, and hyperparameters, are taken as exactly what they are in floating point.
"""

import itertools
from collections import Counter

from mpmath import mp

DIGITS = 80


def _rising(strength, n):
    """`Gamma(strength + n) / Gamma(strength)` as a product."""
    product = mp.mpf(1)
    for i in range(n):
        product *= strength + i
    return product


def bdeu(codes, arities, child, parents, equivalent_sample_size):
    """Log p(x_child | parents); configurations without rows contribute a factor of 1."""
    with mp.workdps(DIGITS):
        q, r = mp.mpf(1), int(arities[child])
        for parent in parents:
            q *= int(arities[parent])
        strength = mp.mpf(equivalent_sample_size)
        rows = codes.tolist()
        groups = Counter(tuple(row[p] for p in parents) for row in rows)
        cells = Counter((*(row[p] for p in parents), row[child]) for row in rows)
        total = sum((mp.log(_rising(strength / (q * r), n)) for n in cells.values()), mp.mpf(0))
        return total - sum(mp.log(_rising(strength / q, n)) for n in groups.values())


class BGeTable:
    """The posterior matrix R of columns of numbers, and scores from its determinants."""

    def __init__(self, columns, alpha_mu=1.0, alpha_w=None, t=None):
        with mp.workdps(DIGITS):
            self.n, self.d = len(columns[0]), len(columns)
            self.alpha_mu = mp.mpf(alpha_mu)
            self.alpha_w = mp.mpf(self.d + 2 if alpha_w is None else alpha_w)
            default = self.alpha_mu * (self.alpha_w - self.d - 1) / (self.alpha_mu + 1)
            self.t = default if t is None else mp.mpf(t)
            columns = [[mp.mpf(x) for x in column] for column in columns]
            self.mean = [mp.fsum(column) / self.n if self.n else mp.mpf(0) for column in columns]
            centred = [[x - mean for x in column] for column, mean in zip(columns, self.mean, strict=True)]
            shift = self.n * self.alpha_mu / (self.n + self.alpha_mu)
            self.matrix = mp.matrix(self.d)
            for a, b in itertools.product(range(self.d), repeat=2):
                self.matrix[a, b] = mp.fdot(centred[a], centred[b]) + shift * self.mean[a] * self.mean[b]
                self.matrix[a, b] += self.t if a == b else 0

    def _eliminated(self, members, target):
        """Pivots of the members, one after the other, and the coefficients of the target on them."""
        rows = [[self.matrix[a, b] for b in [*members, target]] for a in members]
        for k, row in enumerate(rows):
            for i in range(k + 1, len(rows)):
                factor = rows[i][k] / row[k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], row, strict=True)]
        weights = [mp.mpf(0)] * len(rows)
        for k in reversed(range(len(rows))):
            weights[k] = (rows[k][-1] - mp.fdot(rows[k][k + 1 : -1], weights[k + 1 :])) / rows[k][k]
        return [row[k] for k, row in enumerate(rows)], weights

    def _log_det(self, members):
        return mp.fsum(mp.log(pivot) for pivot in self._eliminated(members, members[0])[0]) if members else mp.mpf(0)

    def log_marginal_likelihood(self, child, parents):
        """Log p(x_child | parents)."""
        with mp.workdps(DIGITS):
            q, n, size = sorted(parents), self.n, len(parents)
            freedom = self.alpha_w - self.d + size
            return (
                mp.log(self.alpha_mu / (n + self.alpha_mu)) / 2
                + mp.loggamma((n + freedom + 1) / 2)
                - mp.loggamma((freedom + 1) / 2)
                - mp.mpf(n) / 2 * mp.log(mp.pi)
                + (freedom + 1) / 2 * (size + 1) * mp.log(self.t)
                - freedom / 2 * size * mp.log(self.t)
                + (n + freedom) / 2 * self._log_det(q)
                - (n + freedom + 1) / 2 * self._log_det([*q, child])
            )

    def mean_weights(self, child, parents):
        """Posterior mean of the weights of the parents, in their order."""
        with mp.workdps(DIGITS):
            return [float(x) for x in self._eliminated(list(parents), child)[1]]

    def inverse_diagonal(self, members):
        """Of the inverse of R within the members, one number for each: that of its residual given the others."""
        with mp.workdps(DIGITS):
            last = [self._eliminated([*(m for m in members if m != own), own], own)[0][-1] for own in members]
            return [float(1 / pivot) for pivot in last]


def relative(log_scores):
    """Differences to the largest, taken before they are rounded: {key: float}."""
    with mp.workdps(DIGITS):
        best = max(log_scores.values())
        return {key: float(value - best) for key, value in log_scores.items()}


def standardized(columns):
    """Columns centred and divided by their population standard deviations."""
    with mp.workdps(DIGITS):
        done = []
        for column in columns:
            exact = [mp.mpf(x) for x in column]
            mean = mp.fsum(exact) / len(exact)
            deviation = mp.sqrt(mp.fsum((x - mean) ** 2 for x in exact) / len(exact))
            done.append([(x - mean) / deviation for x in exact])
        return done
