"""Networks of tables of probabilities, read from files in the interchange format BIF, and rows drawn from them."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class DiscreteNetwork:
    """Variables with their levels and parents, and probabilities for each combination of the parents' levels."""

    levels: dict[str, list[str]]
    parents: dict[str, list[str]]
    tables: dict[str, np.ndarray]  # (combinations, the last parent fastest; levels)

    @property
    def adjacency(self) -> np.ndarray:
        """The graph: (d, d), bool, [cause, effect]."""
        names = list(self.levels)
        graph = np.zeros((len(names), len(names)), dtype=bool)
        for effect, causes in self.parents.items():
            graph[[names.index(cause) for cause in causes], names.index(effect)] = True
        return graph

    def sample(self, n_rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows of codes, (n_rows, d)."""
        columns: dict[str, np.ndarray] = {}
        while len(columns) < len(self.levels):
            for name, causes in self.parents.items():
                if name in columns or any(cause not in columns for cause in causes):
                    continue
                row = np.zeros(n_rows, dtype=np.int64)
                for cause in causes:
                    row = row * len(self.levels[cause]) + columns[cause]
                cumulated = self.tables[name][row].cumsum(axis=1)
                code = (rng.random(n_rows)[:, None] * cumulated[:, -1:] >= cumulated).sum(axis=1)
                columns[name] = np.minimum(code, len(self.levels[name]) - 1)
        return np.stack([columns[name] for name in self.levels], axis=1)


def read_bif(path: Path) -> DiscreteNetwork:
    """Read a network from a BIF file, packed by gzip."""
    return parse_bif(gzip.decompress(path.read_bytes()).decode())


def parse_bif(text: str) -> DiscreteNetwork:
    """Read a network from the text of a BIF file."""
    levels = {
        name: [level.strip() for level in listed.split(",")]
        for name, listed in re.findall(r"variable\s+(\S+)\s*\{[^{}]*\{([^}]*)\}", text)
    }
    parents, tables = {}, {}
    for head, body in re.findall(r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}", text):
        name, _, causes = (part.strip() for part in head.partition("|"))
        parents[name] = [cause.strip() for cause in causes.split(",") if cause.strip()]
        if not parents[name]:
            numbers = re.search(r"table\s+([^;]*);", body)
            assert numbers is not None, f"{name} has no table"
            tables[name] = np.array([_numbers(numbers[1])])
            continue
        rows = {
            tuple(level.strip() for level in given.split(",")): _numbers(numbers)
            for given, numbers in re.findall(r"\(([^)]*)\)\s*([^;]*);", _quoted(body))
        }
        combinations = product(*(levels[cause] for cause in parents[name]))
        tables[name] = np.array([rows[combination] for combination in combinations])
    return DiscreteNetwork(levels, {name: parents[name] for name in levels}, tables)


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _quoted(body: str) -> str:
    return body.replace('"', "")
