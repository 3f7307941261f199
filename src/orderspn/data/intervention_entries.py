"""Interventions row by row: the names of the variables that were set, or labels of conditions that say which were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.data.kinds import is_missing, listed

SEVERAL = (list, tuple, set, frozenset)
"""Types of an entry that names several variables."""


def listed_entries(given: Any) -> list[Any]:
    """The entries of a sequence, an array or a series."""
    if isinstance(given, (Mapping, Set, bytes)) or not isinstance(given, Iterable):
        raise InvalidType(
            "interventions must be the name of a column, a sequence with one entry per row, or a table of truth values "
            f"(rows, variables); got {type(given).__name__}."
        )
    for method in ("to_list", "tolist"):  # of a series, or of an array: values of Python's own types
        if hasattr(given, method):
            return list(getattr(given, method)())
    return list(given)


def mask_from_entries(entries: list[Any], targets: Any, variables: Sequence[str], n_rows: int) -> np.ndarray:
    """Which variables were set in which rows (N, d), by names or by labels whose targets are said."""
    if len(entries) != n_rows:
        raise InvalidValue(f"interventions must have one entry for each of the {n_rows} rows; got {len(entries)}.")
    mask = np.zeros((n_rows, len(variables)), dtype=bool)
    rows = _places_by_name(entries, variables) if targets is None else _places_by_label(entries, targets, variables)
    for row, places in enumerate(rows):
        mask[row, places] = True
    return mask


def _places_by_name(entries: list[Any], variables: Sequence[str]) -> Iterator[list[int]]:
    place = {name: i for i, name in enumerate(variables)}
    for row, entry in enumerate(entries):
        names = [_checked_name(name, row) for name in _members(entry)]
        for name in names:
            if name not in place:
                raise InvalidValue(
                    f"row {row} of interventions (counted from 0): {unknown_name(name, variables)} If entries are "
                    "labels of conditions, pass targets= to say which variables each of them sets."
                )
        yield [place[name] for name in names]


def _places_by_label(entries: list[Any], targets: Any, variables: Sequence[str]) -> Iterator[list[int]]:
    places = _read_targets(targets, variables)
    rows = [_labels(entry, places) for entry in entries]
    unknown = {str(label): label for labels in rows for label in labels if _known(label, places) is None}
    if unknown:
        raise InvalidValue(
            f"targets must say of every label in interventions which variables it sets; got nothing about "
            f"{listed(list(unknown))}. An empty list means an observational condition."
        )
    for labels in rows:
        yield [i for label in labels for i in _known(label, places) or []]


def _read_targets(targets: Any, variables: Sequence[str]) -> dict[Any, list[int]]:
    """Label -> places of the variables that it sets."""
    if not isinstance(targets, Mapping):
        raise InvalidType(f"targets must be a mapping of labels to names of variables; got {type(targets).__name__}.")
    places: dict[Any, list[int]] = {}
    for label, names in targets.items():
        places[label] = []
        for name in _members(names):
            if str(name) not in variables:
                raise InvalidValue(f"targets of {label!r}: {unknown_name(str(name), variables)}")
            places[label].append(list(variables).index(str(name)))
    return places


def _members(entry: Any) -> list[Any]:
    """The names of an entry: none, one or several."""
    if isinstance(entry, SEVERAL):
        return [name for name in entry if not _is_nothing(name)]
    return [] if _is_nothing(entry) else [entry]


def _labels(entry: Any, places: Mapping[Any, list[int]]) -> list[Any]:
    """The labels of an entry; what is missing may be a label too, and so may a tuple."""
    if not isinstance(entry, (list, set)) and _known(entry, places) is not None:
        return [entry]
    return _members(entry)


def _known(label: Any, places: Mapping[Any, list[int]]) -> list[int] | None:
    """What a label sets; numbers are also known by what they read like."""
    try:
        own = places.get(label)
    except TypeError:
        raise InvalidType(f"labels of conditions must be text or numbers; got {label!r}.") from None
    return places.get(_text(label)) if own is None else own


def _is_nothing(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def _checked_name(value: Any, row: int) -> str:
    if isinstance(value, (bool, np.bool_)):
        raise InvalidType(
            f"an entry of interventions must be the name of a variable, or several names; got {value} in row {row}. A "
            "table of truth values must be a NumPy array of shape (rows, variables), or a DataFrame."
        )
    return _text(value)


def _text(value: Any) -> str:
    """As a table names its columns; whole numbers beside missing ones have become fractions."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
