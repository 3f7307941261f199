"""The pairs of variables with the largest values of a matrix [cause, effect], as a table of a notebook."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.display.html import note, table

MOST_PAIRS = 10
"""Number of pairs in a table."""


def edges_html(matrix: np.ndarray, variables: Sequence[str], value: str) -> str:
    """Return a table of the pairs with the largest absolute values, the largest first."""
    sizes = np.abs(matrix).astype(np.float64)
    np.fill_diagonal(sizes, 0.0)
    largest = np.argsort(-sizes, axis=None, kind="stable")[:MOST_PAIRS]
    pairs = [divmod(int(place), len(variables)) for place in largest if sizes.flat[place] > 0.0]
    rows = [(variables[cause], variables[effect], float(matrix[cause, effect])) for cause, effect in pairs]
    left = int((sizes > 0.0).sum()) - len(rows)
    return table(["cause", "effect", value], rows) + (note(f"... and {left:,} smaller ones") if left else "")
