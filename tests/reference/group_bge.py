"""BGe over groups of columns, plainly: the marginal likelihood of all columns of a set, one determinant at a time."""

import numpy as np
from scipy.special import multigammaln


def whitened(features):
    """Uncorrelated columns of variance 1 that span the same space as features around their means, by SVD."""
    centred = features - features.mean(axis=0)
    left, values, _ = np.linalg.svd(centred / np.maximum(np.linalg.norm(centred, axis=0), 1e-300), full_matrices=False)
    return left[:, values > 1e-7] * np.sqrt(len(features))


def polynomials(column, degree):
    standard = (column - column.mean()) / column.std()
    return np.stack([standard**power for power in range(1, degree + 1)], axis=1)


def indicators(column):
    """Indicators of all levels: one too many, which whitening leaves out."""
    return np.array([[float(value == level) for level in sorted(set(column))] for value in column])


def log_marginal(columns, n_columns, alpha_mu=1.0, alpha_w=None, t=None):
    """Log marginal likelihood of some columns (N, l), of n in the whole table."""
    n_rows, size = columns.shape
    if size == 0:
        return 0.0
    alpha_w = n_columns + 2.0 if alpha_w is None else alpha_w
    t = alpha_mu * (alpha_w - n_columns - 1) / (alpha_mu + 1) if t is None else t
    before = alpha_w - n_columns + size
    after = n_rows + before
    mean = columns.mean(axis=0)
    scatter = (columns - mean).T @ (columns - mean)
    matrix = t * np.eye(size) + scatter + n_rows * alpha_mu / (n_rows + alpha_mu) * np.outer(mean, mean)
    return (
        -size * n_rows / 2 * np.log(np.pi)
        + size / 2 * np.log(alpha_mu / (n_rows + alpha_mu))
        + multigammaln(after / 2, size)
        - multigammaln(before / 2, size)
        + before / 2 * size * np.log(t)
        - after / 2 * np.linalg.slogdet(matrix)[1]
    )


def log_family(groups, child, parents, rows=None, **hyperparameters):
    """Score of a child given parents, from the whitened columns of every variable; of some of the rows."""
    rows = np.ones(len(groups[0]), dtype=bool) if rows is None else rows
    n_columns = sum(group.shape[1] for group in groups)
    nothing = np.empty((rows.sum(), 0))
    below = np.concatenate([nothing, *(groups[v][rows] for v in parents)], axis=1)
    above = np.concatenate([below, groups[child][rows]], axis=1)
    return log_marginal(above, n_columns, **hyperparameters) - log_marginal(below, n_columns, **hyperparameters)
