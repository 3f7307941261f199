"""Columns that name or number the rows: they say nothing about causes."""

from __future__ import annotations

import re

import numpy as np

from orderspn.checks.finding import Finding, which
from orderspn.checks.tables import FEWEST_ROWS, Levels, Numbers

NAMED = re.compile(r"(^|[\s_.-])(id|ids|index|idx|key|uuid|row|rownames|rowid|unnamed: ?\d+)$", re.IGNORECASE)
"""Names that columns of identifiers have."""

NEARLY_ALL = 0.9
"""Share of rows with a level of their own from which categories are identifiers."""

MANY_LEVELS = 0.2
"""Levels as a share of the rows from which most combinations of two columns occur once."""


def identifiers(table: Numbers) -> list[Finding]:
    """Find columns that count the rows, or that are named as identifiers and have different integers in all rows."""
    if table.n_rows < FEWEST_ROWS:
        return []
    places = [place for place in range(len(table.variables)) if _may_count(table.whole[:, place])]
    counting = [place for place in places if _counts(table.whole[:, place])]
    shuffled = [place for place in places if place not in counting and _is_permutation(table.whole[:, place])]
    if len(shuffled) > 1:  # the ranks of several variables
        shuffled = []
    named = [place for place in places if NAMED.search(table.variables[place])]
    concerned = tuple(table.variables[place] for place in sorted({*counting, *shuffled, *named}))
    return [_numbered(concerned)] if concerned else []


def identifying_levels(table: Levels) -> list[Finding]:
    """Find columns of categories with nearly as many levels as rows, or so many that little can be learned."""
    if table.n_rows < FEWEST_ROWS:
        return []
    share = np.array([len(np.unique(codes)) for codes in table.codes.T]) / table.n_rows
    naming = tuple(np.array(table.variables)[share > NEARLY_ALL].tolist())
    many = tuple(np.array(table.variables)[(share > MANY_LEVELS) & (share <= NEARLY_ALL)].tolist())
    return ([_numbered(naming)] if naming else []) + ([_many(many)] if many else [])


def _may_count(column: np.ndarray) -> bool:
    """Whether all values are different, and integers or in equal steps; most columns fail in the first rows."""
    start = column[:FEWEST_ROWS]
    steps = np.diff(start)
    if not ((start == np.round(start)).all() or np.allclose(steps, steps[0], rtol=1e-9, atol=0.0)):
        return False
    return np.unique(column).size == column.size


def _counts(column: np.ndarray) -> bool:
    """Whether values increase or decrease from row to row in equal steps."""
    steps = np.diff(column)
    return bool(steps[0] != 0.0 and np.allclose(steps, steps[0], rtol=1e-6, atol=0.0))


def _is_permutation(column: np.ndarray) -> bool:
    """Whether values are consecutive integers in any order."""
    return bool((column == np.round(column)).all() and column.max() - column.min() == column.size - 1)


def _numbered(names: tuple[str, ...]) -> Finding:
    one = len(names) == 1
    return Finding(
        "identifier",
        names,
        f"{which(names)} {'seems' if one else 'seem'} to name or number the rows: every row has a value of its own.",
        f"Drop {'it' if one else 'them'}; a time belongs to the data only if it is a possible cause.",
    )


def _many(names: tuple[str, ...]) -> Finding:
    return Finding(
        "many levels",
        names,
        f"{which(names)} {'has' if len(names) == 1 else 'have'} so many levels that most of them occur in a few rows.",
        "Merge levels, or drop the column if it names rows.",
        "note",
    )
