"""Standard units of columns: their means and standard deviations, over the rows in which nobody set them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Units:
    """Of each column, what makes `(value / 2**exponent - mean - rest) / deviation` of mean 0 and standard deviation 1.

    Far from 0 a mean is rounded by amounts that matter, and so would be values in any unit but a power of two.
    """

    exponent: np.ndarray  # (d,): of the largest absolute value
    mean: np.ndarray  # (d,): after the division by this power of two
    rest: np.ndarray  # (d,): what rounding left out of the mean
    deviation: np.ndarray  # (d,): after the same division; 0 for a constant column

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
        measured = _measured(values)
        was_set = np.zeros(values.shape, dtype=bool) if intervened is None else intervened
        for place in np.flatnonzero(was_set.any(axis=0)).tolist():
            own = values[~was_set[:, place], place]
            if own.size >= 2 and own.max() > own.min():
                for of_all, of_own in zip(measured, _measured(own), strict=True):
                    of_all[place] = of_own
        return cls(*measured)

    def applied(self, values: np.ndarray) -> np.ndarray:
        """Rows (M, d) in these units."""
        return (np.ldexp(values, -self.exponent) - self.mean - self.rest) / self.deviation


def _measured(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    # Divided first: squares of extreme values would overflow, or vanish.
    exponent = np.frexp(np.abs(values).max(axis=0))[1]
    scaled = np.ldexp(values, -exponent)
    mean = scaled.mean(axis=0)
    rest = (scaled - mean).mean(axis=0)
    return exponent, mean, rest, np.sqrt(((scaled - mean - rest) ** 2).mean(axis=0))
