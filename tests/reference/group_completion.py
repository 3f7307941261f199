"""The distribution of one missing cell of a row whose variables are groups of columns, plainly.

The density of a row is the product over its columns of normal densities given the columns of the parents and the
earlier columns of the same variable. It is evaluated for one candidate value after the other.
"""

import math

import numpy as np


def columns_of_row(row, bases):
    """The whitened columns of a row, given as one list of values for each variable."""
    columns = []
    for values, basis in zip(row, bases, strict=True):
        if basis.degree == 0:
            features = [float(values[0] == level) for level in range(1, len(basis.mean) + 1)]
        else:
            standard = [(x - c) / s for x, c, s in zip(values, basis.centre, basis.scale, strict=True)]
            features = [x**power for power in range(1, basis.degree + 1) for x in standard]
        deviations = [x - m for x, m in zip(features, basis.mean, strict=True)]
        columns += [sum(x * w for x, w in zip(deviations, own, strict=True)) for own in basis.whitening.T]
    return columns


def log_density(row, bases, graph, parameters, intervened=()):
    """Log density of a row under drawn parameters of a graph of variables; families of `intervened` do not count."""
    columns = columns_of_row(row, bases)
    owner = [v for v, basis in enumerate(bases) for _ in range(basis.whitening.shape[1])]
    total = 0.0
    for j, x in enumerate(columns):
        if owner[j] in intervened:
            continue
        given = [i for i, v in enumerate(owner) if graph[v, owner[j]] or (v == owner[j] and i < j)]
        mean = parameters.intercepts[j] + sum(parameters.weights[i, j] * columns[i] for i in given)
        total += -0.5 * math.log(parameters.variances[j]) - (x - mean) ** 2 / (2 * parameters.variances[j])
    return total


def probabilities(row, v, column, candidates, bases, graph, parameters, intervened=()):
    """Probability of each candidate value of one cell given the rest of the row."""
    logs = []
    for value in candidates:
        changed = [list(values) for values in row]
        changed[v][column] = value
        logs.append(log_density(changed, bases, graph, parameters, intervened))
    p = np.exp(np.array(logs) - max(logs))
    return p / p.sum()
