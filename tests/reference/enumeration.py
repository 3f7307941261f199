"""Brute force: every pair of an order and a DAG that follows it, listed one by one.

The target is order-modular: p(order, DAG) is proportional to the product of the local scores, so a DAG counts
once for each of its orders.
"""

import itertools
from functools import cache

import numpy as np


@cache
def all_pairs(d):
    """Orders (P, d) and parents as masks over all variables (P, d): `masks[p, child]`."""
    orders, masks = [], []
    for order in itertools.permutations(range(d)):
        before = 0
        choices = [None] * d
        for child in order:
            choices[child] = [m for m in range(1 << d) if m & ~before == 0]
            before |= 1 << child
        for chosen in itertools.product(*choices):
            orders.append(order)
            masks.append(chosen)
    return np.array(orders), np.array(masks)


def log_sum_exp(log_values):
    log_values = np.asarray(log_values, dtype=float)
    top = log_values.max(initial=-np.inf)
    return top if top == -np.inf else top + np.log(np.exp(log_values - top).sum())


class Enumeration:
    """All (order, DAG) pairs with their log weights; every query is a plain sum over them."""

    def __init__(self, orders, masks, log_weight):
        self.orders, self.masks, self.log_weight = orders, masks, log_weight
        self.d = orders.shape[1]

    @classmethod
    def of(cls, scores):
        """From local scores, child -> {frozenset of parents: log score}; sets not named have weight 0."""
        d = len(scores)
        orders, masks = all_pairs(d)
        table = np.full((d, 1 << d), -np.inf)
        for child, sets in scores.items():
            for parents, log_score in sets.items():
                table[child, sum(1 << p for p in parents)] = log_score
        log_weight = sum(table[child, masks[:, child]] for child in range(d))
        possible = log_weight > -np.inf
        return cls(orders[possible], masks[possible], log_weight[possible])

    def holds(self, present=(), absent=(), before=()):
        """Which pairs satisfy a conjunction of edges (cause, effect) and places in the order (first, second)."""
        keep = np.ones(len(self.masks), dtype=bool)
        for cause, effect in present:
            keep &= (self.masks[:, effect] >> cause & 1) == 1
        for cause, effect in absent:
            keep &= (self.masks[:, effect] >> cause & 1) == 0
        position = np.argsort(self.orders, axis=1)
        for first, second in before:
            keep &= position[:, first] < position[:, second]
        return keep

    def given(self, present=(), absent=(), before=()):
        keep = self.holds(present, absent, before)
        return Enumeration(self.orders[keep], self.masks[keep], self.log_weight[keep])

    @property
    def log_evidence(self):
        return log_sum_exp(self.log_weight)

    @property
    def p(self):
        return np.exp(self.log_weight - self.log_evidence)

    @property
    def adjacency(self):
        """(P, d, d), [cause, effect]."""
        return (self.masks[:, None, :] >> np.arange(self.d)[None, :, None] & 1).astype(bool)

    def probability(self, present=(), absent=(), before=()):
        return self.p[self.holds(present, absent, before)].sum()

    def edge_probabilities(self):
        return np.einsum("p,pij->ij", self.p, self.adjacency)

    def parent_sets(self, child):
        by_mask = np.bincount(self.masks[:, child], weights=self.p, minlength=1 << self.d)
        return {frozenset(b for b in range(self.d) if m >> b & 1): q for m, q in enumerate(by_mask) if q > 0}

    def best_log_weight(self):
        return self.log_weight.max()

    def precedence(self):
        position = np.argsort(self.orders, axis=1)
        return np.einsum("p,pij->ij", self.p, position[:, :, None] < position[:, None, :])

    def entropy(self):
        p = self.p[self.p > 0]
        return -(p * np.log(p)).sum()

    def effects(self, mean_weights):
        """E[(I - B)^-1], B the mean weights given the graph: child -> {parents: weights (d,)}.

        Given the graph the columns of B are independent, and the total effect is linear in each column.
        """
        table = np.zeros((self.d, 1 << self.d, self.d))
        for child, sets in mean_weights.items():
            for parents, weights in sets.items():
                table[child, sum(1 << k for k in parents)] = weights
        b = np.stack([table[child, self.masks[:, child]] for child in range(self.d)], axis=2)  # (P, cause, effect)
        return np.einsum("p,pij->ij", self.p, np.linalg.inv(np.eye(self.d) - b))

    def pair_probabilities(self):
        """(order, masks of all children) -> probability."""
        keys = zip(map(tuple, self.orders.tolist()), map(tuple, self.masks.tolist()), strict=True)
        return dict(zip(keys, self.p.tolist(), strict=True))

    def graph_probabilities(self):
        summed = {}
        for (_, masks), q in self.pair_probabilities().items():
            summed[masks] = summed.get(masks, 0.0) + q
        return summed

    def order_probabilities(self):
        summed = {}
        for (order, _), q in self.pair_probabilities().items():
            summed[order] = summed.get(order, 0.0) + q
        return summed
