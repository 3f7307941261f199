"""Completed tables, as frames of the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset
from orderspn.data.mixed import Table
from orderspn.missing.tables import cells_in, columns_in

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Imputations:
    """Completed tables, one for each component of the posterior: a sequence of frames.

    Attributes
    ----------
    data : pandas.DataFrame
        The variables as they were given, with missing values.
    missing : pandas.DataFrame
        Of the same shape, bool: which values were imputed, in every completed table.

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk"]][:100]
    >>> data.iloc[::10, 1] = np.nan
    >>> imputations = osp.learn(data, imputations=4).imputations()
    >>> len(imputations), imputations[0].isna().any().any(), imputations.missing["Mek"].sum()
    (4, np.False_, np.int64(10))
    """

    data: pd.DataFrame
    missing: pd.DataFrame
    drawn: Sequence[dict[str, np.ndarray]]
    """Of each completed table, the imputed values of each column."""

    def __repr__(self) -> str:
        return f"<Imputations: {len(self)} completed tables, {int(self.missing.to_numpy().sum())} values imputed>"

    def __len__(self) -> int:
        return len(self.drawn)

    def __getitem__(self, number: int) -> pd.DataFrame:
        frame = self.data.copy()
        for name, values in self.drawn[number].items():
            column = frame[name].to_numpy(dtype=object, copy=True)
            column[self.missing[name].to_numpy()] = values
            completed = type(frame[name])(column, index=frame.index)
            frame[name] = completed.astype(frame[name].dtype) if _has_levels(frame[name]) else completed.infer_objects()
        return frame

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return (self[number] for number in range(len(self)))


def _has_levels(column: pd.Series[Any]) -> bool:
    return hasattr(column, "cat")


def drawn_values(table: Table, missing: np.ndarray, first: pd.DataFrame, coded: Table) -> dict[str, np.ndarray]:
    """Return the imputed values of each column with missing cells (N, columns), in the units of the user.

    Levels have the values that they have in the first filled frame, whose table is `coded`.
    """
    cells = cells_in(table)
    if isinstance(table, Dataset) and table.units is not None:
        cells = table.units.undone(cells)
    codes, found = cells_in(coded), {}
    for place, name in enumerate(columns_in(table)):
        gaps = missing[:, place]
        if gaps.any():
            levels = _levels(table, place)
            found[name] = (
                cells[gaps, place]
                if levels is None
                else _named(cells[gaps, place], codes[:, place], first[name], levels)
            )
    return found


def _named(cells: np.ndarray, codes: np.ndarray, column: pd.Series[Any], levels: Sequence[str]) -> np.ndarray:
    """Return codes as the values that have them in a column; levels that do not occur there have their names."""
    value = dict(enumerate(levels)) | dict(zip(codes.tolist(), column.tolist(), strict=True))
    values = np.empty(len(cells), dtype=object)
    values[:] = [value[code] for code in cells.tolist()]
    return values


def _levels(table: Table, place: int) -> Sequence[str] | None:
    """Return the levels of a column; None for numbers."""
    if isinstance(table, Categories):
        return table.levels[place]
    if isinstance(table, Dataset):
        return None
    return [part.levels or None for part in table.parts for _ in part.columns][place]
