"""Finished cells on disk, one file each, so that nothing is computed twice.

A cell is used only if its checksum matches its content. A damaged cell is computed again, with the same numbers, after
a warning. Anything in its place that is not a regular file is an error, because it could not be replaced.
"""

from __future__ import annotations

import json
import stat
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from orderspn.core.atomic import replacing
from orderspn.core.checksum import sha256_of_json
from orderspn.core.destination import destination
from orderspn.core.errors import UnreadableFile
from orderspn.core.json_text import read_json
from orderspn.experiments.cells import Cell
from orderspn.experiments.experiment import Outcome, Value

CHECKSUM = "checksum"

Finite = Annotated[float, Meta(ge=-1e300, le=1e300)]


@dataclass(frozen=True)
class CellStore:
    """A folder of finished cells."""

    folder: Path

    def keep(self, cell: Cell, outcome: Outcome) -> None:
        """Write a cell: all of it, or nothing."""
        document = {
            "key": cell.key,
            "fingerprint": cell.fingerprint,
            "settings": cell.settings,
            "values": [list(value) for value in outcome.values],
            "edges": outcome.edges,
            "warnings": list(outcome.warnings),
            "timings": dict(outcome.timings),
        }
        document[CHECKSUM] = sha256_of_json(document)
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._path(cell)) as temporary:
            temporary.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")

    def find(self, cell: Cell) -> Outcome | None:
        """The stored outcome of a cell; None if there is none, if it has other settings, or if it is damaged."""
        path = self._path(cell)
        content = _content(path)
        if content is None:
            return None
        try:
            document = _checked(read_json(content))
            return _outcome(document) if document.get("fingerprint") == cell.fingerprint else None
        except ValueError as problem:
            warnings.warn(f"the kept cell {path} is damaged ({problem}); it is computed again.", stacklevel=2)
            return None

    def check_place(self, cell: Cell) -> None:
        """Raise an error if the cell could not be stored."""
        destination(self._path(cell))

    def _path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.key}.json"


def _content(path: Path) -> bytes | None:
    """Return the content of a file; None if there is none. A pipe is an error, because reading it could block."""
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return path.read_bytes()
        problem = "it is not a file"
    except FileNotFoundError:
        return None
    except OSError as refusal:
        problem = refusal.strerror or str(refusal)
    raise UnreadableFile(
        f"cannot read the kept cell {str(path)!r}: {problem}. Remove it, and the cell is computed again; or choose "
        "another output folder."
    )


def _checked(document: Any) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")
    if CHECKSUM not in document:
        raise ValueError("it has no checksum")
    content = {key: value for key, value in document.items() if key != CHECKSUM}
    if sha256_of_json(content) != document[CHECKSUM]:
        raise ValueError("its checksum does not match its content")
    return content


class _Kept(Struct, forbid_unknown_fields=True):
    """The schema of a stored cell. A valid checksum is not enough, because forged files may have one."""

    key: str
    fingerprint: str
    settings: dict[str, Any]
    values: list[tuple[str, int | None, Finite]]
    edges: list[list[Finite]] | None
    warnings: list[str]
    timings: dict[str, Finite | None]

    def __post_init__(self) -> None:
        rows = self.edges or []
        if any(len(row) != len(rows) for row in rows):
            raise ValueError("its edges are not a square matrix")


def _outcome(document: Mapping[str, Any]) -> Outcome:
    kept = msgspec.convert(document, _Kept)
    values = tuple(Value(metric, n, value) for metric, n, value in kept.values)
    return Outcome(values, kept.edges, tuple(kept.warnings), kept.timings)
