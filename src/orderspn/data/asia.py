"""The chest clinic network of Lauritzen and Spiegelhalter (1988), and rows simulated from it.

S. L. Lauritzen and D. J. Spiegelhalter: Local computations with probabilities on graphical structures and their
application to expert systems. Journal of the Royal Statistical Society, Series B, 50(2), 157-224. The probabilities are
those that the paper gives; the patients are made up.
"""

from __future__ import annotations

import numpy as np

PARENTS = {
    "asia": (),
    "smoke": (),
    "tub": ("asia",),
    "lung": ("smoke",),
    "bronc": ("smoke",),
    "either": ("tub", "lung"),
    "xray": ("either",),
    "dysp": ("bronc", "either"),
}
"""Of each variable, from causes to effects."""

YES = {
    "asia": 0.01,
    "smoke": 0.5,
    "tub": [0.01, 0.05],
    "lung": [0.01, 0.1],
    "bronc": [0.3, 0.6],
    "either": [[0.0, 1.0], [1.0, 1.0]],
    "xray": [0.05, 0.98],
    "dysp": [[0.1, 0.7], [0.8, 0.9]],
}
"""Probability of "yes" given each parent, in the order above, "no" before "yes"."""

ROWS, SEED = 2000, 1988
"""Of the bundled table."""


def simulate_asia(n_rows: int = ROWS, seed: int = SEED) -> dict[str, np.ndarray]:
    """Draw patients: of each variable, whether it is so, shape (n_rows,); `tables/asia.csv` says "yes" and "no".

    Examples
    --------
    >>> from orderspn.data.asia import simulate_asia
    >>> patients = simulate_asia(100)
    >>> bool((patients["either"] == (patients["tub"] | patients["lung"])).all())
    True
    """
    rng = np.random.default_rng(seed)
    drawn: dict[str, np.ndarray] = {}
    for variable, parents in PARENTS.items():
        given = tuple(drawn[parent].astype(np.int64) for parent in parents)
        drawn[variable] = rng.random(n_rows) < np.asarray(YES[variable])[given]
    return drawn
