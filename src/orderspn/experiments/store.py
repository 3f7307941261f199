"""Finished cells on disk, a file each, so that nothing is computed twice."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orderspn.core.atomic import replacing
from orderspn.experiments.cells import Cell
from orderspn.experiments.experiment import Outcome, Value


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
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._path(cell)) as temporary:
            temporary.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")

    def find(self, cell: Cell) -> Outcome | None:
        """The kept outcome of a cell, unless there is none, or one of other settings, or a damaged one."""
        path = self._path(cell)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            return _outcome(document) if document["fingerprint"] == cell.fingerprint else None
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as problem:
            warnings.warn(f"the kept cell {path} is damaged ({problem}); it is computed again.", stacklevel=2)
            return None

    def _path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.key}.json"


def _outcome(document: Mapping[str, Any]) -> Outcome:
    return Outcome(
        tuple(_value(*entry) for entry in document["values"]),
        document["edges"],
        tuple(map(str, document["warnings"])),
        dict(document["timings"]),
    )


def _value(metric: object, n: object, value: object) -> Value:
    if not isinstance(metric, str) or not (n is None or isinstance(n, int)):
        raise ValueError(f"no metric: {metric!r}, {n!r}")
    number = float(value) if isinstance(value, int | float) else math.nan
    if not math.isfinite(number):
        raise ValueError(f"no number: {value!r}")
    return Value(metric, n, number)
