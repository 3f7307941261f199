"""Tables of lagged values: each row has the variables now, and the same variables some steps before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import check_names, quoted
from orderspn.core.slices import Moment, moment_of
from orderspn.data.columns import is_frame
from orderspn.display.text import counted
from orderspn.time_series.spacing import steps_of

if TYPE_CHECKING:
    import pandas as pd

FEWEST_ROWS = 2
"""Fewest rows of a lagged table that can be learned from."""


@dataclass(frozen=True, eq=False)
class Lagged:
    """Time series as a table for `learn`: the present, which is explained, and the past, which is context.

    `learn(**lagged)` and `learn(lagged.data, context=lagged.context)` are the same.

    Attributes
    ----------
    data : pandas.DataFrame
        Columns `X[t]` of every variable, then `X[t-1]`, `X[t-2]`, ... up to the number of lags, then those that are
        context as they are. A row for each time at which all of them are known.
    context : list of str
        The names of all columns but `X[t]`.
    lags : int
    n_series : int
        Number of series that have at least one row.
    left_out : int
        Number of rows of the given table that are no row of this one: the first rows of each series and after each gap.
    """

    data: pd.DataFrame
    context: list[str]
    lags: int
    n_series: int
    left_out: int

    def keys(self) -> Iterator[str]:
        """The arguments of `learn`, so that `learn(**lagged)` works."""
        return iter(("data", "context"))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, {"data": "data", "context": "context"}[name])

    @property
    def explained(self) -> list[str]:
        """The names of the columns of the present."""
        return [name for name in self.data.columns if name not in self.context]

    def __repr__(self) -> str:
        return (
            f"<Lagged: {counted(len(self.data), 'row')} of {counted(self.n_series, 'series', 'series')}, "
            f"{len(self.explained)} variables explained by {len(self.context)} in context, {self.lags} steps back>"
        )


def lagged(
    frame: Any,
    lags: int = 2,
    series: str | None = None,
    time: str | None = None,
    *,
    variables: Sequence[str] | None = None,
    context: Sequence[str] = (),
) -> Lagged:
    """Arrange time series as a table for `learn`: each row has all variables now, and the past of all of them.

    The posterior then answers whether `X[t-1] -> Y[t]` and, within one time step, whether `X[t] -> Y[t]`. It is assumed
    that the series are stationary: the same graph and the same weights hold at every time and in every series, and what
    happened more than `lags` steps before has no effect of its own. Take differences first if a series has a trend.

    Parameters
    ----------
    frame : DataFrame
        A row for each time and series, a column for each variable: pandas, polars or anything else narwhals reads.
    lags : int, default 2
        Number of steps back.
    series : str, optional
        The column that says which series a row belongs to, such as a patient. Rows of different series never mix.
    time : str, optional
        The column of times: numbers, dates or periods. Rows are sorted by it within their series. Times must be whole
        numbers of steps apart, where a step is the shortest distance; larger distances are gaps, over which nothing is
        lagged. Without it, rows of a series follow each other as they are, one step apart.
    variables : sequence of str, optional
        The columns that are lagged (default: all that are named by no other argument).
    context : sequence of str
        Columns that are context as they are, without lags, such as age or the month of the year.

    Returns
    -------
    Lagged
        With `.data` and `.context`, for `learn(lagged.data, context=lagged.context)` or `learn(**lagged)`.

    Raises
    ------
    ValueError
        If times are repeated or irregular, or if no series is longer than the number of lags. A row with missing
        values is a gap.

    Examples
    --------
    >>> import orderspn as osp, pandas as pd
    >>> frame = pd.DataFrame({"patient": ["a"] * 3 + ["b"] * 3, "X": [1, 2, 4, 10, 12, 11], "Y": [0, 1, 1, 2, 0, 3]})
    >>> table = osp.time_series.lagged(frame, lags=1, series="patient")
    >>> table.data
       X[t]  Y[t]  X[t-1]  Y[t-1]
    0     2     1       1       0
    1     4     1       2       1
    2    12     0      10       2
    3    11     3      12       0
    >>> table.context
    ['X[t-1]', 'Y[t-1]']
    """
    import pandas as pd

    n_lags = check_integer("lags", lags, 1)
    table = _as_pandas(frame)
    chosen, kept = _columns(table, series, time, variables, context)
    groups = np.zeros(len(table), dtype=np.int64) if series is None else _groups(table[series])
    steps = _counted_in(groups) if time is None else steps_of(table[time], groups)
    order = np.lexsort((steps, groups))
    groups, steps = groups[order], steps[order]
    known = table[[*chosen, *kept]].notna().to_numpy()[order]
    usable = _usable(groups, steps, np.asarray(known[:, : len(chosen)].all(axis=1)), n_lags)
    usable &= np.asarray(known[:, len(chosen) :].all(axis=1))
    rows = np.flatnonzero(usable)
    if rows.size < FEWEST_ROWS:
        raise InvalidValue(_too_short(groups, steps, n_lags, rows.size))
    columns = {
        Moment(name, lag).name: table[name].iloc[order[rows - lag]].reset_index(drop=True)
        for lag in range(n_lags + 1)
        for name in chosen
    }
    columns |= {name: table[name].iloc[order[rows]].reset_index(drop=True) for name in kept}
    data = pd.DataFrame(columns)
    past = [name for name in data.columns if name in kept or _lag(name) > 0]
    return Lagged(data, past, n_lags, int(np.unique(groups[rows]).size), len(table) - rows.size)


def _lag(name: str) -> int:
    moment = moment_of(name)
    return 0 if moment is None else moment.lag


def _as_pandas(frame: Any) -> pd.DataFrame:
    if not is_frame(frame):
        raise InvalidType(
            f"frame must be a DataFrame with a row for each time; got {type(frame).__name__}. Pass "
            "pandas.DataFrame(array, columns=[...])."
        )
    import narwhals as nw
    import pandas as pd

    if isinstance(frame, pd.DataFrame):
        table = frame.rename(columns=str)
    else:
        table = nw.from_native(frame, eager_only=True).to_pandas()
    check_names("frame", table.columns)
    return table


def _columns(
    table: pd.DataFrame,
    series: str | None,
    time: str | None,
    variables: Sequence[str] | None,
    context: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Return the columns that are lagged, and those that are context as they are."""
    for name in (series, time):
        if name is not None and name not in table.columns:
            raise unknown_name(str(name), list(table.columns), "column")
    kept = list(check_names("context", context))
    taken = {series, time, *kept}
    chosen = (
        [name for name in table.columns if name not in taken]
        if variables is None
        else list(check_names("variables", variables))
    )
    for name in (*kept, *chosen):
        if name not in table.columns:
            raise unknown_name(name, list(table.columns), "column")
    twice = [name for name in chosen if name in taken]
    if twice:
        raise InvalidValue(
            f"{twice[0]!r} is in variables= and also in series=, time= or context=. Leave it out of one of them."
        )
    if not chosen:
        raise InvalidValue("no column is left to be lagged; got only those of series=, time= and context=.")
    in_time = [name for name in (*chosen, *kept) if moment_of(name) is not None]
    if in_time:
        raise InvalidValue(
            f"columns are lagged already: {quoted(in_time)}. Pass the table before it was lagged, or rename them."
        )
    return chosen, kept


