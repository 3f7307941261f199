"""Whether variables can be put into any order at all, given their families."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.leaves.family import Family


def never_placed(families: Sequence[Family]) -> np.ndarray:
    """The variables that no order has a place for, ascending; none if any order is possible.

    Who is possible after some variables is so after more, so each is placed as soon as it can be.

    Examples
    --------
    >>> import numpy as np
    >>> needy = [Family(v, np.array([1 - v]), np.array([-np.inf, 0.0])) for v in range(2)]  # each needs the other
    >>> never_placed(needy).tolist()
    [0, 1]
    """
    before = np.zeros(len(families), dtype=bool)
    placed = True
    while placed:
        placed = False
        for family in families:
            if not before[family.child] and family.possible_after(before):
                before[family.child] = placed = True
    return np.flatnonzero(~before)
