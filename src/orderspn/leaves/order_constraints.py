"""Order constraints on families: which variables must come before a child, and whether any order is possible.

Order constraints act on candidates only, because masks show no other predecessors. So the variable of a constraint is
first *promoted* to a candidate. Parent sets with it move from rows of outsiders into masks; sets that the family did
not have stay impossible. Scores, and sums over the sets within given predecessors, do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from orderspn.core import dag
from orderspn.core.masks import MOST_CANDIDATES
from orderspn.leaves.family import Family
from orderspn.scores.local import NO_OUTSIDERS

MOST_SETS = 2**27
"""Most parent sets of a promoted family, possible or not: a table of a gigabyte."""


def may_promote(family: Family) -> bool:
    """Whether the tables of a family with one more candidate are within the limits."""
    return family.candidates.size < MOST_CANDIDATES and 2 * family.n_rows * family.n_masks <= MOST_SETS


def promoted(family: Family, variable: int) -> Family:
    """Return the family with the same parent sets, and a variable as an additional candidate.

    Examples
    --------
    Variable 2 is the only outsider of variable 0:

    >>> import numpy as np
    >>> family = Family(0, np.array([1]), np.log([1.0, 2.0, 3.0, 4.0]), outsider_rows=np.array([[2]]))
    >>> more = promoted(family, 2)
    >>> more.candidates.tolist(), more.n_rows, np.exp(more.log_score).round(9).tolist()
    ([1, 2], 1, [1.0, 2.0, 3.0, 4.0])
    """
    bit = int(np.searchsorted(family.candidates, variable))
    masks = np.arange(family.n_masks)
    low = masks & ((1 << bit) - 1)
    without = low | (masks - low) << 1  # the same candidates, with a gap for the new one
    rows = [frozenset[int](), *(frozenset(row[row >= 0].tolist()) for row in family.outsider_rows)]
    rows_left = [members for members in rows if variable not in members]
    place = {m: number for number, m in enumerate(dict.fromkeys(rows_left + [m - {variable} for m in rows]))}
    log_score = np.full((len(place), 2 * family.n_masks), -np.inf)
    for members, own in zip(rows, family.log_score.reshape(family.n_rows, family.n_masks), strict=True):
        masks_now = without | 1 << bit if variable in members else without
        log_score[place[members - {variable}], masks_now] = own
    return replace(
        family,
        candidates=np.insert(family.candidates, bit, variable),
        log_score=log_score.ravel(),
        outsider_rows=_padded(list(place)[1:], family.outsider_rows.shape[1]),
    )


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


def never_placed(families: Sequence[Family]) -> np.ndarray:
    """Return the variables that cannot be placed in any order, ascending; empty if an order of all exists.

    Examples
    --------
    >>> import numpy as np
    >>> families = [Family(v, np.array([1 - v]), np.array([-np.inf, 0.0])) for v in range(2)]  # each needs the other
    >>> never_placed(families).tolist()
    [0, 1]
    """
    return dag.never_placed(len(families), lambda child, before: families[child].possible_after(before))


def _padded(rows: list[frozenset[int]], width: int) -> np.ndarray:
    """Return rows of outsiders as an array, -1 for none."""
    if not rows:
        return NO_OUTSIDERS
    return np.array([[*sorted(members), *[-1] * (width - len(members))] for members in rows], dtype=np.int64)
