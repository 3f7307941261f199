"""The rows that each variable is scored by: all but those in which it was set from outside.

Variables that have the same rows left share what is counted or summed over them, and make one group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class RowsLeft:
    """Groups of variables, and the rows left to each; without interventions all variables are one group."""

    group: np.ndarray  # (d,), int64: of each variable
    kept: np.ndarray  # (groups, N), bool

    @property
    def everything(self) -> bool:
        """Whether no row is left out anywhere."""
        return bool(self.kept.all())

    @classmethod
    def of(cls, intervened: np.ndarray | None, n_rows: int, n_variables: int) -> RowsLeft:
        """From which variables were set in which rows (N, d); groups are numbered as their first variables come.

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
    """Refuse groups from a file that are none."""
    numbered = group.dtype == np.int64 and np.array_equal(np.unique(group), np.arange(n_groups))
    if group.shape != (n_variables,) or not numbered:
        raise ValueError("its groups of variables do not match its rows")
