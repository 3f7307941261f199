"""Tables of categories, validated and frozen: every value is one of the levels of its column."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.data.columns import Columns, check_shape, constant_column, is_array, is_missing, listed
from orderspn.data.dataset import Dataset
from orderspn.data.interventions import of_frozen, read_with_interventions
from orderspn.data.kinds import OTHER, REAL, kind_of, neither

MOST_LEVELS = 1024
"""Most levels of a column. With more, nearly every combination of two columns occurs once, and nothing is learned."""


@dataclass(frozen=True, eq=False)
class Categories:
    """Rows of categories with named columns: complete, no column constant, read-only.

    Attributes
    ----------
    variables : tuple of str
        Names of the columns, all different.
    codes : numpy.ndarray
        Shape (rows, variables), uint16, C-contiguous, not writeable: indices of levels.
    levels : tuple of tuple of str
        Names of the levels of each column.
    intervened : numpy.ndarray or None
        Shape (rows, variables), bool, not writeable: which variables were intervened on in which rows. None without
        interventions.
    """

    variables: tuple[str, ...]
    codes: np.ndarray  # (N, d)
    levels: tuple[tuple[str, ...], ...]
    intervened: np.ndarray | None = None  # (N, d)

    units = None
    standardized = False
    """Categories have no unit."""

    def __repr__(self) -> str:
        fewest, most = self.arities.min(), self.arities.max()
        levels = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        return f"<Categories: {self.n_rows:,} rows of {self.n_variables} variables with {levels} levels>"

    @property
    def n_rows(self) -> int:
        """Number of rows, N."""
        return int(self.codes.shape[0])

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.codes.shape[1])

    @property
    def arities(self) -> np.ndarray:
        """Number of levels of each column, shape (d,)."""
        return np.array([len(names) for names in self.levels], dtype=np.int64)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, levels, values and interventions: equal for equal data from any kind of table."""
        digest = hashlib.sha256(json.dumps([self.variables, self.levels]).encode())
        digest.update(np.array(self.codes.shape, dtype="<i8").tobytes())
        digest.update(self.codes.astype("<u2").tobytes())
        if self.intervened is not None:
            digest.update(np.packbits(self.intervened).tobytes())
        return digest.hexdigest()


def read_categories(
    data: Any,
    variables: Sequence[str] | None = None,
    *,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
) -> Categories:
    """Check a table of categories and freeze it.

    Types that declare ordered levels keep all of them, whether they occur or not: `polars.Enum`, an ordered
    `pandas.CategoricalDtype`, and booleans. The levels of other columns (text, unordered categories, integers) are
    those that occur, sorted.

    Parameters
    ----------
    data : DataFrame, array, or path of a .csv, .tsv, .xlsx or .parquet file
        A pandas or polars DataFrame, anything else that narwhals reads, or a two-dimensional array, of text,
        booleans, categories or integers. `Categories` pass through.
    variables : sequence of str, optional
        Names of the columns of an array (default `X1`, `X2`, ...); for a DataFrame, the columns to use.
    interventions, targets
        Rows in which variables were intervened on, as for `learn`.

    Returns
    -------
    Categories

    Examples
    --------
    >>> import orderspn as osp
    >>> table = osp.read_categories([["yes", "low"], ["no", "high"], ["no", "low"]], variables=["smoker", "risk"])
    >>> table.levels
    (('no', 'yes'), ('high', 'low'))
    """
    if isinstance(data, Categories):
        if variables is not None:
            raise InvalidValue("variables cannot be given together with Categories, which have their names already.")
        intervened = of_frozen(data, interventions, targets)
        return data if intervened is data.intervened else replace(data, intervened=intervened)
    if isinstance(data, Dataset):
        raise InvalidType("a Dataset holds numbers, not categories; pass the table that it was read from.")
    return categories_of(*read_with_interventions(data, variables, interventions, targets))


def categories_of(columns: Columns, intervened: np.ndarray | None = None, coded: Collection[str] = ()) -> Categories:
    """Build `Categories` from columns; those of `coded` may hold real numbers, each value of which is a level."""
    n_rows = len(next(iter(columns.values()))) if columns else 0
    check_shape(len(columns), n_rows)
    codes = np.empty((n_rows, len(columns)), dtype=np.uint16)
    levels = []
    for place, (name, column) in enumerate(columns.items()):
        own, names = encode(name, column, name in coded)
        codes[:, place] = own
        levels.append(names)
    codes.setflags(write=False)
    return Categories(tuple(columns), codes, tuple(levels), intervened)


def encode(name: str, column: Any, coded: bool = False) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the codes of the values of one column, and the names of its levels; `coded` if real numbers are levels."""
    values = category_values(name, column, coded)
    occurring = set(values)
    if len(occurring) == 1:
        raise constant_column(name, str(values[0]))
    declared = _declared(column)
    ordered = _sorted(occurring) if declared is None else declared
    names = tuple(map(str, ordered))
    if len(set(names)) < len(names):
        raise InvalidValue(f"column {name!r} has two levels with the same text, such as 1 and '1'. Rename one of them.")
    if len(names) > MOST_LEVELS:
        raise InvalidValue(
            f"column {name!r} has {len(names)} levels; at most {MOST_LEVELS} can be used. Merge some of them, or drop "
            "the column if it names rows."
        )
    place = {level: code for code, level in enumerate(ordered)}
    return np.array([place[value] for value in values], dtype=np.uint16), names


def category_values(name: str, column: Any, coded: bool = False) -> list[Any]:
    """Return the values of a column of categories; missing values are an error."""
    kind = kind_of(column)
    if kind == OTHER:
        raise neither(name, column)
    if kind == REAL and not coded:
        raise InvalidType(
            f"column {name!r} holds real numbers (dtype {column.dtype}), which are not categories. Cut it into classes "
            "first, for example with pandas.cut, or convert it to integers if these are codes."
        )
    values = listed(column)
    missing = sum(map(is_missing, values))
    if missing:
        raise InvalidValue(
            f"column {name!r} has {missing} missing value(s). Drop those rows or fill them in first, for example with "
            "a level of their own."
        )
    if kind == REAL:  # a table with integers beside real numbers may hold all of them as real numbers
        return [int(value) if float(value).is_integer() else value for value in values]
    return values


def _declared(column: Any) -> list[Any] | None:
    """Return the ordered levels that the type of a column declares, or None."""
    if is_array(column):
        return [False, True] if column.dtype.kind == "b" else None
    import narwhals as nw

    if isinstance(column.dtype, nw.Boolean):
        return [False, True]
    return list(column.dtype.categories) if isinstance(column.dtype, nw.Enum) else None


def _sorted(values: set[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:  # text beside numbers
        return sorted(values, key=str)
