"""Groups of measured columns that stand for one variable each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import check_name_sequence, quoted
from orderspn.data.columns import Columns

Groups = Mapping[str, Sequence[str]]


def checked_groups(groups: Groups | None, columns: Columns) -> dict[str, tuple[str, ...]]:
    """Return the columns of each group, checked: known columns, each in one group, and names that are free."""
    if groups is None:
        return {}
    if not isinstance(groups, Mapping):
        raise InvalidType(f"groups must map names of variables to lists of columns; got {type(groups).__name__}.")
    owner: dict[str, str] = {}
    for name, members in groups.items():
        check_name_sequence(f"groups[{name!r}]", members)
        if not members:
            raise InvalidValue(f"groups[{name!r}] must name at least one column; got none.")
        for member in members:
            if member not in columns:
                raise unknown_name(member, list(columns), "column")
            if member in owner:
                raise InvalidValue(
                    f"column {member!r} is in the groups {owner[member]!r} and {name!r}; keep it in one."
                )
            owner[member] = name
    taken = [str(name) for name in groups if name in columns and owner.get(name) != name]
    if taken:
        raise InvalidValue(f"groups must have names of their own; {quoted(taken)} is a column beside them. Rename it.")
    return {str(name): tuple(members) for name, members in groups.items()}


def variables_of(columns: Columns, groups: Groups) -> dict[str, tuple[str, ...]]:
    """Return the columns of each variable; a group has the place of its first column."""
    owner = {member: name for name, members in groups.items() for member in members}
    found: dict[str, tuple[str, ...]] = {}
    for column in columns:
        name = owner.get(column, column)
        found[name] = (*found.get(name, ()), column)
    return found


def of_variables(intervened: np.ndarray | None, named: Sequence[str], members: Groups) -> np.ndarray | None:
    """Return which variables were intervened on, given which names were: a group is if its name or a column is."""
    if intervened is None:
        return None
    place = {name: number for number, name in enumerate(named)}
    chosen = [sorted({place[own] for own in (name, *columns) if own in place}) for name, columns in members.items()]
    mask = np.array([intervened[:, own].any(axis=1) for own in chosen]).T
    mask.setflags(write=False)
    return mask