def _groups(series: pd.Series) -> np.ndarray:
    """Return the number of the series of each row, in the order of their first rows."""
    import pandas as pd

    if series.isna().any():
        raise InvalidValue(f"series must be known in all rows; column {series.name!r} has missing values.")
    codes: np.ndarray = pd.factorize(series)[0].astype(np.int64)
    return codes


def _counted_in(groups: np.ndarray) -> np.ndarray:
    """Return the number of each row within its group."""
    order = np.argsort(groups, kind="stable")
    firsts = np.searchsorted(groups[order], groups[order], side="left")
    steps = np.empty(len(groups), dtype=np.int64)
    steps[order] = np.arange(len(groups)) - firsts
    return steps


def _usable(groups: np.ndarray, steps: np.ndarray, known: np.ndarray, lags: int) -> np.ndarray:
    """Return which rows follow `lags` known rows of their series without a gap, (rows,); rows are sorted."""
    usable = known.copy()
    for lag in range(1, lags + 1):
        usable[:lag] = False
        usable[lag:] &= (groups[lag:] == groups[:-lag]) & (steps[lag:] - steps[:-lag] == lag) & known[:-lag]
    return usable


def _too_short(groups: np.ndarray, steps: np.ndarray, lags: int, n_rows: int) -> str:
    breaks = (np.diff(groups) != 0) | (np.diff(steps) != 1)
    starts = np.concatenate([[0], np.flatnonzero(breaks) + 1, [len(groups)]])
    longest = int(np.diff(starts).max(initial=0))
    return (
        f"series are too short for lags={lags}: a row needs {lags} complete rows of its series before it without a "
        f"gap, and {n_rows} have them; the longest stretch without a gap has {longest} rows. Lower lags=, or fill the "
        "gaps."
    )
