"""Numbers that may be something else: codes of categories, or two groups of rows."""

from __future__ import annotations

from orderspn.checks.finding import Finding, which
from orderspn.checks.shapes import Shape
from orderspn.checks.tables import FEW_VALUES, FEWEST_ROWS, Numbers

BIMODAL = 0.65
"""Sarle's coefficient (squared skewness + 1) / kurtosis from which there are two groups: 1/3 for a normal distribution,
5/9 for a uniform one, 1 for two values."""


def few_values(table: Numbers) -> list[Finding]:
    """Find columns with a few different values that are read as numbers."""
    few = (table.n_different <= FEW_VALUES) & (table.n_rows > 5 * FEW_VALUES)
    names = tuple(name for name, is_few in zip(table.variables, few, strict=True) if is_few)
    if not names:
        return []
    has = "has" if len(names) == 1 else "have"
    return [
        Finding(
            "few values",
            names,
            f"{which(names)} {has} at most {FEW_VALUES} different values and {'is' if len(names) == 1 else 'are'} read "
            "as numbers.",
            f"Right for amounts; pass kinds={{{names[0]!r}: 'category'}} for codes of categories.",
            "note",
        )
    ]


def two_groups(table: Numbers) -> list[Finding]:
    """Find columns whose values fall into two groups."""
    enough = table.n_rows >= 5 * FEWEST_ROWS
    names = tuple(name for name, shape in table.shapes.items() if enough and _is_bimodal(shape))
    if not names:
        return []
    return [
        Finding(
            "two groups",
            names,
            f"the values of {which(names)} fall into two groups.",
            "If these are two kinds of rows, add the kind as a column, or learn from each kind.",
            "note",
        )
    ]


def _is_bimodal(shape: Shape) -> bool:
    return shape.is_normal and (shape.skewness**2 + 1.0) / (shape.kurtosis + 3.0) > BIMODAL
