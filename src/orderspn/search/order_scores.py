"""The scores of all orders of a block `(S_1, S_2)`, as arrays for chains.

Variables are numbered by their place in S_2. The masses themselves are in `leaves/mass_lines.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.leaves.tables import LeafTables

MAY_BE_PARENT, IS_CANDIDATE, IS_OUTSIDER = np.int8(1), np.int8(2), np.int8(4)
"""Bits of the relation between two variables; most pairs have none of them."""


class OrderScores(NamedTuple):
    """Masses of the families of n variables.

    A named tuple, so that compiled functions take it as one argument.
    """

    first_masks: np.ndarray  # (n,): candidates in S_1
    strides: np.ndarray  # (n, n): bit of a variable in the masks of another, 0 where it is no candidate
    lines: np.ndarray  # (n, 3): number of the first line of a variable, cells per line, and its first cell
    log_unit: np.ndarray  # (lines,)
    log_mass: np.ndarray  # (cells,)
    share: np.ndarray  # (cells,) float32
    lacking: np.ndarray  # (n, rows) int64: outsiders of each row that S_1 does not have
    gate_starts: np.ndarray  # (n * n + 1,): the rows of j that have b as an outsider are listed from j * n + b on
    gates: np.ndarray
    relation: np.ndarray  # (n, n) int8: of a variable that moves (row) to one that it passes

    @property
    def n(self) -> int:
        """Number of variables to be ordered."""
        return int(self.first_masks.size)


def order_scores_of(tables: LeafTables, before: np.ndarray, variables: np.ndarray) -> OrderScores:
    """Return the scores of the orders of `variables` after `before` (ascending indices)."""
    lines = tables.lines
    families = [tables.families[v] for v in variables]
    bits = np.where(tables.slots >= 0, np.int64(1) << np.maximum(tables.slots, 0), 0)
    return OrderScores(
        bits[np.ix_(variables, before)].sum(axis=1),
        np.ascontiguousarray(bits[np.ix_(variables, variables)]),
        np.ascontiguousarray(lines.starts[variables]),
        lines.log_unit,
        lines.log_mass,
        lines.share,
        *_gates(families, before, variables),
        _relation(families, variables),
    )


def all_order_scores(tables: LeafTables) -> OrderScores:
    """Return the scores of the orders of all variables, after the context variables."""
    return order_scores_of(tables, *root_block(tables.families))


def _relation(families: list[Family], variables: np.ndarray) -> np.ndarray:
    """Return whether the column is a possible parent of the row, and the row a candidate or outsider of the column."""
    candidate, outsider = np.zeros((2, variables.size, variables.size), dtype=bool)  # [child, parent]
    for j, family in enumerate(families):
        candidate[j] = np.isin(variables, family.candidates)
        outsider[j] = np.isin(variables, family.outsider_rows)
    return MAY_BE_PARENT * (candidate | outsider) + IS_CANDIDATE * candidate.T + IS_OUTSIDER * outsider.T


def _gates(
    families: list[Family], before: np.ndarray, variables: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `lacking`, `gate_starts` and `gates` of `OrderScores`."""
    n = variables.size
    place = {int(v): b for b, v in enumerate(variables)}
    known = set(before.tolist())
    lacking = np.zeros((n, max(family.n_rows for family in families)), dtype=np.int64)
    lists: list[list[int]] = [[] for _ in range(n * n)]
    for j, family in enumerate(families):
        for row, outsiders in enumerate(family.outsider_rows.tolist(), start=1):
            missing = [v for v in outsiders if v >= 0 and v not in known]
            lacking[j, row] = len(missing)
            for v in missing:
                if v in place:
                    lists[j * n + place[v]].append(row)
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows in lists])]).astype(np.int64)
    return lacking, starts, np.array([row for rows in lists for row in rows], dtype=np.int64)
