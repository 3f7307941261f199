"""Columns with the same value in nearly all rows: little can be learned about them."""

from __future__ import annotations

import numpy as np

from orderspn.checks.finding import Finding, which
from orderspn.checks.tables import Levels, Numbers

NEARLY_ALL, FEW_OTHERS = 0.98, 10
"""Share of rows with the same value, and number of other rows, above and below which there is a warning."""

FEWEST_ROWS = 100
"""Rows from which one can tell: a share above 98% of fewer rows would be nearly all of them."""


def near_constant(table: Numbers) -> list[Finding]:
    """Find columns of numbers with one value in nearly all rows."""
    others = {}
    for name, own in table.columns():
        if own.size >= FEWEST_ROWS:
            middle = np.partition(own, own.size // 2)[own.size // 2]  # a value of most rows is the median
            others[name] = int((own != middle).sum()), own.size
    return _findings(others)


def near_constant_levels(table: Levels) -> list[Finding]:
    """Find columns of categories with one level in nearly all rows."""
    owned = {name: table.own(place) for place, name in enumerate(table.variables)}
    return _findings(
        {
            name: (own.size - int(np.bincount(own).max()), own.size)
            for name, own in owned.items()
            if own.size >= FEWEST_ROWS
        }
    )


def _findings(others: dict[str, tuple[int, int]]) -> list[Finding]:
    """Return the finding, given the number of rows with other values and of all rows."""
    shares = {name: 1.0 - few / rows for name, (few, rows) in others.items() if few < FEW_OTHERS}
    names = tuple(name for name, share in shares.items() if share > NEARLY_ALL)
    if not names:
        return []
    have = "has" if len(names) == 1 else "have"
    least = min(shares[name] for name in names)
    return [
        Finding(
            "nearly constant",
            names,
            f"{which(names)} {have} the same value in {least:.1%} of the rows or more: the few other rows decide the "
            "edges.",
            "Drop it, or collect more rows with other values."
            if len(names) == 1
            else "Drop them, or collect more rows with other values.",
        )
    ]
