"""The root of a scale matrix, for draws of normal and t distributions."""

from __future__ import annotations

import numpy as np


def root_of(scale: np.ndarray) -> np.ndarray:
    """Return a matrix whose product with its transpose is `scale`, which may be singular."""
    try:
        return np.linalg.cholesky(scale)
    except np.linalg.LinAlgError:  # two equal columns, and the prior is lost in rounding
        values, vectors = np.linalg.eigh(scale)
        root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
        return root
