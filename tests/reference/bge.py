"""BGe of one family by determinants, straight from the formula."""

import math

import numpy as np


def posterior_matrix(values, alpha_mu=1.0, alpha_w=None, t=None):
    """R = T + S_N + N alpha_mu / (N + alpha_mu) xbar xbar', with the prior matrix T = t I and alpha_w."""
    n, d = values.shape
    alpha_w = d + 2 if alpha_w is None else alpha_w
    t = alpha_mu * (alpha_w - d - 1) / (alpha_mu + 1) if t is None else t
    xbar = values.mean(axis=0)
    scatter = sum(np.outer(row - xbar, row - xbar) for row in values)
    return t * np.eye(d) + scatter + n * alpha_mu / (n + alpha_mu) * np.outer(xbar, xbar), t * np.eye(d), alpha_w


def _log_det(matrix, members):
    sign, log_det = np.linalg.slogdet(matrix[np.ix_(members, members)])
    assert sign > 0
    return log_det


def log_marginal_likelihood(values, child, parents, alpha_mu=1.0, alpha_w=None, t=None):
    """Log p(x_child | parents)."""
    n, d = values.shape
    posterior, prior, alpha_w = posterior_matrix(values, alpha_mu, alpha_w, t)
    q = sorted(parents)
    qj = [*q, child]
    size = len(q)
    return (
        0.5 * math.log(alpha_mu / (n + alpha_mu))
        + math.lgamma((n + alpha_w - d + size + 1) / 2)
        - math.lgamma((alpha_w - d + size + 1) / 2)
        - n / 2 * math.log(math.pi)
        + (alpha_w - d + size + 1) / 2 * _log_det(prior, qj)
        - (alpha_w - d + size) / 2 * _log_det(prior, q)
        + (n + alpha_w - d + size) / 2 * _log_det(posterior, q)
        - (n + alpha_w - d + size + 1) / 2 * _log_det(posterior, qj)
    )


def mean_weights(values, child, parents, alpha_mu=1.0, alpha_w=None, t=None):
    """Posterior mean of the weight of every variable on the child, shape (d,); 0 for those that are no parents."""
    posterior, _, _ = posterior_matrix(values, alpha_mu, alpha_w, t)
    q = sorted(parents)
    weights = np.zeros(values.shape[1])
    if q:
        weights[q] = np.linalg.solve(posterior[np.ix_(q, q)], posterior[q, child])
    return weights
