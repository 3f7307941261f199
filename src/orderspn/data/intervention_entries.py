"""Interventions given row by row: names of the variables intervened on, or labels of conditions with their targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import quoted
from orderspn.data.columns import is_missing

SEVERAL = (list, tuple, set, frozenset)
"""Types of an entry that names several variables."""


def listed_entries(given: Any) -> list[Any]:
    """Return the entries of a sequence, an array or a series as a list."""
    if isinstance(given, (Mapping, Set, bytes)) or not isinstance(given, Iterable):
        raise InvalidType(
            "interventions must be the name of a column, a sequence with one entry per row, or a boolean table "
            f"(rows, variables); got {type(given).__name__}."
        )
    for method in ("to_list", "tolist"):  # of a series, or of an array: values of Python's own types
        if hasattr(given, method):
            return list(getattr(given, method)())
    return list(given)


def mask_from_entries(
    entries: list[Any], targets: Any, variables: Sequence[str], n_rows: int, others: Sequence[str] = ()
) -> np.ndarray:
    """Which variables were intervened on in which rows (N, d), from names, or from labels with `targets`.

    Entries may also name `others`, columns of the data that are not among the variables; these are ignored.
    """
    if len(entries) != n_rows:
        raise InvalidValue(f"interventions must have one entry for each of the {n_rows} rows; got {len(entries)}.")
    # There are many rows and few conditions, so each distinct entry is looked up once.
    distinct, which = _distinct(entries)
    place = {name: i for i, name in enumerate(variables)}
    known = place.keys() | set(others)
    if targets is None:
        names = _names_by_entry(entries, distinct, known, variables)
    else:
        names = _names_by_label([entries[row] for row in distinct], _read_targets(targets, known, variables))
    by_entry = np.zeros((len(distinct), len(variables)), dtype=bool)
    for number, own in enumerate(names):
        by_entry[number, [place[name] for name in own if name in place]] = True
    mask: np.ndarray = by_entry[which]
    return mask


def _distinct(entries: list[Any]) -> tuple[list[int], np.ndarray]:
    """The first row of each distinct entry, and for every row (N,) the number of its entry."""
    number: dict[Any, int] = {}
    first: list[int] = []
    which = np.empty(len(entries), dtype=np.int64)
    for row, entry in enumerate(entries):
        own = number.setdefault(_key(entry), len(first))
        if own == len(first):
            first.append(row)
        which[row] = own
    return first, which


def _key(entry: Any) -> Any:
    """A key that is equal for entries of the same meaning. Types are part of it, because 1 == True."""
    if type(entry) is str:
        return entry
    if isinstance(entry, SEVERAL):
        return type(entry), tuple(map(_key, entry))
    if is_missing(entry):
        return None
    try:
        hash(entry)
    except TypeError:
        return object, id(entry)
    return type(entry), entry


def _names_by_entry(
    entries: list[Any], distinct: list[int], known: Set[str], variables: Sequence[str]
) -> Iterator[list[str]]:
    for row in distinct:
        names = [_checked_name(name, row) for name in _members(entries[row])]
        for name in names:
            if name not in known:
                raise InvalidValue(
                    f"row {row} of interventions (counted from 0): {unknown_name(name, variables)} If entries are "
                    "labels of conditions, pass targets= with the variables that each of them intervenes on."
                )
        yield names


def _names_by_label(entries: list[Any], targets: _Targets) -> Iterator[list[str]]:
    rows = [targets.labels_of(entry) for entry in entries]
    unknown = {str(label): label for labels in rows for label in labels if targets.of(label) is None}
    if unknown:
        raise InvalidValue(
            "targets must give the variables that each label in interventions intervenes on; got none for "
            f"{quoted(list(unknown))}. An empty list means an observational condition."
        )
    for labels in rows:
        yield [name for label in labels for name in targets.of(label) or []]


class _Targets(NamedTuple):
    """The targets of each label: by the label itself, and by its text, since files turn numbers into text."""

    exact: Mapping[Any, list[str]]
    by_text: Mapping[str, list[str]]

    def of(self, label: Any) -> list[str] | None:
        """The targets of a label; None if it is unknown."""
        try:
            own = self.exact.get(label)
        except TypeError:
            raise InvalidType(f"labels of conditions must be text or numbers; got {label!r}.") from None
        return self.by_text.get(_text(label)) if own is None else own

    def labels_of(self, entry: Any) -> list[Any]:
        """The labels of an entry. A missing value may itself be a label, and so may a tuple."""
        if not isinstance(entry, (list, set)) and self.of(entry) is not None:
            return [entry]
        return _members(entry)


def _read_targets(targets: Any, known: Set[str], variables: Sequence[str]) -> _Targets:
    if not isinstance(targets, Mapping):
        raise InvalidType(f"targets must be a mapping of labels to names of variables; got {type(targets).__name__}.")
    exact = {label: [_text(name) for name in _members(names)] for label, names in targets.items()}
    by_text: dict[str, list[str]] = {}
    for label, names in exact.items():
        for name in names:
            if name not in known:
                raise InvalidValue(f"targets of {label!r}: {unknown_name(name, variables)}")
        if set(by_text.setdefault(_text(label), names)) != set(names):
            raise InvalidValue(
                "targets has two labels with the same text and different variables, such as 1 and '1'; got "
                f"{label!r} as the second of them. Leave one out, or rename it."
            )
    return _Targets(exact, by_text)


def _members(entry: Any) -> list[Any]:
    """The names in an entry: none, one or several."""
    if isinstance(entry, SEVERAL):
        return [name for name in entry if not _is_nothing(name)]
    return [] if _is_nothing(entry) else [entry]


def _is_nothing(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def _checked_name(value: Any, row: int) -> str:
    if isinstance(value, (bool, np.bool_)):
        raise InvalidType(
            f"an entry of interventions must be the name of a variable, or several names; got {value} in row {row}. A "
            "boolean table must be a NumPy array of shape (rows, variables), or a DataFrame."
        )
    return _text(value)


def _text(value: Any) -> str:
    """Return a name as text. Integers may have become floats in a column with missing values, which become empty."""
    if _is_nothing(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
