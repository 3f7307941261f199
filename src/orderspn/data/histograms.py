"""Histograms with bars of equal width: as many as the rows allow, and on the values where these are few.

Numbers are counted as shares of their range, from 0 for the smallest to 1 for the largest. So neither their unit nor
their magnitude matters, and standardized values have the same bars as those that they came from.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

MOST_BARS = 24
"""Most bars of a histogram, also in a file."""

MOST_STEPS = 1000
"""Most steps between the smallest and the largest value that bars respect. With more, a step is much narrower than a
bar, and it does not show that some bars have one step more than others."""

LOOKED_AT = 1000
"""Most values that are sorted to choose the bars; all of them are counted."""

TOLERANCE = 1e-9
"""Largest rounding error of a share of the range. Values on the border of two bars belong to the upper one, whatever
their rounding errors."""


class Histogram(NamedTuple):
    """Counts of bars of equal width, and where they begin and end, as shares of the range of the values."""

    begin: float
    end: float
    counts: np.ndarray  # (bars,)


def histogram_of(shares: np.ndarray) -> Histogram:
    """Count numbers (N,) between 0 and 1, both of which occur.

    Values on a grid, such as integers, have bars with a whole number of its steps, one if there is room. The middle of
    such a bar is the value that it counts.

    Examples
    --------
    >>> histogram_of(np.array([0.0, 0.5, 0.5, 1.0]))
    Histogram(begin=-0.25, end=1.25, counts=array([1, 2, 1]))
    """
    some = np.sort(shares[:: math.ceil(shares.size / LOOKED_AT)])
    n_bars, places = _number_of_bars(some, shares.size), _places(shares, some)
    return _between(shares, n_bars) if places is None else _on_values(*places, n_bars)


def _number_of_bars(some: np.ndarray, n: int) -> int:
    """Return the number of bars for n values, given some of them, sorted.

    Like NumPy's rule "auto", it is the larger of two numbers: that of Sturges, and that of Freedman and Diaconis.
    """
    by_size = math.ceil(math.log2(n)) + 1
    width = 2.0 * float(some[3 * some.size // 4] - some[some.size // 4]) / n ** (1.0 / 3.0)
    by_spread = math.ceil(1.0 / max(width, 1.0 / MOST_BARS)) if width > 0.0 else 1
    return min(MOST_BARS, max(by_size, by_spread))


def _between(shares: np.ndarray, n_bars: int) -> Histogram:
    """Count values in bars from the smallest to the largest value, which belongs to the last bar."""
    counts = np.bincount((shares * n_bars + TOLERANCE).astype(np.int64), minlength=n_bars + 1)
    counts[-2] += counts[-1]
    return Histogram(0.0, 1.0, counts[:-1])


def _on_values(places: np.ndarray, n_steps: int, n_bars: int) -> Histogram:
    """Count the places (N,) of values on a grid from 0 to `n_steps`, several of them in a bar if they are many."""
    n_places = n_steps + 1
    merged = 1 if n_places <= MOST_BARS else math.ceil(n_places / n_bars)
    counts = np.bincount(places // merged)
    return Histogram(-0.5 / n_steps, (counts.size * merged - 0.5) / n_steps, counts)


def _places(shares: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, int] | None:
    """Return the places (N,) of values on a grid, and its number of steps; None if there is no such grid."""
    n_steps = _number_of_steps(some)
    if n_steps is None:
        return None
    found = _on_grid(shares, n_steps)
    if found is None and some.size < shares.size:  # a value that is not among those looked at
        n_steps = _number_of_steps(np.sort(shares))
        found = None if n_steps is None else _on_grid(shares, n_steps)
    return None if found is None or n_steps is None else (found, n_steps)


def _on_grid(shares: np.ndarray, n_steps: int) -> np.ndarray | None:
    """Return the places of values on a grid with this number of steps; None if some are beside it."""
    exact = shares * n_steps
    near = np.rint(exact)
    return near.astype(np.int64) if np.abs(exact - near).max() <= TOLERANCE * n_steps else None


def _number_of_steps(some: np.ndarray) -> int | None:
    """Return into how many steps the largest grid with all of these sorted values divides the range.

    The step is the greatest common divisor of the gaps between values, by Euclid's algorithm with all gaps at once.
    None if there are more than `MOST_STEPS`.
    """
    ends = np.concatenate(([0.0], some, [1.0]))
    gaps = ends[1:] - ends[:-1]
    while True:
        gaps = gaps[gaps > TOLERANCE]
        step = gaps.min()
        if step * MOST_STEPS < 1.0 - TOLERANCE:
            return None
        rest = np.abs(gaps - step * np.rint(gaps / step))
        if rest.max() <= TOLERANCE:
            return round(1.0 / step)
        gaps = np.append(rest, step)
