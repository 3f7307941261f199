"""Tables whose variables are numbers, categories, or groups of measured columns, validated and frozen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.data.categories import Categories, encode
from orderspn.data.column_groups import Groups, variables_of
from orderspn.data.columns import Columns, check_shape
from orderspn.data.dataset import Dataset, check_magnitude, check_values, numbers_in

VariableKind = Literal["number", "category", "group"]

MOST_LEVELS_BESIDE_NUMBERS = 100
"""Most levels of a category beside numbers: every level but one is a column of the score."""


@dataclass(frozen=True, eq=False)
class MixedVariable:
    """The values of one variable: numbers, or the codes of the levels of a category.

    Attributes
    ----------
    kind : "number", "category" or "group"
        A group has several columns of numbers, a number and a category one.
    values : numpy.ndarray
        Shape (rows, columns), float64, not writeable.
    columns : tuple of str
        Names of the columns.
    levels : tuple of str
        Names of the levels of a category; empty for numbers.
    """

    kind: VariableKind
    values: np.ndarray  # (N, columns)
    columns: tuple[str, ...]
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MixedTable:
    """Rows of named variables of different kinds: complete, no column constant, read-only.

    Attributes
    ----------
    variables : tuple of str
        Names of the variables, all different.
    parts : tuple of MixedVariable
        The values of each variable.
    intervened : numpy.ndarray or None
        Shape (rows, variables), bool, not writeable: which variables were intervened on in which rows. None without
        interventions.
    """

    variables: tuple[str, ...]
    parts: tuple[MixedVariable, ...]
    intervened: np.ndarray | None = None  # (N, d)

    units = None
    standardized = False
    """The score whitens the columns of each variable by itself."""

    def __repr__(self) -> str:
        return f"<MixedTable: {self.n_rows:,} rows of {self.n_variables} variables>"

    @property
    def n_rows(self) -> int:
        """Number of rows, N."""
        return len(self.parts[0].values)

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return len(self.variables)

    @property
    def kinds(self) -> dict[str, VariableKind]:
        """The kind of each variable."""
        return {name: part.kind for name, part in zip(self.variables, self.parts, strict=True)}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, kinds, values and interventions: equal for equal data from any kind of table."""
        described = [[name, part.kind, part.columns, part.levels] for name, part in self._named]
        digest = hashlib.sha256(json.dumps([self.n_rows, described]).encode())
        for _, part in self._named:
            digest.update(part.values.astype("<f8").tobytes())
        if self.intervened is not None:
            digest.update(np.packbits(self.intervened).tobytes())
        return digest.hexdigest()

    @property
    def numbers(self) -> Dataset | None:
        """All columns of numbers, also those of groups; None if there are none."""
        chosen = [v for v, part in enumerate(self.parts) if part.kind != "category"]
        if not chosen:
            return None
        owner = np.repeat(chosen, [len(self.parts[v].columns) for v in chosen])
        names = tuple(name for v in chosen for name in self.parts[v].columns)
        values = np.concatenate([self.parts[v].values for v in chosen], axis=1)
        return Dataset(names, values, intervened=None if self.intervened is None else self.intervened[:, owner])

    @property
    def categories(self) -> Categories | None:
        """All categories; None if there are none."""
        chosen = [v for v, part in enumerate(self.parts) if part.kind == "category"]
        if not chosen:
            return None
        codes = np.concatenate([self.parts[v].values for v in chosen], axis=1).astype(np.uint16)
        names, levels = tuple(self.variables[v] for v in chosen), tuple(self.parts[v].levels for v in chosen)
        return Categories(names, codes, levels, None if self.intervened is None else self.intervened[:, chosen])

    def rows(self, chosen: slice) -> MixedTable:
        """Return some of the rows.

        Examples
        --------
        >>> import pandas as pd, orderspn as osp
        >>> table = osp.read_mixed(pd.DataFrame({"dose": [0.5, 1.0, 2.0], "ward": ["a", "b", "a"]}))
        >>> table.rows(slice(0, 2)).n_rows
        2
        """
        parts = tuple(replace(part, values=part.values[chosen]) for part in self.parts)
        return replace(self, parts=parts, intervened=None if self.intervened is None else self.intervened[chosen])

    @property
    def _named(self) -> list[tuple[str, MixedVariable]]:
        return list(zip(self.variables, self.parts, strict=True))


Table = Dataset | Categories | MixedTable
"""Any table that was read."""


def mixed_of(
    columns: Columns,
    kinds: Mapping[str, str],
    groups: Groups,
    intervened: np.ndarray | None = None,
) -> MixedTable:
    """Build a `MixedTable` from columns, the kind of each column that is in no group, and the columns of each group."""
    parts: dict[str, MixedVariable] = {}
    for name, members in variables_of(columns, groups).items():
        own = {member: columns[member] for member in members}
        parts[name] = _category(name, own) if kinds.get(name) == "category" else _numbers(own, name in groups)
    check_shape(len(parts), len(next(iter(parts.values())).values) if parts else 0)
    return MixedTable(tuple(parts), tuple(parts.values()), intervened)


def mixed_from_numbers(data: Dataset) -> MixedTable:
    """Return a table of numbers as a mixed one."""
    parts = [
        MixedVariable("number", _frozen(column[:, None]), (name,))
        for name, column in zip(data.variables, data.values.T, strict=True)
    ]
    return MixedTable(data.variables, tuple(parts), data.intervened)


def _numbers(columns: Columns, in_group: bool) -> MixedVariable:
    names = tuple(columns)
    values = numbers_in(columns)
    check_values(names, values)
    check_magnitude(names, values)
    return MixedVariable("group" if in_group else "number", _frozen(values), names)


def _category(name: str, columns: Columns) -> MixedVariable:
    codes, levels = encode(name, columns[name], coded=True)
    if len(levels) > MOST_LEVELS_BESIDE_NUMBERS:
        raise InvalidValue(
            f"column {name!r} is a category of {len(levels)} levels; at most {MOST_LEVELS_BESIDE_NUMBERS} can be used "
            f"beside numbers. Merge some of them, read it as a number with kinds={{{name!r}: 'number'}} if these are "
            "numbers, or drop the column if it names rows."
        )
    return MixedVariable("category", _frozen(codes[:, None]), (name,), levels)


def _frozen(values: np.ndarray) -> np.ndarray:
    """Return a copy that cannot be changed."""
    frozen = np.array(values, dtype=np.float64, order="C")
    frozen.setflags(write=False)
    return frozen
