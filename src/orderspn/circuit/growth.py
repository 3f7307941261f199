"""A structure under construction: its regions and partitions so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from orderspn.circuit.structure import Structure


@dataclass
class Growth:
    """Regions and partitions of d variables, some of which may be context; regions with the same sets are one."""

    d: int
    context: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    before: list[np.ndarray] = field(default_factory=list)
    variables: list[np.ndarray] = field(default_factory=list)
    _children: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    _known: dict[tuple[bytes, bytes], int] = field(default_factory=dict)

    @property
    def root(self) -> int:
        """The region of all variables after the context variables."""
        before = np.zeros(self.d, dtype=bool)
        before[self.context] = True
        return self.region(before, ~before)

    def region(self, before: np.ndarray, variables: np.ndarray) -> int:
        """Return the number of a region; a new region gets a new number."""
        key = (before.tobytes(), variables.tobytes())
        if key in self._known:
            return self._known[key]
        self._known[key] = len(self.before)
        self.before.append(before)
        self.variables.append(variables)
        return self._known[key]

    def divide(self, region: int, first: np.ndarray, multiplicity: int) -> tuple[int, int]:
        """Add to a region the partition with the first part `first` (d,), and return the numbers of its two parts."""
        before, whole = self.before[region], self.variables[region]
        parts = self.region(before, first), self.region(before | first, whole & ~first)
        self._children.setdefault(region, []).append((*parts, multiplicity))
        return parts

    def structure(self) -> Structure:
        """Return the structure as arrays."""
        counts = [len(self._children.get(region, ())) for region in range(len(self.before))]
        partitions = [p for region in range(len(self.before)) for p in self._children.get(region, ())]
        columns = np.array(partitions, dtype=np.int64).reshape(-1, 3)
        return Structure(
            np.array(self.before),
            np.array(self.variables),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.ascontiguousarray(columns[:, 0]),
            np.ascontiguousarray(columns[:, 1]),
            np.ascontiguousarray(columns[:, 2]),
        )
