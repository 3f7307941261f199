"""DiBS in plain loops: expectations over all graphs of a few variables, one by one.

Logits are a matrix (d, n), [source, target]; scores are child -> {frozenset of parents: log score}.
"""

import itertools
import math

import numpy as np


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def all_graphs(allowed):
    """Every matrix (d, n) of 0 and 1 that is 0 where an edge is not allowed."""
    places = [tuple(p) for p in np.argwhere(allowed)]
    for chosen in itertools.product([0, 1], repeat=len(places)):
        graph = np.zeros(allowed.shape, dtype=int)
        for place, value in zip(places, chosen, strict=True):
            graph[place] = value
        yield graph


def probability(graph, logits, allowed):
    """Of a graph whose edges are independent."""
    p = 1.0
    for place in map(tuple, np.argwhere(allowed)):
        p *= sigmoid(logits[place]) if graph[place] else 1 - sigmoid(logits[place])
    return p


def log_score(graph, targets, scores):
    """Sum of the local scores of the targets."""
    return sum(scores[target][frozenset(np.flatnonzero(graph[:, j]).tolist())] for j, target in enumerate(targets))


def log_expected_score(logits, allowed, targets, scores, push=0.0):
    """`log E[p(D, G) exp(push |G|)] - push E|G|` over the graphs of the logits."""
    total, n_edges = 0.0, 0.0
    for graph in all_graphs(allowed):
        p = probability(graph, logits, allowed)
        total += p * math.exp(log_score(graph, targets, scores) + push * graph.sum())
        n_edges += p * graph.sum()
    return math.log(total) - push * n_edges


def likelihood_gradient(logits, allowed, targets, scores, push=0.0):
    """Its gradient: the mean of `G - sigmoid(logits)` under weights `p(G | logits) p(D, G)`, without a push."""
    total, mean = 0.0, np.zeros(allowed.shape)
    for graph in all_graphs(allowed):
        log_weight = log_score(graph, targets, scores) + push * graph.sum()
        weight = probability(graph, logits, allowed) * math.exp(log_weight)
        total += weight
        mean += weight * graph
    expected = np.array([[sigmoid(x) for x in row] for row in logits])
    return np.where(allowed, mean / total - expected - push * expected * (1 - expected), 0.0)


def cyclicity(graph):
    """`tr((I + G/n)^n) - n` of a matrix (n, n)."""
    n = len(graph)
    product = np.eye(n)
    for _ in range(n):
        product = product @ (np.eye(n) + graph / n)
    return np.trace(product) - n


def mean_cyclicity(logits, allowed, noise):
    """Mean over relaxed graphs, one for each matrix of uniform numbers."""
    values = []
    for uniforms in noise:
        soft = np.zeros(logits.shape)
        for place in map(tuple, np.argwhere(allowed)):
            u = uniforms[place]
            soft[place] = sigmoid(logits[place] + math.log(u) - math.log(1 - u))
        values.append(cyclicity(soft))
    return sum(values) / len(values)


def finite_differences(function, at, width=1e-5):
    """Gradient of a function of a matrix by central differences."""
    gradient = np.zeros(at.shape)
    for place in np.ndindex(*at.shape):
        step = np.zeros(at.shape)
        step[place] = width
        gradient[place] = (function(at + step) - function(at - step)) / (2 * width)
    return gradient


def stein_direction(latent, gradient, bandwidth):
    """`mean_j k(Z_j, Z_i) grad_j + d/dZ_j k(Z_j, Z_i)`, particle by particle."""
    moves = np.zeros(latent.shape)
    for i, here in enumerate(latent):
        for there, upward in zip(latent, gradient, strict=True):
            kernel = math.exp(-((here - there) ** 2).sum() / bandwidth)
            moves[i] += kernel * upward - 2 / bandwidth * (there - here) * kernel
    return moves / len(latent)


def on_a_cycle(graph):
    """Edges (cause, effect) of a square graph from whose effect a walk leads back to the cause."""
    found = set()
    for cause, effect in map(tuple, np.argwhere(graph).tolist()):
        seen, waiting = set(), [effect]
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting += np.flatnonzero(graph[at]).tolist()
        if cause in seen:
            found.add((cause, effect))
    return found


def break_cycles(probabilities, graph):
    """Remove the least probable edge on a cycle until there is none."""
    graph = graph.copy()
    while edges := on_a_cycle(graph):
        graph[min(edges, key=lambda edge: (probabilities[edge], edge))] = False
    return graph
