"""Random data of networks of categories."""

import numpy as np

from orderspn.data.categories import Categories


def discrete_data(arities, n, seed, density=0.6, concentration=0.7):
    """Rows of a random network of categories whose order of variables is shuffled, shape (n, d), uint16.

    Every level of every column occurs, so that none is constant.
    """
    rng = np.random.default_rng(seed)
    d = len(arities)
    codes = np.empty((n, d), dtype=np.uint16)
    placed = []
    for v in rng.permutation(d).tolist():
        parents = [p for p in placed if rng.random() < density][:3]
        tables = {}
        for row in range(n):
            key = tuple(codes[row, parents].tolist())
            if key not in tables:
                tables[key] = rng.dirichlet(np.full(arities[v], concentration))
            codes[row, v] = rng.choice(arities[v], p=tables[key])
        codes[: arities[v], v] = rng.permutation(arities[v])[:n]
        placed.append(v)
    return codes


def as_categories(codes, arities, names=None):
    """The same at the data door's other side."""
    names = tuple(f"X{v + 1}" for v in range(len(arities))) if names is None else tuple(names)
    levels = tuple(tuple(f"level {k}" for k in range(r)) for r in arities)
    return Categories(names, codes, levels)
