"""Tables of numbers, validated and frozen as a `Dataset`, with optional standardisation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.data.columns import Columns, check_shape, constant_column, is_array
from orderspn.data.interventions import of_frozen, read_with_interventions
from orderspn.data.units import Units

LARGEST_VALUE = 1e100
"""Largest absolute value: with larger ones, sums of squares could overflow."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of real numbers with named columns: finite, no column constant, read-only.

    Attributes
    ----------
    variables : tuple of str
        Names of the columns, all different.
    values : numpy.ndarray
        Shape (rows, variables), float64, C-contiguous, not writeable.
    units : Units or None
        The means and standard deviations by which columns were standardized; None for the units of the data.
    intervened : numpy.ndarray or None
        Shape (rows, variables), bool, not writeable: which variables were intervened on in which rows. None without
        interventions.
    """

    variables: tuple[str, ...]
    values: np.ndarray  # (N, d)
    units: Units | None = None
    intervened: np.ndarray | None = None  # (N, d)

    def __repr__(self) -> str:
        standardized = ", standardized" if self.standardized else ""
        return f"<Dataset: {self.n_rows:,} rows of {self.n_variables} variables{standardized}>"

    @property
    def standardized(self) -> bool:
        """Whether each column was centred and divided by its standard deviation."""
        return self.units is not None

    @property
    def n_rows(self) -> int:
        """Number of rows, N."""
        return int(self.values.shape[0])

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return int(self.values.shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, values and interventions: equal for equal data from any kind of table."""
        digest = hashlib.sha256("\x1f".join(self.variables).encode())
        digest.update(np.array(self.values.shape, dtype="<i8").tobytes())
        digest.update(self.values.astype("<f8").tobytes())
        if self.intervened is not None:
            digest.update(np.packbits(self.intervened).tobytes())
        return digest.hexdigest()


def read_table(
    data: Any,
    variables: Sequence[str] | None = None,
    *,
    standardize: bool = False,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
) -> Dataset:
    """Check a table of numbers and freeze it.

    Parameters
    ----------
    data : DataFrame, array, or path of a .csv, .tsv, .xlsx or .parquet file
        A pandas or polars DataFrame, anything else that narwhals reads, or a two-dimensional array.
        A `Dataset` passes through. Integers and booleans (0 and 1) are numbers here; `read_categories` takes them for
        levels.
    variables : sequence of str, optional
        Names of the columns of an array (default `X1`, `X2`, ...); for a DataFrame, the columns to use.
    standardize : bool, default False
        Centre each column and divide it by its population standard deviation. With interventions, both are taken over
        the rows in which the variable was not intervened on, or over all rows if these are fewer than 2 or all equal.
    interventions, targets
        Rows in which variables were intervened on, as for `learn`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> values = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]])
    >>> table = osp.read_table(values, variables=["dose", "response"])
    >>> table.variables, table.n_rows
    (('dose', 'response'), 3)
    >>> osp.read_table(values, variables=["dose", "response"], interventions=[None, None, "dose"]).intervened[2]
    array([ True, False])
    """
    if not isinstance(standardize, (bool, np.bool_)):
        raise InvalidType(f"standardize must be True or False; got {standardize!r}.")
    if isinstance(data, Dataset):
        if variables is not None:
            raise InvalidValue("variables cannot be given together with a Dataset, which has its names already.")
        intervened = of_frozen(data, interventions, targets)
        return _frozen(data.variables, data.values, standardize, data.units, intervened)
    columns, intervened = read_with_interventions(data, variables, interventions, targets)
    return numbers_of(columns, standardize, intervened)


def read_evaluation_rows(
    data: Any, variables: Sequence[str] | None, interventions: Any, targets: Mapping[Any, Any] | None
) -> Dataset:
    """Read rows that are only evaluated, not learned from: one row is enough, and columns may be constant."""
    columns, intervened = read_with_interventions(data, variables, interventions, targets)
    return Dataset(tuple(columns), numbers_in(columns), intervened=intervened)


def numbers_of(columns: Columns, standardize: bool, intervened: np.ndarray | None = None) -> Dataset:
    """Build a `Dataset` from columns."""
    return _frozen(tuple(columns), numbers_in(columns), standardize, None, intervened)


def _frozen(
    names: tuple[str, ...], values: np.ndarray, standardize: bool, units: Units | None, intervened: np.ndarray | None
) -> Dataset:
    """Check values, which are in given units already or in those of the data, and standardize them if asked to."""
    check_shape(len(names), len(values))
    check_values(names, values)
    if standardize:
        own = Units.of(values, intervened)
        values, units = own.applied(values), own if units is None else units.then(own)
    check_magnitude(names, values)
    # Always a copy: the caller's table must not be frozen, and later changes to it must not change the data set.
    frozen = np.array(values, dtype=np.float64, order="C")
    frozen.setflags(write=False)
    return Dataset(names, frozen, units, intervened)


def numbers_in(columns: Columns) -> np.ndarray:
    """Return the columns as one array of numbers, shape (N, d)."""
    values = np.empty((len(next(iter(columns.values()))) if columns else 0, len(columns)))
    for position, (name, column) in enumerate(columns.items()):
        values[:, position] = _numeric_array(column) if is_array(column) else _numeric_series(name, column)
    return values


def _numeric_array(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind not in "iufb":
        raise InvalidType(
            f"data must hold numbers; got an array of dtype {column.dtype}. Convert it with data.astype(float)."
        )
    return column


def _numeric_series(name: str, series: Any) -> np.ndarray:
    import narwhals as nw

    if not (series.dtype.is_numeric() or isinstance(series.dtype, nw.Boolean)):
        raise InvalidType(f"column {name!r} is not numeric (dtype {series.dtype}). Drop it, or convert it to numbers.")
    numbers: np.ndarray = series.cast(nw.Float64).to_numpy()
    return numbers


def check_magnitude(names: Sequence[str], values: np.ndarray) -> None:
    """Raise an error for values whose squares could overflow."""
    for name, largest in zip(names, np.abs(values).max(axis=0), strict=True):
        if largest > LARGEST_VALUE:
            raise InvalidValue(
                f"column {name!r} has values up to {largest:.3g}, too large to be squared and summed. "
                "Change its unit, or pass standardize=True."
            )


def check_values(names: Sequence[str], values: np.ndarray) -> None:
    """Raise an error for missing and infinite values, and for constant columns."""
    for name, column in zip(names, values.T, strict=True):
        missing = int(np.isnan(column).sum())
        if missing:
            raise InvalidValue(
                f"column {name!r} has {missing} missing value(s) (NaN). Drop those rows or fill them in first."
            )
        infinite = int(np.isinf(column).sum())
        if infinite:
            raise InvalidValue(f"column {name!r} has {infinite} infinite value(s). Drop or replace them first.")
        if column.max() == column.min():
            raise constant_column(name, f"{column[0]:g}")
