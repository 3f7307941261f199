"""Families with one more candidate and the same parent sets.

That a variable must come before another can be said of candidates only, for the masks of the others do not show them.
So it is made one first. Sets that contain it move from rows of outsiders into masks; sets that the family did not have
stay impossible. Nothing else changes: neither scores nor sums over the sets within given predecessors.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from orderspn.core.masks import MOST_CANDIDATES
from orderspn.leaves.family import Family
from orderspn.scores.local import NO_OUTSIDERS

MOST_SETS = 2**27
"""Parent sets, possible or not, that it may have: a table of a gigabyte."""


def may_promote(family: Family) -> bool:
    """Whether one more candidate leaves the tables of a family within bounds."""
    return family.candidates.size < MOST_CANDIDATES and 2 * family.n_rows * family.n_masks <= MOST_SETS


def promoted(family: Family, variable: int) -> Family:
    """The same parent sets, with a variable that was no candidate among the candidates.

    Examples
    --------
    Variable 2 is an outsider of variable 0, which it leaves without any:

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


def _padded(rows: list[frozenset[int]], width: int) -> np.ndarray:
    """Rows of outsiders, -1 for none."""
    if not rows:
        return NO_OUTSIDERS
    return np.array([[*sorted(members), *[-1] * (width - len(members))] for members in rows], dtype=np.int64)
