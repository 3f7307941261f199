"""Standard units: columns centred and divided by their standard deviations, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROUNDING = 4e-15
"""Largest rounding error of values that were standardized and come back, of which the largest is about 1."""


@dataclass(frozen=True, eq=False)
class Units:
    """Standard units: `(value / 2**exponent - mean - rest) / deviation` has mean 0 and standard deviation 1.

    The mean of values far from 0 has a rounding error that matters; `rest` holds it. Division by a power of two is
    exact.
    """

    exponent: np.ndarray  # (d,): of the largest absolute value
    mean: np.ndarray  # (d,): after the division by this power of two
    rest: np.ndarray  # (d,): the rounding error of the mean
    deviation: np.ndarray  # (d,): after the same division; 0 for a constant column

    @classmethod
    def of(cls, values: np.ndarray, intervened: np.ndarray | None = None) -> Units:
        """Return the standard units of rows (N, d), given which variables were intervened on in which rows.

        Values under intervention may be far from all others and are not informative about the natural variation of a
        variable. So mean and deviation are those of the rows without intervention on the variable. If these are fewer
        than 2 or all equal, all rows count.

        Examples
        --------
        >>> import numpy as np
        >>> values = np.array([[1.0, 2.0], [3.0, 4.0], [100.0, 6.0]])
        >>> intervened = np.array([[False, False], [False, False], [True, False]])
        >>> Units.of(values, intervened).applied(values)[:, 0]
        array([-1.,  1., 98.])
        """
        measured = _measured(values)
        if intervened is None:
            return cls(*measured)
        for place in np.flatnonzero(intervened.any(axis=0)).tolist():
            own = values[~intervened[:, place], place]
            if own.size >= 2 and own.max() > own.min():
                for of_all, of_own in zip(measured, _measured(own), strict=True):
                    of_all[place] = of_own
        return cls(*measured)

    def applied(self, values: np.ndarray) -> np.ndarray:
        """Convert rows (M, d) to these units."""
        return (np.ldexp(values, -self.exponent) - self.mean - self.rest) / self.deviation

    def undone(self, values: np.ndarray) -> np.ndarray:
        """Convert rows (M, d) in these units back to those of the data.

        Integers come back as integers: a difference in the last digits of the largest value is a rounding error.

        Examples
        --------
        >>> import numpy as np
        >>> values = np.array([[1.0, 2e-20], [3.0, 3e-20], [4.0, 7e-20]])
        >>> units = Units.of(values)
        >>> units.undone(units.applied(values))[:, 0]
        array([1., 3., 4.])
        """
        given = np.ldexp(values * self.deviation + self.rest + self.mean, self.exponent)
        whole = np.round(given)
        return np.where(np.abs(given - whole) <= np.ldexp(ROUNDING, self.exponent), whole, given)

    def then(self, second: Units) -> Units:
        """Return the units of rows that were converted to these units first, and then to `second`."""
        factor = np.ldexp(self.deviation, second.exponent)
        rest = self.rest + (second.mean + second.rest) * factor
        return Units(self.exponent, self.mean, rest, second.deviation * factor)

    def same_as(self, other: Units) -> bool:
        """Whether these units are exactly the same as others."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return all(np.array_equal(own, others) for own, others in pairs)

    def effect_scale(self) -> np.ndarray:
        """Return the factors (d, d) [cause, effect] that convert effects in these units to the units of the data.

        An effect is the change of the effect per unit change of the cause, so the factor is the standard deviation of
        the effect divided by that of the cause.
        """
        ratio: np.ndarray = self.deviation[None, :] / self.deviation[:, None]
        return np.ldexp(ratio, self.exponent[None, :] - self.exponent[:, None])

    @property
    def log_deviation(self) -> np.ndarray:
        """Logs of the standard deviations in the units of the data, shape (d,)."""
        logs: np.ndarray = np.log(self.deviation) + self.exponent * np.log(2.0)
        return logs


def _measured(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    # Divide first: squares of extreme values would overflow or underflow.
    exponent = np.frexp(np.abs(values).max(axis=0))[1]
    scaled = np.ldexp(values, -exponent)
    mean = scaled.mean(axis=0)
    rest = (scaled - mean).mean(axis=0)
    return exponent, mean, rest, np.sqrt(((scaled - mean - rest) ** 2).mean(axis=0))
