"""Checks of the columns of tables: `fit` records them, and later calls are compared with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidValue, unknown_name
from orderspn.data.categories import Categories
from orderspn.data.columns import is_frame
from orderspn.data.dataset import Dataset
from orderspn.scores.registry import reads

if TYPE_CHECKING:
    from orderspn.estimator.order_spn import OrderSPN

FROZEN = (Dataset, Categories)
"""Types of tables that have been read already."""


def checked_columns(estimator: OrderSPN, X: Any, *, fitting: bool) -> Any:
    """Record the columns of X (`fitting`) or compare them with those of `fit`; return X.

    scikit-learn does this if it is installed.
    """
    if isinstance(X, FROZEN):
        return _checked_frozen(estimator, X, fitting=fitting)
    try:
        from sklearn.utils.validation import validate_data  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return _checked_alone(estimator, X, fitting=fitting)
    if is_frame(X) or reads(estimator.score_function) == "categories":  # values are checked when the data are read
        return validate_data(estimator, X, reset=fitting, skip_check_array=True)
    least = 2 if fitting else 1  # a single row can be scored
    return validate_data(
        estimator,
        X,
        reset=fitting,
        dtype=np.float64,
        ensure_all_finite="allow-nan",  # missing values
        ensure_min_samples=least,
        ensure_min_features=least,
    )


def _checked_frozen(estimator: OrderSPN, X: Dataset | Categories, *, fitting: bool) -> Dataset | Categories:
    """Do the same for a table that has been read already: it always has names, possibly by position."""
    if fitting:
        estimator.n_features_in_ = X.n_variables
        estimator.feature_names_in_ = np.array(X.variables, dtype=object)
        return X
    wanted = estimator.posterior_.variables
    missing = [name for name in wanted if name not in X.variables]
    if missing and not hasattr(estimator, "feature_names_in_") and X.n_variables == len(wanted):
        return replace(X, variables=tuple(wanted))
    if missing:
        raise InvalidValue(f"X must have the variables of fit: {unknown_name(missing[0], X.variables)}")
    return X


def _checked_alone(estimator: OrderSPN, X: Any, *, fitting: bool) -> Any:
    """Do the same without scikit-learn; values are checked when the data are read."""
    shape = np.shape(X)
    if len(shape) != 2:
        raise InvalidValue(f"X must have two dimensions (rows, variables); got shape {shape}.")
    names = np.array(names_of(X), dtype=object) if is_frame(X) else None
    if names is not None and not all(isinstance(name, str) for name in names):
        names = None
    if fitting:
        estimator.n_features_in_ = shape[1]
        vars(estimator).pop("feature_names_in_", None)
        if names is not None:
            estimator.feature_names_in_ = names
    elif shape[1] != estimator.n_features_in_:
        raise InvalidValue(f"X must have the {estimator.n_features_in_} columns of fit; got {shape[1]}.")
    elif names is not None and hasattr(estimator, "feature_names_in_"):
        differ = [(old, new) for old, new in zip(estimator.feature_names_in_, names, strict=True) if old != new]
        if differ:
            raise InvalidValue(
                f"X must have the columns of fit, in the same order; got {differ[0][1]!r} instead of {differ[0][0]!r}."
            )
    numbers = not is_frame(X) and reads(estimator.score_function) == "numbers"
    return _as_numbers(X) if numbers else X


def _as_numbers(array: Any) -> Any:
    """Convert integers to real numbers, because integers could be categories; leave other types unchanged."""
    values = np.asarray(array)
    return values.astype(np.float64) if values.dtype.kind in "iu" else array


def names_of(frame: Any) -> list[Any]:
    """Return the names of the columns of a DataFrame of any type."""
    import narwhals as nw

    return list(nw.from_native(frame, eager_only=True).columns)
