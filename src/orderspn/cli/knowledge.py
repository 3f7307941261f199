"""Background knowledge on the command line: edges as text, anything else in a JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orderspn.cli.files import reporting
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    from orderspn.knowledge.statement import Knowledge


def read_known(edges: Sequence[str], file: Path | None) -> Knowledge | None:
    """What is known: edges such as "A -> B, C !-> D", and the fields of a JSON file; None if it is nothing."""
    from orderspn.knowledge.statement import Knowledge

    stated = {} if file is None else _read_json(file)
    if not edges and not stated:
        return None
    known = [Knowledge.parse(text) for text in edges]
    for name in ("required", "forbidden"):
        stated[name] = [*stated.get(name, ()), *(edge for part in known for edge in getattr(part, name))]
    return Knowledge.from_dict(stated)


def _read_json(file: Path) -> dict[str, Any]:
    with reporting("read", file):
        text = file.read_text(encoding="utf-8")
    try:
        stated = json.loads(text)
    except json.JSONDecodeError as problem:
        raise UserError(f"{str(file)!r} is no JSON file: {problem}.") from None
    if not isinstance(stated, dict):
        raise UserError(
            f"{str(file)!r} must hold an object with fields such as required, forbidden and tiers; got a "
            f"{type(stated).__name__}."
        )
    return stated
