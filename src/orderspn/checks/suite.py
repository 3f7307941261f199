"""All checks of a table, in the order of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orderspn.checks.copies import combinations, copied_levels, copies
from orderspn.checks.discreteness import few_values, two_groups
from orderspn.checks.few_rows import few_rows
from orderspn.checks.finding import SEVERITIES, Finding
from orderspn.checks.identifiers import identifiers, identifying_levels
from orderspn.checks.near_constant import near_constant, near_constant_levels
from orderspn.checks.nonlinearity import nonlinearity
from orderspn.checks.sequence import sequence, sequence_of_levels
from orderspn.checks.skewness import skewness
from orderspn.checks.tables import Levels, Numbers
from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset

OF_NUMBERS: Sequence[tuple[str, Callable[[Numbers], list[Finding]]]] = (
    ("few rows", few_rows),
    ("identifier", identifiers),
    ("nearly constant", near_constant),
    ("copies", copies),
    ("linear combination", combinations),
    ("skewness", skewness),
    ("nonlinearity", nonlinearity),
    ("dependent rows", sequence),
    ("few values", few_values),
    ("two groups", two_groups),
)
"""Checks of numbers by name."""

OF_CATEGORIES: Sequence[tuple[str, Callable[[Levels], list[Finding]]]] = (
    ("few rows", few_rows),
    ("identifier", identifying_levels),
    ("nearly constant", near_constant_levels),
    ("copies", copied_levels),
    ("dependent rows", sequence_of_levels),
)
"""Checks of categories by name."""


def names_of_checks(table: Dataset | Categories) -> tuple[str, ...]:
    """Return the names of the checks that a table is given to."""
    return tuple(name for name, _ in (OF_CATEGORIES if isinstance(table, Categories) else OF_NUMBERS))


def findings_in(table: Dataset | Categories) -> list[Finding]:
    """Run all checks of numbers or of categories; the worst findings come first."""
    found: list[Finding] = []
    if isinstance(table, Categories):
        levels = Levels.of(table)
        for _, check_levels in OF_CATEGORIES:
            found += check_levels(levels)
    else:
        numbers = Numbers.of(table)
        for _, check_numbers in OF_NUMBERS:
            found += check_numbers(numbers)
    if any(finding.check == "dependent rows" for finding in found):  # curves may be coincidences then
        found = [finding for finding in found if finding.check != "nonlinearity"]
    return by_severity(found)


def by_severity(found: Sequence[Finding]) -> list[Finding]:
    """Return findings in order of severity; the order is kept otherwise."""
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
