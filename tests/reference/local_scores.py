"""Local scores of all families as dictionaries: child -> {parents: log score}."""

import itertools
import math

from reference.bge import log_marginal_likelihood, mean_weights


def subsets(members):
    members = sorted(members)
    for size in range(len(members) + 1):
        for chosen in itertools.combinations(members, size):
            yield frozenset(chosen)


def log_prior(prior, size, d):
    """Log probability of one parent set of this size; `prior` is "fair", "uniform" or weights by size."""
    if prior == "fair":
        return -math.log(d) - math.log(math.comb(d - 1, size))
    if prior == "uniform":
        return -(d - 1) * math.log(2)
    total = sum(math.comb(d - 1, k) * prior(k) for k in range(d))
    return math.log(prior(size) / total) if prior(size) > 0 else -math.inf


def local_scores(values, prior="fair", candidates=None, max_parents=None, outsiders=0, **hyperparameters):
    """`candidates`: child -> its candidate parents (default all others), which so many `outsiders` may join."""
    d = values.shape[1]
    scores = {}
    for child in range(d):
        others = set(range(d)) - {child}
        inside = others if candidates is None else set(candidates[child])
        scores[child] = {
            parents: log_prior(prior, len(parents), d)
            + log_marginal_likelihood(values, child, parents, **hyperparameters)
            for parents in subsets(others)
            if len(parents - inside) <= outsiders and (max_parents is None or len(parents) <= max_parents)
        }
    return scores


def all_mean_weights(values, **hyperparameters):
    """Child -> {parents: mean weights of all variables on the child}, for every set of parents."""
    d = values.shape[1]
    return {
        child: {
            parents: mean_weights(values, child, parents, **hyperparameters)
            for parents in subsets(set(range(d)) - {child})
        }
        for child in range(d)
    }
