"""Standard units of columns: their means and standard deviations, over the rows in which nobody set them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Units:
    """Of each column, what makes `(value / largest - mean) / deviation` of mean 0 and standard deviation 1."""

    largest: np.ndarray  # (d,): absolute value
    mean: np.ndarray  # (d,): after the division by it
    deviation: np.ndarray  # (d,): likewise; 0 for a constant column

    @classmethod
    def of(cls, values: np.ndarray, intervened: np.ndarray | None = None) -> Units:
        """The units of rows (N, d), given which variables were set in which of them.

        Values that were set may be far from all others, and say nothing about how much a variable varies by itself. So
        a column is measured over the rows in which its variable was not set. Where these are fewer than 2 or have the
        same value, it is measured over all rows.

        Examples
        --------
        >>> import numpy as np
        >>> values = np.array([[1.0, 2.0], [3.0, 4.0], [100.0, 6.0]])
        >>> intervened = np.array([[False, False], [False, False], [True, False]])
        >>> Units.of(values, intervened).applied(values)[:, 0]
        array([-1.,  1., 98.])
        """
        largest, mean, deviation = _measured(values)
        was_set = np.zeros(values.shape, dtype=bool) if intervened is None else intervened
        for place in np.flatnonzero(was_set.any(axis=0)).tolist():
            own = values[~was_set[:, place], place]
            if own.size >= 2 and own.max() > own.min():
                largest[place], mean[place], deviation[place] = _measured(own)
        return cls(largest, mean, deviation)

    def applied(self, values: np.ndarray) -> np.ndarray:
        """Rows (M, d) in these units."""
        return (values / self.largest - self.mean) / self.deviation


def _measured(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # Divided by the largest value first: squares of extreme values would overflow, or vanish.
    largest = np.abs(values).max(axis=0)
    largest = np.where(largest > 0.0, largest, 1.0)
    scaled = values / largest
    mean = scaled.mean(axis=0)
    return largest, mean, np.sqrt(((scaled - mean) ** 2).mean(axis=0))
