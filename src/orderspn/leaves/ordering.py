"""Whether variables can be put into any order at all, given their families."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.core import placing
from orderspn.leaves.family import Family


def never_placed(families: Sequence[Family]) -> np.ndarray:
    """The variables that no order has a place for, ascending; none if any order is possible.

    Examples
    --------
    >>> import numpy as np
    >>> needy = [Family(v, np.array([1 - v]), np.array([-np.inf, 0.0])) for v in range(2)]  # each needs the other
    >>> never_placed(needy).tolist()
    [0, 1]
    """
    return placing.never_placed(len(families), lambda child, before: families[child].possible_after(before))
