"""Brute force with context variables: every order of the explained ones, and every graph that follows it."""

import itertools

import numpy as np

from reference.dags import adjacency_of, all_dags
from reference.enumeration import Enumeration, log_sum_exp


def pairs_after(context, d):
    """Orders (P, d), context first, and parents as masks (P, d); context variables have none."""
    first = sum(1 << c for c in context)
    orders, masks = [], []
    for order in itertools.permutations([v for v in range(d) if v not in context]):
        before = first
        choices = [[0]] * d
        for child in order:
            choices[child] = [m for m in range(1 << d) if m & ~before == 0]
            before |= 1 << child
        for chosen in itertools.product(*choices):
            orders.append((*sorted(context), *order))
            masks.append(chosen)
    return np.array(orders), np.array(masks)


def enumerated(scores, context):
    """All (order, graph) pairs, from local scores child -> {parents: log score}; those of context do not count."""
    d = len(scores)
    orders, masks = pairs_after(context, d)
    table = np.full((d, 1 << d), -np.inf)
    for child, sets in scores.items():
        for parents, log_score in sets.items():
            table[child, sum(1 << p for p in parents)] = log_score
    explained = [v for v in range(d) if v not in context]
    log_weight = sum(table[child, masks[:, child]] for child in explained)
    possible = log_weight > -np.inf
    return Enumeration(orders[possible], masks[possible], log_weight[possible])


class ContextDags:
    """All graphs in which context variables have no parents, each counted once."""

    def __init__(self, scores, context):
        d = len(scores)
        every = all_dags(d)
        self.masks = every[(every[:, sorted(context)] == 0).all(axis=1)]
        log_weights = np.zeros(len(self.masks))
        for child in range(d):
            if child not in context:
                table = np.full(1 << d, -np.inf)
                for parents, log_score in scores[child].items():
                    table[sum(1 << p for p in parents)] = log_score
                log_weights += table[self.masks[:, child]]
        self.log_mass = log_sum_exp(log_weights)
        self.p = np.exp(log_weights - self.log_mass)
        self.log_best = log_weights.max()

    def edge_probabilities(self):
        return np.einsum("p,pij->ij", self.p, adjacency_of(self.masks))

    def graph_probabilities(self):
        return dict(zip(map(tuple, self.masks.tolist()), self.p.tolist(), strict=True))
