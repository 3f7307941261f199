"""Rows from the prior behind BGe given a graph, straight from its definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats


def causes_first(graph: np.ndarray) -> list[int]:
    """Return an order of the variables that a graph (d, d) follows."""
    left, order = set(range(len(graph))), []
    while left:
        free = [v for v in sorted(left) if not left & set(np.flatnonzero(graph[:, v]).tolist())]
        order += free
        left -= set(free)
    return order


def regression_from_prior(
    child: Sequence[int],
    parents: Sequence[int],
    n_columns: int,
    alpha_mu: float,
    alpha_w: float,
    t: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def numbers_from_prior(
    graph: np.ndarray,
    n_rows: int,
    rng: np.random.Generator,
    *,
    alpha_mu: float,
    alpha_w: float,
    t: float,
    groups: Sequence[Sequence[int]] | None = None,
) -> np.ndarray:
    """Rows (N, columns) from the prior of BGe given a graph; `groups` are the columns of each variable, default one."""
    groups = [[v] for v in range(len(graph))] if groups is None else groups
    n_columns = sum(map(len, groups))
    values = np.zeros((n_rows, n_columns))
    for v in causes_first(graph):
        given = [column for parent in np.flatnonzero(graph[:, v]).tolist() for column in groups[parent]]
        prior = alpha_mu, alpha_w, t
        intercepts, weights, covariance = regression_from_prior(groups[v], given, n_columns, *prior, rng)
        noise = rng.multivariate_normal(np.zeros(len(groups[v])), covariance, size=n_rows)
        values[:, groups[v]] = intercepts + values[:, given] @ weights + noise
    return values
