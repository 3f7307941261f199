"""Whether any order of the variables is possible, given their families."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.core import placing
from orderspn.leaves.family import Family


def never_placed(families: Sequence[Family]) -> np.ndarray:
    """Return the variables that cannot be placed in any order, ascending; empty if an order of all exists.

    Examples
    --------
    >>> import numpy as np
    >>> families = [Family(v, np.array([1 - v]), np.array([-np.inf, 0.0])) for v in range(2)]  # each needs the other
    >>> never_placed(families).tolist()
    [0, 1]
    """
    return placing.never_placed(len(families), lambda child, before: families[child].possible_after(before))
