"""Times of rows as whole numbers of steps, so that rows one step apart can be told from gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 1e-6
"""Distance from a whole number of steps that may be rounding."""


def steps_of(times: pd.Series, groups: np.ndarray) -> np.ndarray:
    """Return times in whole steps, shape (rows,): the smallest distance of two rows of a series is one step.

    Parameters
    ----------
    times : pandas.Series
        Numbers, dates or periods. Dates on the same day of each month count in months.
    groups : numpy.ndarray
        Shape (rows,): the number of the series of each row.

    Raises
    ------
    ValueError
        If times are missing, repeated, or not a whole number of steps apart.
    """
    values = _as_numbers(times)
    order = np.lexsort((values, groups))
    within = groups[order][1:] == groups[order][:-1]
    distances = np.diff(values[order])
    shown = times.to_numpy()[order]
    same = np.flatnonzero(within & (distances == 0.0))
    if same.size:
        raise InvalidValue(
            f"time must be different in all rows of a series; got {shown[same[0]]!s} twice in column {times.name!r}. "
            "Name the column of the series with series=, or drop one of the rows."
        )
    if not within.any():
        return np.zeros(len(values), dtype=np.int64)
    step = float(distances[within].min())
    in_steps = distances / step
    wrong = np.flatnonzero(within & (np.abs(in_steps - in_steps.round()) > ROUNDING * np.maximum(in_steps, 1.0)))
    if wrong.size:
        first, second = shown[wrong[0]], shown[wrong[0] + 1]
        raise InvalidValue(
            "time must be regular: rows of a series are whole numbers of steps apart, and the shortest distance is "
            f"one step. In column {times.name!r}, from {first!s} to {second!s} it is {in_steps[wrong[0]]:.3f} steps. "
            "Resample to regular times first, or round the times."
        )
    steps = np.zeros(len(values), dtype=np.int64)
    steps[order[1:]] = np.cumsum(np.where(within, in_steps.round(), 0.0)).astype(np.int64)
    return steps


def _as_numbers(times: pd.Series) -> np.ndarray:
    """Return times as numbers: those of months for dates on the same day of each month, else seconds or as given."""
    import pandas as pd

    if times.isna().any():
        raise InvalidValue(
            f"time must be known in all rows; column {times.name!r} has missing values. Drop those rows."
        )
    if isinstance(times.dtype, pd.PeriodDtype):
        return np.array([period.ordinal for period in times], dtype=np.float64)
    if pd.api.types.is_datetime64_any_dtype(times):
        return _of_dates(pd.DatetimeIndex(times))
    if pd.api.types.is_numeric_dtype(times) and not pd.api.types.is_bool_dtype(times):
        return _finite(times.to_numpy(dtype=np.float64), times.name)
    raise InvalidType(
        f"time must be a column of numbers, dates or periods; column {times.name!r} has the type {times.dtype}. "
        "Convert it first, for example with pandas.to_datetime."
    )


def _of_dates(dates: Any) -> np.ndarray:
    months = (dates.year * 12 + dates.month).to_numpy(dtype=np.float64)
    time_of_day = dates - dates.normalize()
    same_day = (dates.day == dates.day[0]).all() or dates.is_month_end.all()
    if same_day and (time_of_day == time_of_day[0]).all():
        return months
    return np.asarray((dates - dates.min()).total_seconds(), dtype=np.float64)


def _finite(values: np.ndarray, name: Any) -> np.ndarray:
    if not np.isfinite(values).all():
        raise InvalidValue(f"time must be finite; column {name!r} has infinite values.")
    return values
