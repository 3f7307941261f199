"""Likelihoods of rows given graphs, graph by graph and row by row, from marginal likelihoods alone."""

import math

import numpy as np

from reference.bge import log_marginal_likelihood


def log_likelihood_of_graph(values, graph, **hyperparameters):
    """Log p(rows | G): a product over families."""
    return sum(
        log_marginal_likelihood(values, child, np.flatnonzero(graph[:, child]).tolist(), **hyperparameters)
        for child in range(len(graph))
    )


def marginal_log_likelihood(values, graphs, weights, **hyperparameters):
    each = [log_likelihood_of_graph(values, graph, **hyperparameters) for graph in graphs]
    return sum(w * log_likelihood for w, log_likelihood in zip(weights, each, strict=True))


def log_predictive_density(train, test, graphs, weights, **hyperparameters):
    """The density of a row is the marginal likelihood with it over that without it."""
    without = [log_likelihood_of_graph(train, graph, **hyperparameters) for graph in graphs]
    total = 0.0
    for row in test:
        together = np.vstack([train, row])
        density = sum(
            w * math.exp(log_likelihood_of_graph(together, graph, **hyperparameters) - alone)
            for graph, w, alone in zip(graphs, weights, without, strict=True)
        )
        total += math.log(density)
    return total / len(test)
