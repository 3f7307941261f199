"""What a check found, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""The worst first: `learn` refuses the data; `learn` warns; only `check_data` mentions it."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check of the data found.

    Attributes
    ----------
    check : str
        Short name of the check.
    variables : tuple of str
        The variables concerned; empty if it is the whole table.
    message : str
        What was found, with numbers.
    remedy : str
        What to do about it, in one line.
    severity : {"error", "warning", "note"}
        Whether `learn` refuses the data, warns, or says nothing.

    Examples
    --------
    >>> import orderspn as osp
    >>> finding = osp.check_data(osp.load_sachs().data)[0]
    >>> finding.check, finding.severity, "Erk" in finding.variables
    ('skewness', 'warning', True)
    """

    check: str
    variables: tuple[str, ...]
    message: str
    remedy: str
    severity: Severity = "warning"

    def __repr__(self) -> str:
        return f"<Finding: {self.severity}, {self.check}: {self.message}>"

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}"


def which(names: tuple[str, ...], most: int = 4) -> str:
    """Return names for a message: the first few, and how many there are if not all are shown.

    Examples
    --------
    >>> which(("A", "B")), which(("A", "B", "C", "D", "E", "F"))
    ("'A', 'B'", "'A', 'B', 'C', 'D' and 2 more")
    """
    if len(names) <= most + 1:  # "and 1 more" would take as much space as the name
        return ", ".join(map(repr, names))
    return ", ".join(map(repr, names[:most])) + f" and {len(names) - most} more"
