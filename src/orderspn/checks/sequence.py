"""Rows that depend on the rows before them, as in time series: they count as fewer rows than there are.

Lag-1 autocorrelation alone is also high in a table that is sorted by a column, or in groups of rows, where rows may be
independent all the same. So neighbours are compared with rows two apart. Let V1 and V2 be the mean squared differences
of rows one and two apart. Sorting and groups make both small alike, and V2 / V1 is 1. For a process in which each row
continues the one before with autocorrelation a it is 1 + a; for a random walk it is 2.
"""

from __future__ import annotations

import numpy as np

from orderspn.checks.finding import Finding, which
from orderspn.checks.tables import FEWEST_ROWS, LONGEST_SEQUENCE, Levels, Numbers

LEAST_DEPENDENCE = 0.3
"""Smallest V2 / V1 - 1 that matters: with it, the variance of a correlation is a fifth larger than it seems."""

DEPENDENCE_DEVIATION = 1.42
"""Standard deviation of V2 / V1 - 1 for independent rows, times the root of their number (measured)."""

N_DEVIATIONS = 4.5
"""Standard deviations from which dependence is no coincidence."""

LEAST_SHARE = 0.05
"""Share of the variables, and at least two, in which there must be dependence. One alone makes no false edges."""

LEAST_TREND = 0.3
"""Lag-1 autocorrelation from which rows without dependence on their neighbours follow a trend, or come in groups."""


def sequence(table: Numbers) -> list[Finding]:
    """Find columns whose rows continue the rows before, and columns that follow a trend or come in groups."""
    columns = [place for place in np.flatnonzero(table.is_continuous).tolist() if not _is_sorted(table, place)]
    ranks = _ranks(table.beginning[:, columns])
    ranks[~table.beginning_untouched[:, columns]] = np.nan
    names = [table.variables[place] for place in columns]
    one, two = _differences(ranks, 1), _differences(ranks, 2)
    depends = _depends(one, two, len(ranks))
    if depends.sum() >= _enough(len(table.variables)):
        return [_dependent(names, depends, two / np.maximum(one, 1e-300) - 1.0)]
    autocorrelation = 1.0 - 0.5 * one / np.maximum(np.nanvar(ranks, axis=0), 1e-300) if names else np.zeros(0)
    trend = autocorrelation > np.maximum(LEAST_TREND, N_DEVIATIONS / np.sqrt(max(len(ranks), 1)))
    # The column by which a table is sorted explains a trend, and so do conditions with interventions.
    explained = any(_is_sorted(table, place) for place in range(len(table.variables))) or not table.untouched.all()
    return [_trend(names, trend, autocorrelation)] if trend.sum() >= _enough(len(names)) and not explained else []


def sequence_of_levels(table: Levels) -> list[Finding]:
    """Find columns of categories whose rows continue the rows before."""
    codes, untouched = table.codes[:LONGEST_SEQUENCE], table.untouched[:LONGEST_SEQUENCE]
    if len(codes) < FEWEST_ROWS or _rows_are_sorted(codes):
        return []
    free = untouched[2:] & untouched[1:-1] & untouched[:-2]
    n_free = np.maximum(free.sum(axis=0), 1)
    one = ((codes[1:-1] != codes[:-2]) & free).sum(axis=0) / n_free
    two = ((codes[2:] != codes[:-2]) & free).sum(axis=0) / n_free
    n_levels = np.array([len(levels) for levels in table.levels])
    in_groups = one * n_free < n_levels  # each level in one piece: sorted
    depends = _depends(one, two, len(codes)) & ~in_groups
    if depends.sum() < _enough(len(table.variables)) or _in_pieces(codes[:, depends | in_groups]):
        return []
    return [_dependent(list(table.variables), depends, two / np.maximum(one, 1e-300) - 1.0)]


def _enough(n_variables: int) -> int:
    return max(2, int(np.ceil(LEAST_SHARE * n_variables)))


def _depends(one: np.ndarray, two: np.ndarray, n_rows: int) -> np.ndarray:
    """Return in which columns (d,) rows depend on those before, from V1 and V2."""
    least = max(LEAST_DEPENDENCE, N_DEVIATIONS * DEPENDENCE_DEVIATION / np.sqrt(max(n_rows, 1)))
    depends: np.ndarray = two > (1.0 + least) * one
    return depends


def _differences(ranks: np.ndarray, lag: int) -> np.ndarray:
    """Return the mean squared differences (d,) of rows that are `lag` apart; 0 where there are none."""
    squares = (ranks[lag:] - ranks[:-lag]) ** 2
    counted = np.isfinite(squares)
    means: np.ndarray = np.where(counted, squares, 0.0).sum(axis=0) / np.maximum(counted.sum(axis=0), 1)
    return means


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks of values in their column; equal values have equal ranks. Outliers have no weight."""
    ranks = np.empty(values.shape)
    for place, column in enumerate(values.T):
        ranks[:, place] = np.unique(column, return_inverse=True)[1]
    return ranks


def _is_sorted(table: Numbers, place: int) -> bool:
    """Whether the table is sorted by a column; such a column tells nothing about dependence."""
    steps = np.diff(table.beginning[:, place])
    return bool((steps >= 0.0).all() or (steps <= 0.0).all())


def _rows_are_sorted(codes: np.ndarray) -> bool:
    """Whether rows are sorted by the first column, then by the second, and so on."""
    steps = np.sign(np.diff(codes.astype(np.int64), axis=0))
    first = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)]
    return bool((first >= 0).all())


def _in_pieces(codes: np.ndarray) -> bool:
    """Whether rows with equal codes in all columns are next to each other: groups one after the other."""
    n_changes = int((codes[1:] != codes[:-1]).any(axis=1).sum())
    return n_changes < len(np.unique(codes, axis=0))


def _dependent(names: list[str], depends: np.ndarray, dependence: np.ndarray) -> Finding:
    concerned = tuple(name for name, depend in zip(names, depends, strict=True) if depend)
    typical = float(np.median(np.minimum(dependence[depends], 1.0)))
    return Finding(
        "dependent rows",
        concerned,
        f"rows of {which(concerned)} depend on the rows before them (autocorrelation about {typical:.2f}), as in a "
        "time series, so that there is less information than the number of rows suggests, and unrelated variables seem "
        "related.",
        "If rows follow each other in time, make their past context (osp.time_series.lagged), or take differences "
        "(data.diff().dropna()) or fewer rows (data[::k]).",
    )


def _trend(names: list[str], trend: np.ndarray, autocorrelation: np.ndarray) -> Finding:
    concerned = tuple(name for name, follows in zip(names, trend, strict=True) if follows)
    return Finding(
        "order of rows",
        concerned,
        f"rows next to each other resemble each other in {which(concerned)} (autocorrelation up to "
        f"{float(autocorrelation.max()):.2f}): they are sorted, come in groups or follow a trend.",
        "Nothing to do if they are only sorted; if groups or time cause the differences, add them as a column.",
        "note",
    )
