"""Numbers on their way to a browser: matrices as text, and single ones that JSON can hold."""

from __future__ import annotations

import base64
import math

import numpy as np


def packed(matrix: np.ndarray) -> str:
    """Return an array as base64 of its float64 numbers, row by row: no digit is lost, and it is read at once.

    Examples
    --------
    >>> packed(np.array([[0.0, 0.5]]))
    'AAAAAAAAAAAAAAAAAADgPw=='
    """
    return base64.b64encode(np.ascontiguousarray(matrix, dtype="<f8").tobytes()).decode("ascii")


def number(value: object) -> float | None:
    """Return a finite number, or None, which a page shows as unknown."""
    found = float(value)  # type: ignore[arg-type]
    return found if math.isfinite(found) else None
