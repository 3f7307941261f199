"""Graphs, parameters and data from the priors behind the scores, straight from their definitions."""

import itertools
import math

import numpy as np
from scipy import stats

from reference.dags import adjacency_of, all_dags
from reference.enumeration import all_pairs


def prior_of_graphs(d, prior="fair", target="order"):
    """Graphs (n, d, d) and their probabilities: a product over parent sets by their sizes.

    With the target "order" a graph is listed, and so counts, once for each order that it follows.
    """
    masks = all_pairs(d)[1] if target == "order" else all_dags(d)
    graphs = adjacency_of(masks)
    weight = [1.0 if prior == "uniform" else 1.0 / math.comb(d - 1, size) for size in range(d)]
    p = np.array(weight)[graphs.sum(axis=1)].prod(axis=1)
    return graphs, p / p.sum()


def draw_graph(graphs_and_p, rng):
    graphs, p = graphs_and_p
    return graphs[rng.choice(len(graphs), p=p)]


def causes_first(graph):
    """An order of the variables that a graph (d, d) follows."""
    left, order = set(range(len(graph))), []
    while left:
        free = [v for v in sorted(left) if not left & set(np.flatnonzero(graph[:, v]).tolist())]
        order += free
        left -= set(free)
    return order


def regression_from_prior(child, parents, n_columns, alpha_mu, alpha_w, t, rng):
    """Intercepts (w,), weights (p, w) and covariance (w, w) of columns given others, from the prior of BGe.

    `W ~ Wishart(alpha_w, (t I)^-1)` and `mu | W ~ N(0, (alpha_mu W)^-1)` over all columns; what the columns of a child
    are given those of its parents there is what they are in the graph. Every child has a normal-Wishart of its own.
    """
    child, parents = list(child), list(parents)
    covariance = np.linalg.inv(stats.wishart(alpha_w, np.eye(n_columns) / t).rvs(random_state=rng))
    mean = rng.multivariate_normal(np.zeros(n_columns), covariance / alpha_mu)
    across = covariance[np.ix_(parents, child)]
    weights = np.linalg.solve(covariance[np.ix_(parents, parents)], across)
    residual = covariance[np.ix_(child, child)] - weights.T @ across
    return mean[child] - mean[parents] @ weights, weights, residual


def numbers_from_prior(graph, n_rows, rng, *, alpha_mu, alpha_w, t, groups=None):
    """Rows (N, columns) from the prior of BGe given a graph; `groups` are the columns of each variable, default one."""
    groups = [[v] for v in range(len(graph))] if groups is None else groups
    n_columns = sum(map(len, groups))
    values = np.zeros((n_rows, n_columns))
    for v in causes_first(graph):
        given = [column for parent in np.flatnonzero(graph[:, v]) for column in groups[parent]]
        prior = alpha_mu, alpha_w, t
        intercepts, weights, covariance = regression_from_prior(groups[v], given, n_columns, *prior, rng)
        noise = rng.multivariate_normal(np.zeros(len(groups[v])), covariance, size=n_rows)
        values[:, groups[v]] = intercepts + values[:, given] @ weights + noise
    return values


def categories_from_prior(graph, arities, n_rows, rng, *, equivalent_sample_size):
    """Codes (N, d) from the prior of BDeu given a graph: one Dirichlet draw for each configuration of the parents."""
    codes = np.zeros((n_rows, len(graph)), dtype=np.int64)
    for child in causes_first(graph):
        parents = np.flatnonzero(graph[:, child]).tolist()
        sizes, r = [arities[p] for p in parents], arities[child]
        strengths = np.full(r, equivalent_sample_size / (math.prod(sizes) * r))
        for configuration in itertools.product(*map(range, sizes)):
            probabilities = rng.dirichlet(strengths)
            rows = np.flatnonzero((codes[:, parents] == configuration).all(axis=1))
            codes[rows, child] = rng.choice(r, size=len(rows), p=probabilities)
    return codes
