"""From a table that was read to the distribution of each of its variables, in the units of the data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import to_builtins

from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset
from orderspn.data.distributions import (
    LARGEST,
    CategoryDistribution,
    Distribution,
    GroupDistribution,
    NumberDistribution,
)
from orderspn.data.histograms import MOST_BARS, histogram_of
from orderspn.data.mixed import MixedVariable, Table
from orderspn.data.units import Units

DIGITS = 9
"""Digits that are kept after the first one of the range. Rounding errors of standardized values are further behind."""


def described(table: Table, missing: np.ndarray | None = None) -> dict[str, Any]:
    """Describe the observed cells of a table that was read, as JSON values by the names of variables.

    Rows under interventions count like all others. `missing` says which cells were filled in and are left out, (N,
    columns), in the order of the table's columns; every column has some that are not.

    Examples
    --------
    >>> import pandas as pd, orderspn as osp
    >>> described(osp.read_mixed(pd.DataFrame({"dose": [0.5, 1.0, 2.0], "ward": ["a", "b", "a"]})))["ward"]
    {'kind': 'category', 'levels': ['a', 'b'], 'counts': [2, 1]}
    """
    found = dict(zip(table.variables, _distributions(table, missing), strict=True))
    return {name: _as_json(to_builtins(distribution)) for name, distribution in found.items()}


def _as_json(value: Any) -> Any:
    """Return a value with lists instead of tuples, as it comes from a file."""
    if isinstance(value, dict):
        return {name: _as_json(inner) for name, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _distributions(table: Table, missing: np.ndarray | None) -> Iterator[Distribution]:
    """Yield the distribution of each variable."""
    if isinstance(table, Dataset):
        yield from _of_numbers(table.values, missing, table.units)
    elif isinstance(table, Categories):
        for v, levels in enumerate(table.levels):
            yield _of_codes(table.codes, missing, v, levels)
    else:
        ends = np.cumsum([len(part.columns) for part in table.parts])[:-1]
        gaps = [None] * len(table.parts) if missing is None else np.split(missing, ends, axis=1)
        yield from (_of_variable(part, own) for part, own in zip(table.parts, gaps, strict=True))


def _of_variable(variable: MixedVariable, missing: np.ndarray | None) -> Distribution:
    if variable.kind == "category":
        return _of_codes(variable.values, missing, 0, variable.levels)
    columns = dict(zip(variable.columns, _of_numbers(variable.values, missing), strict=True))
    return GroupDistribution(columns=columns) if variable.kind == "group" else columns[variable.columns[0]]


def _observed(cells: np.ndarray, missing: np.ndarray | None, column: int) -> np.ndarray:
    """Return the cells of a column that are not missing."""
    own: np.ndarray = cells[:, column]
    return own if missing is None else own[~missing[:, column]]


def _of_codes(
    cells: np.ndarray, missing: np.ndarray | None, column: int, levels: Sequence[str]
) -> CategoryDistribution:
    """Return the distribution of the codes of levels in a column."""
    codes = _observed(cells, missing, column)
    counts = np.bincount(codes.astype(np.int64), minlength=len(levels))
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_BARS])
    return CategoryDistribution(
        levels=tuple(levels[code] for code in kept),
        counts=tuple(counts[kept].tolist()),
        others=int(counts.sum() - counts[kept].sum()),
        other_levels=len(levels) - kept.size,
        missing=len(cells) - codes.size,
    )


def _of_numbers(
    cells: np.ndarray, missing: np.ndarray | None, units: Units | None = None
) -> Iterator[NumberDistribution]:
    """Yield the distribution of each column of numbers (N, columns), which are perhaps in standard units."""
    observed = True if missing is None else ~missing
    low = cells.min(axis=0, initial=np.inf, where=observed)
    high = cells.max(axis=0, initial=-np.inf, where=observed)
    extremes = np.array([low, high])
    with np.errstate(over="ignore"):  # by the rounding error of the largest number that there is
        given = np.clip(extremes if units is None else units.undone(extremes), -LARGEST, LARGEST)
    for column in range(cells.shape[1]):
        own = _observed(cells, missing, column)
        minimum, maximum = given[:, column].tolist()
        if minimum < maximum:
            shares = (own - low[column]) / (high[column] - low[column])
            yield _of_shares(shares, minimum, maximum, len(cells) - own.size)
        else:
            yield _of_constant(minimum, own.size, len(cells) - own.size)


def _of_shares(shares: np.ndarray, minimum: float, maximum: float, n_missing: int) -> NumberDistribution:
    """Return the distribution of numbers that are given as shares (N,) of the range from `minimum` to `maximum`.

    All that depends on the shares alone is the same in any unit, and cannot overflow.
    """
    bars = histogram_of(shares)
    mean = float(shares.mean())
    sd = math.sqrt(float(np.square(shares - mean).mean()))
    half = maximum / 2.0 - minimum / 2.0  # the whole range may be larger than the largest number
    digits = DIGITS - math.floor(math.log10(half) + math.log10(2.0))
    return NumberDistribution(
        first=_rounded(minimum + 2.0 * bars.begin * half, digits),
        last=_rounded(maximum + 2.0 * (bars.end - 1.0) * half, digits),
        counts=tuple(bars.counts.tolist()),
        mean=_rounded(min(minimum + 2.0 * mean * half, maximum), digits),
        sd=_rounded(2.0 * sd * half, digits),
        minimum=_rounded(minimum, digits),
        maximum=_rounded(maximum, digits),
        missing=n_missing,
    )


def _of_constant(value: float, n: int, n_missing: int) -> NumberDistribution:
    """Return the distribution of n numbers that are all the same: one bar around them."""
    half = max(abs(value), 1.0) / 2.0
    first, last = max(value - half, -LARGEST), min(value + half, LARGEST)
    return NumberDistribution(
        first=first, last=last, counts=(n,), mean=value, sd=0.0, minimum=value, maximum=value, missing=n_missing
    )


def _rounded(value: float, digits: int) -> float:
    """Round a number, which stays within the range of numbers."""
    within = min(max(value, -LARGEST), LARGEST)
    try:
        return round(within, digits) + 0.0  # for 0 instead of -0
    except OverflowError:  # rounded up, it would be larger than the largest number
        return within
