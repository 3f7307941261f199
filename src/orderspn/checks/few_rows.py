"""Fewer rows than variables: a transposed table, or too little data."""

from __future__ import annotations

from orderspn.checks.finding import Finding
from orderspn.checks.tables import Levels, Numbers


def few_rows(table: Numbers | Levels) -> list[Finding]:
    """Find a table with fewer rows than variables."""
    d = len(table.variables)
    if table.n_rows >= d:
        return []
    return [
        Finding(
            "few rows",
            (),
            f"the table has fewer rows ({table.n_rows}) than variables ({d}), so that it may be transposed, and the "
            "data say little about each edge.",
            "If the variables are in rows, pass data.T; otherwise use fewer variables or more rows.",
        )
    ]
