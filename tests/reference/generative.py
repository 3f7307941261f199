"""Graphs and data from the priors behind the scores, straight from their definitions (BGe: benchmarks.bge_prior)."""

import itertools
import math

import numpy as np
from benchmarks.bge_prior import causes_first

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
