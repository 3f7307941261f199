"""Whether items can be ordered if each may need others before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def never_placed(n: int, may_follow: Callable[[int, np.ndarray], bool]) -> np.ndarray:
    """Return the items, of n, that cannot be placed in any order, ascending; empty if an order of all exists.

    `may_follow(item, before)` tells whether an item may come after those marked in `before` (n,), bool. It must be
    monotone: an item that may follow a set may follow every larger set. So each item is placed as soon as possible.

    Examples
    --------
    >>> never_placed(3, lambda item, before: item == 0 or before[2]).tolist()  # 1 and 2 need 2 before them
    [1, 2]
    """
    before = np.zeros(n, dtype=bool)
    placed = True
    while placed:
        placed = False
        for item in np.flatnonzero(~before).tolist():
            if may_follow(item, before):
                before[item] = placed = True
    return np.flatnonzero(~before)
