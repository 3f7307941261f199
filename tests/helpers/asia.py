"""The chest clinic network, from which the bundled rows were drawn."""

import numpy as np

from orderspn.data.bundled import ASIA_PARENTS

ASIA_YES = {
    "asia": 0.01,
    "smoke": 0.5,
    "tub": [0.01, 0.05],
    "lung": [0.01, 0.1],
    "bronc": [0.3, 0.6],
    "either": [[0.0, 1.0], [1.0, 1.0]],
    "xray": [0.05, 0.98],
    "dysp": [[0.1, 0.7], [0.8, 0.9]],
}
"""Probability of "yes" given the parents, in the order above, "no" before "yes", from the paper."""

ASIA_ROWS, ASIA_SEED = 2000, 1988
"""Number of rows of the bundled table, and their seed."""


def simulate_asia(n_rows=ASIA_ROWS, seed=ASIA_SEED):
    """Draw rows of the chest clinic network: booleans of shape (n_rows,) for each variable.

    `tables/asia.csv` has the rows drawn with the default seed, with "yes" and "no".
    """
    rng = np.random.default_rng(seed)
    drawn = {}
    for variable, parents in ASIA_PARENTS.items():
        given = tuple(drawn[parent].astype(np.int64) for parent in parents)
        drawn[variable] = rng.random(n_rows) < np.asarray(ASIA_YES[variable])[given]
    return drawn
