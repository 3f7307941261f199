"""Total effects in many graphs at once: sums over paths of the products of weights."""

from __future__ import annotations

import numpy as np

from orderspn.kernels.kernel import kernel
from orderspn.queries.closure import put_effects_first


def effects_of(coefficients: np.ndarray) -> np.ndarray:
    """Return `(I - B)^-1` for weights B of DAGs (n, d, d), [cause, effect].

    Every edge is passed once, with a row of d numbers: for sparse graphs that is far less than an inverse takes.

    Examples
    --------
    >>> import numpy as np
    >>> chain = np.array([[[0.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]])
    >>> effects_of(chain)[0].tolist()
    [[1.0, 2.0, 6.0], [0.0, 1.0, 3.0], [0.0, 0.0, 1.0]]
    """
    effects = np.zeros(coefficients.shape)
    _sum_paths(np.ascontiguousarray(coefficients, dtype=np.float64), effects)
    return effects


@kernel
def _sum_paths(weights, effects):
    """A path goes on from an effect by all paths that begin there."""
    n, d, _ = weights.shape
    order = np.empty(d, np.int64)
    for g in range(n):
        put_effects_first(weights[g], order)
        for v in range(d):
            effects[g, v, v] = 1.0
        for v in order:
            for cause in range(d):
                weight = weights[g, cause, v]
                if weight != 0.0:
                    for further in range(d):
                        effects[g, cause, further] += weight * effects[g, v, further]
