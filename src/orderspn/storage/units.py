"""The means and standard deviations of standardized columns in a file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from orderspn.core.checked_json import require
from orderspn.data.units import Units

LARGEST_EXPONENT = 1100
"""Largest absolute exponent of a number in double precision, with room to spare."""


def unit_arrays(units: Units | None) -> dict[str, np.ndarray]:
    """Return the arrays of a file; none if columns were not standardized."""
    if units is None:
        return {}
    return {
        "unit_exponent": np.asarray(units.exponent, dtype=np.int64),
        "unit_mean": units.mean,
        "unit_rest": units.rest,
        "unit_deviation": units.deviation,
    }


def restore_units(arrays: Mapping[str, np.ndarray], standardized: bool, d: int) -> Units | None:
    """Read the arrays of `unit_arrays`, which may come from an unknown source."""
    if not standardized:
        require(not any(name.startswith("unit_") for name in arrays), "its data were not standardized but have units")
        return None
    exponent, *others = (arrays[f"unit_{part}"] for part in ("exponent", "mean", "rest", "deviation"))
    require(all(array.shape == (d,) for array in (exponent, *others)), "its units are not those of its variables")
    require(bool((np.abs(exponent) <= LARGEST_EXPONENT).all()), "its units have exponents out of range")
    require(all(bool(np.isfinite(array).all()) for array in others), "its units are not finite")
    mean, rest, deviation = others
    require(bool((deviation > 0.0).all()), "its standard deviations are not positive")
    return Units(exponent, mean, rest, deviation)
