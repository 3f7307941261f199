"""Read a table by the kinds of its columns, with groups of columns and interventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from orderspn.data.column_groups import Groups, checked_groups, of_variables, variables_of
from orderspn.data.columns import Columns
from orderspn.data.interventions import read_with_interventions
from orderspn.data.kinds import Kind, Reading, checked_kinds, reading_of
from orderspn.data.mixed import MixedTable, mixed_of


class ColumnsByKind(NamedTuple):
    """The columns of a table, how those outside of groups are read, and which variables were intervened on."""

    columns: Columns
    reading: Reading
    groups: dict[str, tuple[str, ...]]
    intervened: np.ndarray | None  # (N, d)

    def mixed(self) -> MixedTable:
        """Return the table with variables of different kinds."""
        return mixed_of(self.columns, self.reading.kinds, self.groups, self.intervened)


def columns_by_kind(
    data: Any,
    variables: Sequence[str] | None,
    interventions: Any,
    targets: Mapping[Any, Any] | None,
    kinds: Mapping[str, Kind] | None,
    groups: Groups | None,
    measured: bool,
) -> ColumnsByKind:
    """Read columns and interventions; `measured` if integers are numbers whatever the other columns are."""
    also = tuple(groups) if isinstance(groups, Mapping) else ()
    columns, mask = read_with_interventions(data, variables, interventions, targets, also)
    own = checked_groups(groups, columns)
    members = variables_of(columns, own)
    alone = {name: column for name, column in columns.items() if name in members and name not in own}
    reading = reading_of(alone, checked_kinds(kinds, alone), measured or bool(own))
    named = (*columns, *(name for name in own if name not in columns))
    return ColumnsByKind(columns, reading, own, of_variables(mask, named, members))


def read_mixed(
    data: Any,
    variables: Sequence[str] | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    groups: Groups | None = None,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
) -> MixedTable:
    """Check a table of numbers and categories and freeze it.

    Parameters
    ----------
    data : DataFrame, array, or path of a .csv, .tsv, .xlsx or .parquet file
    variables, kinds, groups, interventions, targets
        As for `learn`; integers are numbers unless `kinds` says otherwise.

    Returns
    -------
    MixedTable

    Examples
    --------
    >>> import pandas as pd, orderspn as osp
    >>> table = osp.read_mixed(pd.DataFrame({"dose": [0.5, 1.0, 2.0], "ward": ["a", "b", "a"]}))
    >>> table.kinds
    {'dose': 'number', 'ward': 'category'}
    """
    return columns_by_kind(data, variables, interventions, targets, kinds, groups, measured=True).mixed()
