"""Findings that do not matter if some variables are context, which is not explained."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orderspn.checks.finding import Finding
from orderspn.core.slices import Moment, moment_of

ABOUT_SEQUENCE = ("dependent rows", "order of rows")
"""Checks of rows that depend on the rows before, which matter less if these are context."""


def about_explained(findings: Sequence[Finding], context: Collection[str]) -> list[Finding]:
    """Return the findings that concern a variable that is explained.

    A variable whose own past is context does not depend on the rows before it in any other way.
    """
    return [finding for finding in findings if not _is_idle(finding, context)]


def _is_idle(finding: Finding, context: Collection[str]) -> bool:
    if not context or not finding.variables:
        return False
    if finding.check in ABOUT_SEQUENCE:
        return all(name in context or _past_of(name) in context for name in finding.variables)
    return all(name in context for name in finding.variables)


def _past_of(name: str) -> str | None:
    """Return the name of a variable one step before; None if it is no variable of the present."""
    moment = moment_of(name)
    return None if moment is None or moment.lag else Moment(moment.variable, 1).name
