"""Local scores of data of small linear Gaussian networks whose parents are known."""

import numpy as np

from orderspn.data.dataset import read_table
from orderspn.scores.bge import BGe
from orderspn.scores.local import LocalScore
from orderspn.scores.structure_prior import log_prior_by_size


def local_score(values, max_parents=None):
    d = values.shape[1]
    return LocalScore(
        BGe().fit(read_table(values)), log_prior_by_size("fair", d), d - 1 if max_parents is None else max_parents
    )


def linear_data(parents, n, seed=0, weight=1.0):
    """Rows of a network given as the parents of each variable, which come before it; weights have random signs."""
    rng = np.random.default_rng(seed)
    values = np.empty((n, len(parents)))
    for child, causes in enumerate(parents):
        signs = rng.choice([-weight, weight], size=len(causes))
        values[:, child] = values[:, causes] @ signs + rng.normal(size=n)
    return values / values.std(axis=0)


def log_score_of_set(local, child, parents):
    """Of a single parent set: the last entry of the table of all its subsets."""
    return float(local.table(child, np.array(sorted(parents), dtype=np.int64))[-1])
