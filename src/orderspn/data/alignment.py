"""Rows of two pandas tables matched by their index, as pandas itself would match them."""

from __future__ import annotations

from typing import Any

from orderspn.core.errors import InvalidValue


def aligned(given: Any, data: Any) -> Any:
    """Interventions in the order of the rows of `data`, where both have an index; anything else as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"dose": [1.0, 2.0, 3.0]}, index=["a", "b", "c"])
    >>> aligned(pd.Series(["dose", "", ""], index=["c", "a", "b"]), data).tolist()
    ['', '', 'dose']
    """
    if not (has_index(given) and has_index(data)) or len(given) != len(data):  # lengths are judged by the reader
        return given
    own, wanted = native(given).index, native(data).index
    if own.equals(wanted):
        return given
    if not (own.is_unique and wanted.is_unique):
        raise _unmatched("labels that occur more than once cannot be matched")
    places = own.get_indexer(wanted)
    if (places < 0).any():
        label = wanted[int((places < 0).argmax())]
        raise _unmatched(f"interventions have no row {label!r}")
    return native(given).iloc[places]


def by_position(given: Any) -> Any:
    """The same values without an index."""
    if not has_index(given):
        return given
    own = native(given)
    return own.to_numpy() if own.ndim == 1 else own.reset_index(drop=True)


def has_index(table: Any) -> bool:
    """Whether something is a series or a DataFrame of pandas, or of a package that does as pandas does."""
    import narwhals as nw

    own = native(table)
    return bool(nw.dependencies.is_pandas_like_series(own) or nw.dependencies.is_pandas_like_dataframe(own))


def native(table: Any) -> Any:
    """What narwhals wraps, where it does."""
    import narwhals as nw

    return nw.to_native(table, pass_through=True)


def _unmatched(why: str) -> InvalidValue:
    return InvalidValue(
        f"interventions and data are both pandas tables, and the index of one is not that of the other: {why}. Give "
        "both the same index, or pass interventions.to_numpy() to match rows by position."
    )
