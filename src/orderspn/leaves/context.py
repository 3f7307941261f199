"""Context variables among families: what all orders have in common.

A context variable is only ever a parent. It comes before all variables that are ordered, so it is in S_1 of every block
and in S_2 of none. It costs candidates, and no orders.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.leaves.family import Family


def root_block(families: Sequence[Family]) -> tuple[np.ndarray, np.ndarray]:
    """Return the block `(S_1, S_2)` of all orders: the context variables, and those that are ordered, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.empty(0, dtype=np.int64)
    >>> families = [Family(0, nothing, np.zeros(1), is_context=True), Family(1, np.array([0]), np.zeros(2))]
    >>> [part.tolist() for part in root_block(families)]
    [[0], [1]]
    """
    is_context = np.array([family.is_context for family in families], dtype=bool)
    return np.flatnonzero(is_context), np.flatnonzero(~is_context)


def context_first(orders: np.ndarray, d: int) -> np.ndarray:
    """Return orders (n, block) of some of d variables with all others before them, ascending, shape (n, d).

    Examples
    --------
    >>> import numpy as np
    >>> context_first(np.array([[3, 1], [1, 3]]), 4).tolist()
    [[0, 2, 3, 1], [0, 2, 1, 3]]
    """
    if orders.shape[1] == d or not len(orders):
        return orders
    others = np.setdiff1d(np.arange(d), orders[0])
    return np.concatenate([np.broadcast_to(others, (len(orders), others.size)), orders], axis=1)
