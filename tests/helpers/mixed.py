"""Tables of numbers and categories."""

import numpy as np
import pandas as pd


def mixed_data(n=60, seed=0):
    """Numbers A and D, a category B of three levels, a boolean C; E and F measure the same thing."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = np.where(a + rng.normal(size=n) > 0.6, "high", np.where(rng.random(n) > 0.4, "low", "none"))
    c = (b == "high") ^ (rng.random(n) > 0.8)
    d = np.tanh(a) + 0.7 * c + rng.normal(scale=0.5, size=n) + 20.0
    e = d + rng.normal(size=n)
    return pd.DataFrame({"A": a, "B": b, "C": c, "D": d, "E": e, "F": e**2 / 20 + rng.normal(size=n)})
