"""Shapes of distributions by their third and fourth moments, in standard units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST_SKEWNESS = 2.0
"""Largest absolute skewness without a warning: that of an exponential distribution."""

MOST_KURTOSIS = 10.0
"""Largest excess kurtosis without a warning; 0 for a normal distribution, 3 for a Laplace distribution."""


def in_standard_units(values: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and standard deviation 1; constant ones become 0."""
    scale = np.abs(values).max(axis=0)  # squares of extreme values would overflow
    scaled = values / np.where(scale > 0.0, scale, 1.0)
    centred = scaled - scaled.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    return np.where(deviation > 0.0, centred / np.where(deviation > 0.0, deviation, 1.0), 0.0)


class Shape(NamedTuple):
    """The shape of a distribution: both are 0 for a normal one."""

    skewness: float
    kurtosis: float

    @classmethod
    def of(cls, values: np.ndarray) -> Shape:
        """Return the shape of a sample."""
        standard = in_standard_units(values[:, None])[:, 0]
        cubes = standard**3
        return cls(float(cubes.mean()), float((cubes * standard).mean() - 3.0))

    @property
    def is_normal(self) -> bool:
        """Whether it is near enough to a normal distribution for BGe."""
        return abs(self.skewness) <= MOST_SKEWNESS and self.kurtosis <= MOST_KURTOSIS
