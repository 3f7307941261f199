"""BGe of one family in exact rational arithmetic: only the final logarithms are rounded.

For data on which floating-point determinants cannot be trusted.
"""

import math
from fractions import Fraction


def _determinant(matrix):
    """Of a positive definite matrix of fractions, by elimination."""
    rows = [list(row) for row in matrix]
    product = Fraction(1)
    for k in range(len(rows)):
        product *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return product


def _log(fraction):
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def log_marginal_likelihood(values, child, parents):
    """Default hyperparameters: alpha_mu = 1, alpha_w = d + 2, t = 1/2; then d itself cancels."""
    n = len(values)
    t = Fraction(1, 2)
    members = [*sorted(parents), child]
    columns = {v: [Fraction(float(x)) for x in values[:, v]] for v in members}
    mean = {v: sum(columns[v]) / n for v in members}

    def entry(a, b):
        scatter = sum((x - mean[a]) * (y - mean[b]) for x, y in zip(columns[a], columns[b], strict=True))
        return scatter + Fraction(n, n + 1) * mean[a] * mean[b] + (t if a == b else 0)

    matrix = [[entry(a, b) for b in members] for a in members]
    inner = [row[:-1] for row in matrix[:-1]]
    size = len(parents)
    return (
        0.5 * math.log(1 / (n + 1))
        + math.lgamma((n + size + 3) / 2)
        - math.lgamma((size + 3) / 2)
        - n / 2 * math.log(math.pi)
        + (size + 3) / 2 * (size + 1) * math.log(0.5)
        - (size + 2) / 2 * size * math.log(0.5)
        + (n + size + 2) / 2 * _log(_determinant(inner))
        - (n + size + 3) / 2 * _log(_determinant(matrix))
    )
