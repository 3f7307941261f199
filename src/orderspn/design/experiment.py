"""A possible experiment: which variables are set to which values in how many rows, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

OBSERVE = "observe"
"""The name of the experiment without interventions."""


@dataclass(frozen=True)
class Experiment:
    """An experiment, in the units of the score: numbers as it reads them, or codes of levels.

    Rows are spread evenly over all combinations of the values.
    """

    name: str
    targets: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]  # of each target
    rows: int
    cost: float = 1.0

    def intervened(self, d: int) -> np.ndarray:
        """Return which variables are set, shape (d,), bool."""
        chosen = np.zeros(d, dtype=bool)
        chosen[list(self.targets)] = True
        return chosen

    def settings(self) -> list[tuple[tuple[float, ...], int]]:
        """Return the combinations of values with their numbers of rows, without those of no row.

        Examples
        --------
        >>> Experiment("do(A)", (0,), ((-1.0, 1.0),), rows=5).settings()
        [((-1.0,), 3), ((1.0,), 2)]
        """
        combinations = list(product(*self.values))
        each, more = divmod(self.rows, len(combinations))
        counts = [each + (place < more) for place in range(len(combinations))]
        return [(values, count) for values, count in zip(combinations, counts, strict=True) if count]


def named(targets: tuple[str, ...]) -> str:
    """Return the name of an experiment on these variables.

    Examples
    --------
    >>> named(("A", "B")), named(())
    ('do(A, B)', 'observe')
    """
    return f"do({', '.join(targets)})" if targets else OBSERVE
