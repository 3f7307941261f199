"""The parent sets of a block `(S_1, S_2)` in flat arrays, for chains over ordered partitions.

Variables are numbered by their place in S_2. *Levels* say which variables may be parents: a number for each variable,
and one for the child. Variables on lower levels are before the child. Those one level below are the *last* ones: a
child that is not in the first layer must have at least one of them as a parent. Variables in S_1 are before all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.leaves.mass_lines import lines_of_one
from orderspn.leaves.transforms import subset_sum
from orderspn.leaves.validation import check_families

ALWAYS, NEVER = -1, -2
"""Instead of the number of a variable: it is in S_1, or in neither."""


LARGEST_LOG_SHARE = 600.0
"""Log shares are cut off at this bound; sums that large are never taken of shares."""


class Tables(NamedTuple):
    """Families of all d variables one after the other; a parent set is `row * 2**K + mask` from a family's start."""

    starts: np.ndarray  # (d,)
    n_bits: np.ndarray  # (d,): K, the number of candidates
    n_rows: np.ndarray  # (d,)
    log_score: np.ndarray  # (sets,)
    log_partial: np.ndarray  # (sets,): summed over the lower half of the bits, see leaves/parent_sampling.py
    line_starts: np.ndarray  # (d,): a *line* is all rows of one mask; number of the first line of each family
    log_unit: np.ndarray  # (lines,): log mass of row 0 within a mask, or of the largest row where that is impossible
    share: np.ndarray  # (sets,): masses in these units, the rows of a line side by side: `mask * rows + row`


class ParentScores(NamedTuple):
    """The tables of a block of n variables; a named tuple, so that compiled functions take it as one argument."""

    variables: np.ndarray  # (n,): numbers of the variables in the tables
    candidates: np.ndarray  # (n, most): the variable of each bit, or ALWAYS or NEVER
    outsiders: np.ndarray  # (n, most rows, width): those of each row, ALWAYS where there is none
    tables: Tables
    related: np.ndarray  # (n, n) bool: whether a variable has another as a candidate or an outsider

    @property
    def n(self) -> int:
        """Number of variables to be put into layers."""
        return int(self.variables.size)


def tables_of(families: Sequence[Family], workers: Workers) -> Tables:
    """Lay out the families of all variables."""
    check_families(families)
    sizes = np.array([family.log_score.size for family in families], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    log_score, log_partial, share = np.empty((3, int(sizes.sum())))
    n_masks = np.array([family.n_masks for family in families], dtype=np.int64)
    line_starts = np.cumsum(n_masks) - n_masks
    log_unit = np.empty(int(n_masks.sum()))

    def fill(v: int) -> None:
        family = families[v]
        own = slice(starts[v], starts[v] + sizes[v])
        log_score[own] = family.log_score
        log_partial[own] = subset_sum(family.log_score, family.candidates.size // 2)
        _, unit, in_units = lines_of_one(family)
        log_unit[line_starts[v] : line_starts[v] + n_masks[v]] = unit
        share[own] = np.exp(np.minimum(in_units, LARGEST_LOG_SHARE)).ravel()

    workers.run([partial(fill, v) for v in range(len(families))])
    return Tables(
        starts,
        np.array([family.candidates.size for family in families], dtype=np.int64),
        np.array([family.n_rows for family in families], dtype=np.int64),
        log_score,
        log_partial,
        line_starts,
        log_unit,
        share,
    )


def parent_scores_of(
    families: Sequence[Family], tables: Tables, before: np.ndarray, variables: np.ndarray
) -> ParentScores:
    """Return the parent scores of `variables` after `before` (ascending indices)."""
    number = np.full(len(families) + 1, NEVER, dtype=np.int64)
    number[before] = ALWAYS
    number[variables] = np.arange(variables.size)
    number[-1] = ALWAYS  # the place of -1, which stands for no outsider
    own = [families[v] for v in variables]
    candidates = np.full((len(own), max(1, *(f.candidates.size for f in own))), NEVER, dtype=np.int64)
    width = max(f.outsider_rows.shape[1] for f in own)
    outsiders = np.full((len(own), max(f.n_rows for f in own), max(1, width)), ALWAYS, dtype=np.int64)
    related = np.zeros((len(own), len(own)), dtype=bool)
    for j, family in enumerate(own):
        candidates[j, : family.candidates.size] = number[family.candidates]
        outsiders[j, 1 : family.n_rows, : family.outsider_rows.shape[1]] = number[family.outsider_rows]
        related[j] = np.isin(variables, family.candidates) | np.isin(variables, family.outsider_rows)
    return ParentScores(variables.astype(np.int64), candidates, outsiders, tables, related)


def all_parent_scores(families: Sequence[Family], workers: Workers) -> ParentScores:
    """Return the parent scores of all variables, after the context variables."""
    return parent_scores_of(families, tables_of(families, workers), *root_block(families))
