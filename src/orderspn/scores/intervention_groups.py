"""The rows that count for the score of each variable: all but those in which it was intervened on.

Variables with the same rows form a group: counts and sums over these rows are computed once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class RowsLeft:
    """Groups of variables, and the rows that count for each; without interventions all variables are one group."""

    group: np.ndarray  # (d,), int64: the group of each variable
    kept: np.ndarray  # (groups, N), bool

    @property
    def everything(self) -> bool:
        """Whether all rows count for all variables."""
        return bool(self.kept.all())

    @classmethod
    def of(cls, intervened: np.ndarray | None, n_rows: int, n_variables: int) -> RowsLeft:
        """Find the groups from the interventions (N, d); groups are numbered by their first variables.

        Examples
        --------
        >>> import numpy as np
        >>> RowsLeft.of(np.array([[False, True, False], [False, False, False]]), 2, 3).group
        array([0, 1, 0])
        """
        if intervened is None:
            return cls(np.zeros(n_variables, dtype=np.int64), np.ones((1, n_rows), dtype=bool))
        number: dict[bytes, int] = {}
        packed = np.packbits(intervened.T, axis=1)  # (d, N / 8)
        group = np.array([number.setdefault(rows.tobytes(), len(number)) for rows in packed], dtype=np.int64)
        first = [int(np.flatnonzero(group == g)[0]) for g in range(len(number))]
        return cls(group, np.ascontiguousarray(~intervened[:, first].T))


def check_groups(group: np.ndarray, n_variables: int, n_groups: int) -> None:
    """Raise a ValueError for groups from a file that are not valid."""
    numbered = group.dtype == np.int64 and np.array_equal(np.unique(group), np.arange(n_groups))
    if group.shape != (n_variables,) or not numbered:
        raise ValueError("its groups of variables do not match its rows")
