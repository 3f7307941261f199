"""The data door: any table in, a validated and frozen `Dataset` out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name

LARGEST_VALUE = 1e100
"""Beyond it sums of squares come near the largest number there is."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of real numbers with named columns: finite, no column constant, read-only.

    Attributes
    ----------
    variables : tuple of str
        Names of the columns, all different.
    values : numpy.ndarray
        Shape (rows, variables), float64, C-contiguous, not writeable.
    standardized : bool
        Whether each column was centred and divided by its population standard deviation.
    """

    variables: tuple[str, ...]
    values: np.ndarray  # (N, d)
    standardized: bool = False

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
        """A digest of names and values: equal for equal data, whatever kind of table it came from."""
        digest = hashlib.sha256("\x1f".join(self.variables).encode())
        digest.update(np.array(self.values.shape, dtype="<i8").tobytes())
        digest.update(self.values.astype("<f8").tobytes())
        return digest.hexdigest()


def read_table(data: Any, variables: Sequence[str] | None = None, *, standardize: bool = False) -> Dataset:
    """Check a table and freeze it.

    Parameters
    ----------
    data : DataFrame or array
        A pandas or polars DataFrame, anything else that narwhals reads, or a two-dimensional array.
        A `Dataset` passes through.
    variables : sequence of str, optional
        Names of the columns of an array (default `X1`, `X2`, ...); for a DataFrame, the columns to use.
    standardize : bool, default False
        Centre each column and divide it by its population standard deviation.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> table = osp.read_table(np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]]), variables=["dose", "response"])
    >>> table.variables, table.n_rows
    (('dose', 'response'), 3)
    """
    if not isinstance(standardize, (bool, np.bool_)):
        raise InvalidType(f"standardize must be True or False; got {standardize!r}.")
    if isinstance(data, Dataset):
        names, values = data.variables, data.values
        if variables is not None:
            raise InvalidValue("variables cannot be given together with a Dataset, which has its names already.")
    elif isinstance(data, np.ndarray) or (isinstance(data, (list, tuple)) and data):
        names, values = _from_array(data, variables)
    else:
        names, values = _from_frame(data, variables)
    _check_shape(names, values)
    _check_values(names, values)
    values = _standardized(values) if standardize else values
    _check_magnitude(names, values)
    # Always a copy: the caller's table must neither be frozen nor be able to change ours.
    frozen = np.array(values, dtype=np.float64, order="C")
    frozen.setflags(write=False)
    already = isinstance(data, Dataset) and data.standardized
    return Dataset(tuple(names), frozen, standardized=bool(standardize) or already)


def _from_array(data: Any, variables: Sequence[str] | None) -> tuple[tuple[str, ...], np.ndarray]:
    try:
        values = np.asarray(data)
    except ValueError as problem:
        raise InvalidValue(f"data must be a table whose rows have equal lengths ({problem}).") from None
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise InvalidValue("data has masked (missing) values. Drop those rows or fill them in first.")
    if values.ndim != 2:
        raise InvalidValue(
            f"data must be a table with two dimensions (rows, variables); got an array of shape {values.shape}."
        )
    if values.dtype.kind not in "iuf":
        raise InvalidType(
            f"data must hold numbers; got an array of dtype {values.dtype}. Convert it with data.astype(float)."
        )
    if variables is None:
        variables = [f"X{i + 1}" for i in range(values.shape[1])]
    names = _names(variables)
    if len(names) != values.shape[1]:
        raise InvalidValue(
            f"variables must name each of the {values.shape[1]} columns of data; got {len(names)} names."
        )
    return names, values.astype(np.float64)


def _from_frame(data: Any, variables: Sequence[str] | None) -> tuple[tuple[str, ...], np.ndarray]:
    import narwhals as nw
    import pandas as pd

    if isinstance(data, pd.DataFrame):  # the only kind of table that may name two columns alike
        _check_unique([str(name) for name in data.columns])
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise InvalidType(
            "data must be a pandas or polars DataFrame, another eager table that narwhals reads, or a "
            f"two-dimensional NumPy array; got {type(data).__name__}. A lazy frame must be collected first."
        ) from None
    columns = {str(name): series for name, series in zip(frame.columns, frame.iter_columns(), strict=True)}
    wanted = _names(columns if variables is None else variables)
    values = np.empty((len(frame), len(wanted)))
    for position, name in enumerate(wanted):
        if name not in columns:
            raise unknown_name(name, list(columns), "column")
        series = columns[name]
        if not series.dtype.is_numeric():
            raise InvalidType(
                f"column {name!r} is not numeric (dtype {series.dtype}). Drop it, or convert it to numbers."
            )
        values[:, position] = series.cast(nw.Float64).to_numpy()
    return wanted, values


def _names(names: Iterable[Any]) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidType(f"variables must be a sequence of names; got {names!r}.")
    checked = tuple(str(name) for name in names)
    if any(not name.strip() for name in checked):
        raise InvalidValue("every variable needs a name; got an empty one. Rename that column.")
    _check_unique(checked)
    return checked


def _check_unique(names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        listed = ", ".join(repr(name) for name in twice)
        raise InvalidValue(f"every variable needs its own name; got {listed} more than once. Rename one of them.")


def _check_shape(names: Sequence[str], values: np.ndarray) -> None:
    if len(names) < 2:
        raise InvalidValue(f"data must have at least 2 variables; got {len(names)}.")
    if values.shape[0] < 2:
        raise InvalidValue(f"data must have at least 2 rows; got {values.shape[0]}.")


def _standardized(values: np.ndarray) -> np.ndarray:
    # Divided by the largest value first: squares of extreme values would overflow, or vanish.
    scaled = values / np.abs(values).max(axis=0)
    centred = scaled - scaled.mean(axis=0)
    return centred / np.sqrt((centred**2).mean(axis=0))


def _check_magnitude(names: Sequence[str], values: np.ndarray) -> None:
    for name, largest in zip(names, np.abs(values).max(axis=0), strict=True):
        if largest > LARGEST_VALUE:
            raise InvalidValue(
                f"column {name!r} has values up to {largest:.3g}, too large to be squared and summed. "
                "Change its unit, or pass standardize=True."
            )


def _check_values(names: Sequence[str], values: np.ndarray) -> None:
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
            raise InvalidValue(
                f"column {name!r} is constant (always {column[0]:g}): it carries no information. Drop it."
            )
