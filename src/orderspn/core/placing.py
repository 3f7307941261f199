"""Putting things in order where each may need others before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def never_placed(n: int, may_follow: Callable[[int, np.ndarray], bool]) -> np.ndarray:
    """Which of n things no order has a place for, ascending; none if any order is possible.

    `may_follow(one, before)` says whether one of them can come after those marked in `before` (n,), bool. Who can after
    some can after more, so each is placed as soon as it can be.

    Examples
    --------
    >>> never_placed(3, lambda one, before: one == 0 or before[2]).tolist()  # 1 and 2 need 2 before them
    [1, 2]
    """
    before = np.zeros(n, dtype=bool)
    placed = True
    while placed:
        placed = False
        for one in np.flatnonzero(~before).tolist():
            if may_follow(one, before):
                before[one] = placed = True
    return np.flatnonzero(~before)
