"""Graphs without cycles, each counted once: listed one by one, or summed by their layers in plain Python."""

import itertools
import math
from functools import cache

import numpy as np

from reference.enumeration import all_pairs, log_sum_exp


@cache
def all_dags(d):
    """Parents of each variable in each graph as masks, shape (graphs, d)."""
    return np.unique(all_pairs(d)[1], axis=0)


def adjacency_of(masks):
    """Graphs (n, d) as masks of parents, as matrices (n, d, d), [cause, effect]."""
    return (masks[:, None, :] >> np.arange(masks.shape[1])[None, :, None] & 1).astype(bool)


@cache
def number_of_dags(d):
    """Robinson's recurrence, in integers: k of the variables have no parents, with inclusion and exclusion."""
    if d == 0:
        return 1
    return sum((-1) ** (k + 1) * math.comb(d, k) * 2 ** (k * (d - k)) * number_of_dags(d - k) for k in range(1, d + 1))


class DagList:
    """All graphs with their log weights; every query is a plain sum over them."""

    def __init__(self, scores):
        """From local scores, child -> {frozenset of parents: log score}; sets not named have weight 0."""
        self.d = len(scores)
        self.masks = all_dags(self.d)
        table = np.full((self.d, 1 << self.d), -np.inf)
        for child, sets in scores.items():
            for parents, log_score in sets.items():
                table[child, sum(1 << p for p in parents)] = log_score
        self.log_weights = sum(table[child, self.masks[:, child]] for child in range(self.d))
        self.log_mass = log_sum_exp(self.log_weights)

    @property
    def p(self):
        return np.exp(self.log_weights - self.log_mass)

    def parent_set(self, child, parents):
        mask = sum(1 << p for p in parents)
        return self.p[self.masks[:, child] == mask].sum()

    def graph_probabilities(self):
        """Masks of the parents of all variables -> probability."""
        return dict(zip(map(tuple, self.masks.tolist()), self.p.tolist(), strict=True))


def subsets(members):
    return [frozenset(s) for size in range(len(members) + 1) for s in itertools.combinations(sorted(members), size)]


def log_mass_by_layers(scores):
    """The sum over all graphs by recursion over layers, in logarithms and from the definition."""
    everything = frozenset(scores)

    def log_tau(child, before, last):
        return log_sum_exp([s for parents, s in scores[child].items() if parents <= before and parents & last])

    @cache
    def log_ends(before, last):
        """All ways to go on after the variables `before`, the last layer of which is `last`."""
        if before == everything:
            return 0.0
        log_taus = {j: log_tau(j, before, last) for j in everything - before}
        return log_sum_exp(
            [sum(log_taus[j] for j in t) + log_ends(before | t, t) for t in subsets(everything - before) if t]
        )

    return log_sum_exp(
        [
            sum(scores[j].get(frozenset(), -np.inf) for j in roots) + log_ends(roots, roots)
            for roots in subsets(scores)
            if roots
        ]
    )


def linear_extensions(adjacency):
    """The number of orders that a graph follows, by trying all of them."""
    edges = list(zip(*np.nonzero(adjacency), strict=True))
    return sum(
        all(order.index(cause) < order.index(effect) for cause, effect in edges)
        for order in itertools.permutations(range(len(adjacency)))
    )
