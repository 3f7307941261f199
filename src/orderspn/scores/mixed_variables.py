"""The variables of a score over groups of columns, as its settings describe them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from orderspn.core.checked_json import Name
from orderspn.data.mixed import VariableKind


class GroupVariable(Struct, forbid_unknown_fields=True):
    """A variable: its kind, and the names of its columns and levels."""

    kind: VariableKind
    columns: Annotated[list[Name], Meta(min_length=1)]
    levels: list[str]
