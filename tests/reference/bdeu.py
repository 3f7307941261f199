"""BDeu of one family straight from the formula: every configuration, also those that never occur."""

import itertools
import math

import numpy as np


def log_marginal_likelihood(codes, arities, child, parents, equivalent_sample_size=1.0):
    """Log p(x_child | parents), a product over all q configurations of the parents."""
    parents = sorted(parents)
    r, q = arities[child], math.prod(arities[p] for p in parents)
    total = 0.0
    for configuration in itertools.product(*(range(arities[p]) for p in parents)):
        inside = [
            row for row in codes.tolist() if all(row[p] == x for p, x in zip(parents, configuration, strict=True))
        ]
        total += math.lgamma(equivalent_sample_size / q) - math.lgamma(equivalent_sample_size / q + len(inside))
        for level in range(r):
            count = sum(row[child] == level for row in inside)
            total += math.lgamma(equivalent_sample_size / (q * r) + count)
            total -= math.lgamma(equivalent_sample_size / (q * r))
    return total


def by_prediction(codes, arities, child, parents, equivalent_sample_size=1.0):
    """The same as a product of the probabilities of one row after the other, each given those before it."""
    parents = sorted(parents)
    r, q = arities[child], math.prod(arities[p] for p in parents)
    total, before = 0.0, []
    for row in codes.tolist():
        inside = [other for other in before if all(other[p] == row[p] for p in parents)]
        same = sum(other[child] == row[child] for other in inside)
        strength = equivalent_sample_size / q
        total += math.log((same + strength / r) / (len(inside) + strength))
        before.append(row)
    return total


def mean_table(codes, arities, child, parents, equivalent_sample_size=1.0):
    """Configuration of the parents, sorted -> expected probabilities of the levels of the child."""
    parents = sorted(parents)
    r, q = arities[child], math.prod(arities[p] for p in parents)
    table = {}
    for configuration in itertools.product(*(range(arities[p]) for p in parents)):
        inside = [
            row for row in codes.tolist() if all(row[p] == x for p, x in zip(parents, configuration, strict=True))
        ]
        counts = np.array([sum(row[child] == level for row in inside) for level in range(r)])
        strengths = counts + equivalent_sample_size / (q * r)
        table[configuration] = strengths / strengths.sum()
    return table


def interventional(codes, arities, graph, variable, fixed, equivalent_sample_size=1.0):
    """Expected P(variable | do(fixed)) given a graph (d, d): a sum over every assignment of all variables."""
    d = len(arities)
    parents = [np.flatnonzero(graph[:, v]).tolist() for v in range(d)]
    tables = [mean_table(codes, arities, v, parents[v], equivalent_sample_size) for v in range(d)]
    answer = np.zeros(arities[variable])
    for values in itertools.product(*(range(r) for r in arities)):
        if all(values[v] == level for v, level in fixed.items()):
            answer[values[variable]] += math.prod(
                tables[v][tuple(values[p] for p in parents[v])][values[v]] for v in range(d) if v not in fixed
            )
    return answer


def local_scores(codes, arities, log_prior, equivalent_sample_size=1.0):
    """Child -> {parents: log score}, for every set of other variables; `log_prior` by size."""
    d = len(arities)
    return {
        child: {
            frozenset(parents): log_prior(len(parents))
            + log_marginal_likelihood(codes, arities, child, parents, equivalent_sample_size)
            for size in range(d)
            for parents in itertools.combinations([v for v in range(d) if v != child], size)
        }
        for child in range(d)
    }
