"""The report of the checks of a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, overload

from orderspn.checks.finding import SEVERITIES, Finding

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 110
"""Characters per line of the report as text."""

MOST_NAMES = 30
"""Characters of the names of variables in a table."""


@dataclass(frozen=True)
class DataReport(Sequence[Finding]):
    """What `check_data` found: a sequence of findings, the worst first.

    Attributes
    ----------
    findings : tuple of Finding
    n_rows, n_variables : int
        Of the table that was checked.
    read_as : str or None
        "numbers" or "categories"; None if the table cannot be read as either.
    checked : tuple of str
        Names of the checks that were made.

    Examples
    --------
    >>> import orderspn as osp
    >>> report = osp.check_data(osp.simulate.linear_gaussian(5, n_rows=200, rng=0).data)
    >>> len(report)
    0
    >>> print(report)
    200 rows, 5 variables, read as numbers: no findings.
    Checked: missing values, infinite values, constant column, column type, few rows, identifier, nearly constant,
    copies, linear combination, skewness, nonlinearity, dependent rows, few values, two groups.
    """

    findings: tuple[Finding, ...]
    n_rows: int
    n_variables: int
    read_as: str | None
    checked: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.findings)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, place: int | slice) -> Finding | tuple[Finding, ...]:
        return self.findings[place]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def title(self) -> str:
        """The table and the number of findings, in one line."""
        counted = {severity: sum(found.severity == severity for found in self) for severity in SEVERITIES}
        amounts = [f"{n} {severity}{'s' if n > 1 else ''}" for severity, n in counted.items() if n]
        read = f", read as {self.read_as}" if self.read_as else ""
        return f"{self.n_rows} rows, {self.n_variables} variables{read}: {', '.join(amounts) or 'no findings'}."

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each finding.

        Returns
        -------
        pandas.DataFrame
            With the columns `severity`, `check`, `variables` (lists of names), `message` and `remedy`.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.check_data(osp.load_sachs().data).to_frame()[["severity", "check"]].iloc[0].tolist()
        ['warning', 'skewness']
        """
        import pandas as pd

        rows = [(f.severity, f.check, list(f.variables), f.message, f.remedy) for f in self]
        return pd.DataFrame(rows, columns=["severity", "check", "variables", "message", "remedy"])

    def __str__(self) -> str:
        if not self.findings:
            return "\n".join([self.title, *textwrap.wrap(f"Checked: {', '.join(self.checked)}.", WIDTH)])
        rows = [(f.severity, f.check, _names(f.variables)) for f in self]
        header = ("severity", "check", "variables")
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(3)]
        margin = sum(widths) + 2 * len(widths)
        lines = [self.title, "", _line((*header, "finding"), widths)]
        for row, found in zip(rows, self, strict=True):
            said = textwrap.wrap(found.message, WIDTH - margin) + textwrap.wrap(
                found.remedy, WIDTH - margin, initial_indent="-> ", subsequent_indent="   "
            )
            lines.append(_line((*row, said[0]), widths))
            lines += [" " * margin + more for more in said[1:]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        if not self.findings:
            return f"<p>{escape(self.title)}<br>Checked: {escape(', '.join(self.checked))}.</p>"
        head = "".join(f"<th>{name}</th>" for name in ("severity", "check", "variables", "finding", "remedy"))
        body = "".join(_html_row(found) for found in self)
        return f"<p>{escape(self.title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)), cells[-1]]).rstrip()


def _names(names: Sequence[str]) -> str:
    """Return as many names as there is space for, and the number of the others."""
    if not names:
        return "(the table)"
    shown = ""
    for place, name in enumerate(names):
        longer = f"{shown}, {name}" if shown else name
        if len(longer) > MOST_NAMES and shown:
            return f"{shown} + {len(names) - place}"
        shown = longer
    return textwrap.shorten(shown, 2 * MOST_NAMES, placeholder="...")


def _html_row(found: Finding) -> str:
    cells = found.severity, found.check, _names(found.variables), found.message, found.remedy
    style = ' style="text-align: left; vertical-align: top"'
    return "<tr>" + "".join(f"<td{style}>{escape(cell)}</td>" for cell in cells) + "</tr>"
