"""The needs of families as additional edges of graphs, so that orders of the graphs satisfy order constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.leaves.family import Family


def with_needs(graphs: np.ndarray, families: Sequence[Family]) -> np.ndarray:
    """Add to graphs (n, d, d) an edge to every child from each of its needs; the result may have cycles.

    Examples
    --------
    >>> import numpy as np
    >>> families = [Family(0, np.array([1]), np.zeros(2), needs=np.array([1])), Family(1, np.array([0]), np.zeros(2))]
    >>> with_needs(np.zeros((1, 2, 2), dtype=bool), families).astype(int).tolist()
    [[[0, 0], [1, 0]]]
    """
    if not any(family.needs.size for family in families):
        return graphs
    joined = graphs.copy()
    for family in families:
        joined[:, family.needs, family.child] = True
    return joined
