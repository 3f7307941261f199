"""Likelihoods of rows of categories given graphs, graph by graph and row by row, from marginal likelihoods alone."""

import math
from functools import cache

import numpy as np

from reference.bdeu import log_marginal_likelihood, mean_table


def log_likelihoods_of_graphs(codes, arities, graphs, strength=1.0, intervened=None):
    """Log p(rows | G) of each graph: a product over families, of rows in which the child was not set."""
    left = np.ones(codes.shape, dtype=bool) if intervened is None else ~intervened

    @cache
    def family(child, parents):
        return log_marginal_likelihood(codes[left[:, child]], arities, child, parents, strength)

    return np.array([sum(family(*each) for each in families(graph)) for graph in graphs])


def log_predictive_density(train, test, arities, graphs, weights, strength=1.0):
    """The probability of a row is the marginal likelihood with it over that without it."""
    without = log_likelihoods_of_graphs(train, arities, graphs, strength)
    total = 0.0
    for row in test:
        with_it = log_likelihoods_of_graphs(np.vstack([train, row]), arities, graphs, strength)
        total += math.log(sum(weights * np.exp(with_it - without)))
    return total / len(test)


def log_predictive_density_by_tables(
    train, test, arities, graphs, weights, strength=1.0, train_set=None, test_set=None
):
    """The same as a product, over variables that were not set, of entries of their expected tables."""
    left = np.ones(train.shape, dtype=bool) if train_set is None else ~train_set
    intervened = np.zeros(test.shape, dtype=bool) if test_set is None else test_set

    @cache
    def table(child, parents):
        return mean_table(train[left[:, child]], arities, child, parents, strength)

    total = 0.0
    for row, given in zip(test.tolist(), intervened, strict=True):
        total += math.log(
            sum(
                weight
                * math.prod(
                    table(child, parents)[tuple(row[p] for p in parents)][row[child]]
                    for child, parents in families(graph)
                    if not given[child]
                )
                for graph, weight in zip(graphs, weights, strict=True)
            )
        )
    return total / len(test)


def families(graph):
    return [(child, tuple(np.flatnonzero(graph[:, child]).tolist())) for child in range(len(graph))]
