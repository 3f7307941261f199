"""The masses of all families, laid out for the lookups of Markov chains over orders.

The mask of the candidates before a variable selects a *line*: the log masses of all rows of its family, and the same
masses relative to a unit, the mass of row 0. The mass of the variable is the sum over the rows that its predecessors
open: a short product of two vectors, and one logarithm. Relative masses (shares) are in single precision, which is
enough for a chain and keeps twice as many lines in the cache. Near the limits of single precision the logarithms are
summed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family

LARGEST_LOG_SHARE = 75.0
"""Upper bound of log shares: hundreds of them can still be added in single precision."""


class Lines(NamedTuple):
    """Lines of d families, concatenated; a family with a single row has units only."""

    starts: np.ndarray  # (d, 3): number of the first line of a variable, cells per line, and its first cell
    log_unit: np.ndarray  # (lines,): log mass of row 0, or of the largest row where that is impossible
    log_mass: np.ndarray  # (cells,)
    share: np.ndarray  # (cells,) float32: masses in units


def lines_of(families: Sequence[Family], workers: Workers) -> Lines:
    """Lay out the masses of all families."""
    n_rows = np.array([family.n_rows for family in families], dtype=np.int64)
    n_masks = np.array([family.n_masks for family in families], dtype=np.int64)
    first_line = _before(n_masks)
    n_cells = np.where(n_rows > 1, n_masks * n_rows, 0)
    first_cell = _before(n_cells)
    log_unit = np.empty(n_masks.sum())
    log_mass = np.empty(n_cells.sum())
    share = np.empty(n_cells.sum(), dtype=np.float32)

    def fill(v: int) -> None:
        by_line, unit, in_units = lines_of_one(families[v])
        log_unit[first_line[v] : first_line[v] + n_masks[v]] = unit
        if families[v].n_rows > 1:
            cells = slice(first_cell[v], first_cell[v] + n_cells[v])
            log_mass[cells] = by_line.ravel()
            share[cells] = np.exp(np.minimum(in_units, LARGEST_LOG_SHARE)).ravel()

    workers.run([partial(fill, v) for v in range(len(families))])
    return Lines(np.stack([first_line, n_rows, first_cell], axis=1), log_unit, log_mass, share)


def lines_of_one(family: Family) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the log masses of a family (lines, rows), the log units (lines,), and the log masses in these units."""
    by_line = family.log_mass.reshape(family.n_rows, family.n_masks).T
    unit = np.where(np.isneginf(by_line[:, 0]), by_line.max(axis=1), by_line[:, 0])
    return by_line, unit, by_line - np.where(np.isneginf(unit), 0.0, unit)[:, None]


def _before(lengths: np.ndarray) -> np.ndarray:
    return np.cumsum(lengths) - lengths
