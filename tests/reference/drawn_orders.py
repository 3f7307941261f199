"""A posterior over a few given orders, by loops over orders and parent sets, one score at a time."""

from itertools import combinations
from math import exp, log

import numpy as np


def reweighted(score_before, score_after, candidates, orders, n_variables):
    """Return log mean of the orders' weights, entropy and edge probabilities (d, d) after a change of scores.

    All orders are equally probable before the change. The entropy is that of the graph given the order plus that of
    the order, up to the log of the number of orders and the log mass of each before the change.
    """
    edges = np.zeros((n_variables, n_variables))
    ratios, scores, own_edges, masses = [], [], [], []
    for order in orders:
        log_ratio = log_before = mean_score = 0.0
        own = np.zeros_like(edges)
        for place, child in enumerate(order):
            allowed = [c for c in candidates[child] if c in order[:place]]
            sets = [np.array(s, dtype=np.int64) for k in range(len(allowed) + 1) for s in combinations(allowed, k)]
            after = np.array([score_after.of_set(child, s) for s in sets])
            before = np.array([score_before.of_set(child, s) for s in sets])
            total_after, total_before = log(sum(map(exp, after))), log(sum(map(exp, before)))
            log_ratio += total_after - total_before
            log_before += total_before
            for log_score, parents in zip(after, sets, strict=True):
                share = exp(log_score - total_after)
                mean_score += share * log_score
                own[parents, child] += share
        ratios.append(log_ratio)
        scores.append(mean_score)
        own_edges.append(own)
        masses.append(log_before)
    weights = np.exp(ratios) / np.exp(ratios).sum()
    log_mean = log(np.exp(ratios).mean())
    edges = sum(w * own for w, own in zip(weights, own_edges, strict=True))
    return log_mean, log_mean - float(weights @ scores), edges
