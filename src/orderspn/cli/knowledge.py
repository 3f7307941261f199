"""Background knowledge on the command line: edges as text, anything else in a JSON file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orderspn.cli.files import reporting
from orderspn.core.errors import UserError
from orderspn.core.json_text import read_json

if TYPE_CHECKING:
    from orderspn.knowledge.statement import Knowledge


def read_known(edges: Sequence[str], file: Path | None) -> Knowledge | None:
    """What is known: edges such as "A -> B, C !-> D", and the fields of a JSON file; None if it is nothing."""
    from orderspn.knowledge.statement import Knowledge

    stated = {} if file is None else _read_json(file)
    if not edges and not stated:
        return None
    known = Knowledge.from_dict(stated)
    for more in map(Knowledge.parse, edges):
        known = replace(
            known, required=(*known.required, *more.required), forbidden=(*known.forbidden, *more.forbidden)
        )
    return known


def _read_json(file: Path) -> dict[str, Any]:
    with reporting("read", file):
        content = file.read_bytes()
    try:
        stated = read_json(content)
    except ValueError as problem:
        raise UserError(f"{str(file)!r} cannot be read: {problem}.") from None
    if not isinstance(stated, dict):
        raise UserError(
            f"{str(file)!r} must hold an object with fields such as required, forbidden and tiers; got a "
            f"{type(stated).__name__}."
        )
    return stated
