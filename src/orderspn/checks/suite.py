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
from orderspn.data.mixed import MixedTable, Table

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


def names_of_checks(table: Table) -> tuple[str, ...]:
    """Return the names of the checks that a table is given to."""
    halves = _halves(table)
    checks = [OF_CATEGORIES if isinstance(half, Categories) else OF_NUMBERS for half in halves]
    return tuple(dict.fromkeys(name for own in checks for name, _ in own))


def findings_in(table: Table) -> list[Finding]:
    """Run all checks of numbers and of categories; the worst findings come first."""
    found: list[Finding] = []
    for half in _halves(table):
        found += _of_categories(half) if isinstance(half, Categories) else _of_numbers(half)
    if any(finding.check == "dependent rows" for finding in found):  # curves may be coincidences then
        found = [finding for finding in found if finding.check != "nonlinearity"]
    return by_severity(found)


def warnings_of(table: Table, curves: bool) -> list[Finding]:
    """Return the findings that `learn` warns of; curves are no reason to warn if the model has them."""
    found = [finding for finding in findings_in(table) if finding.severity == "warning"]
    return [finding for finding in found if not (curves and finding.check == "nonlinearity")]


def _halves(table: Table) -> list[Dataset | Categories]:
    """Return the numbers and the categories of a table; they have no checks in common but that of the rows."""
    if not isinstance(table, MixedTable):
        return [table]
    return [half for half in (table.numbers, table.categories) if half is not None]


def _of_numbers(table: Dataset) -> list[Finding]:
    numbers = Numbers.of(table)
    return [finding for _, check in OF_NUMBERS for finding in check(numbers)]


def _of_categories(table: Categories) -> list[Finding]:
    levels = Levels.of(table)
    return [finding for _, check in OF_CATEGORIES for finding in check(levels)]


def by_severity(found: Sequence[Finding]) -> list[Finding]:
    """Return findings in order of severity; the order is kept otherwise."""
    return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
