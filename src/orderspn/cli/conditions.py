"""Experimental conditions on the command line: what each label acts on."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from orderspn.core.errors import UserError


def read_targets(values: Sequence[str]) -> dict[str, list[str]] | None:
    """`LABEL=NAME,NAME` as a mapping of labels to names; a label that is said twice has the names of both.

    Examples
    --------
    >>> read_targets(["u0126=Mek", "mix=Akt,PKC", "control="])
    {'u0126': ['Mek'], 'mix': ['Akt', 'PKC'], 'control': []}
    """
    if not values:
        return None
    targets: dict[str, list[str]] = {}
    for value in values:
        label, separator, names = value.partition("=")
        if not separator or not label.strip():
            raise UserError(f"--targets must be LABEL=NAME, LABEL=NAME,NAME, or LABEL= for none; got {value!r}.")
        targets.setdefault(label.strip(), []).extend(_names(names))
    return targets


def _names(text: str) -> list[str]:
    """Names with commas between them; one that has a comma stands in quotes."""
    (row,) = csv.reader([text], skipinitialspace=True) if text.strip() else ([],)
    return [name.strip() for name in row]
