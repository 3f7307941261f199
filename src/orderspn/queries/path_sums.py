"""Total effects in many graphs at once: sums over paths of the products of weights."""

from __future__ import annotations

import numpy as np

from orderspn.kernels.kernel import kernel


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
    """Visit variables with effects before causes: a path goes on from an effect by all paths that begin there."""
    n, d, _ = weights.shape
    waiting = np.empty(d, np.int64)  # effects that are not visited yet
    queue = np.empty(d, np.int64)
    for g in range(n):
        last = 0
        for v in range(d):
            effects[g, v, v] = 1.0
            waiting[v] = 0
            for effect in range(d):
                waiting[v] += weights[g, v, effect] != 0.0
            if waiting[v] == 0:
                queue[last] = v
                last += 1
        first = 0
        while first < last:
            v = queue[first]
            first += 1
            for cause in range(d):
                weight = weights[g, cause, v]
                if weight == 0.0:
                    continue
                for further in range(d):
                    effects[g, cause, further] += weight * effects[g, v, further]
                waiting[cause] -= 1
                if waiting[cause] == 0:
                    queue[last] = cause
                    last += 1
