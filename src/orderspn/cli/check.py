"""`orderspn check`: whether a table fits, before a posterior is learned from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.options import format_options, in_options, read_kinds
from orderspn.cli.output import Answer, Table, show
from orderspn.cli.table_options import kind_option, score_option, table_options, take_table

if TYPE_CHECKING:
    from orderspn.checks.finding import Finding
    from orderspn.checks.report import DataReport

REFUSED = 2
"""Exit code if `learn` would refuse the table, which has the same exit code."""


@click.command(short_help="Check whether a table fits, without learning.")
@table_options
@score_option
@kind_option
@format_options
def check(score: str, kinds: tuple[str, ...], form: str | None, **options: Any) -> None:
    """Check whether DATA, a table as for "learn", fits: what is refused, what is warned of, and hints.

    The exit code is 2 if "learn" would refuse the table, and 0 otherwise.

    \b
    Examples:
      orderspn check data.csv
      orderspn check data.csv --variables dose,response,age --json
    """
    import orderspn as osp

    data, about_data = take_table(options)
    report = osp.check_data(data, score=score, kinds=read_kinds(kinds), **about_data)
    show(_answer(report), form)
    if any(finding.severity == "error" for finding in report):
        click.get_current_context().exit(REFUSED)


def _answer(report: DataReport) -> Answer:
    """Return the findings as a document and as a table; people read fewer columns."""
    rows = [[f.severity, f.check, list(f.variables), in_options(f.message), in_options(f.remedy)] for f in report]
    table = Table(["severity", "check", "variables", "message", "remedy"], rows)
    document = {
        "rows": report.n_rows,
        "variables": report.n_variables,
        "read_as": report.read_as,
        "checked": list(report.checked),
        "findings": table.records(),
    }
    if not report:
        return Answer(document, table, [str(report)])
    people = Table(["severity", "check", "variables", "finding"], [_for_people(finding) for finding in report])
    return Answer(document, table, [report.title, people])


def _for_people(finding: Finding) -> list[str]:
    names = ", ".join(finding.variables[:5]) + (
        f" + {len(finding.variables) - 5}" if len(finding.variables) > 5 else ""
    )
    said = in_options(f"{finding.message}\n-> {finding.remedy}" if finding.remedy else finding.message)
    return [finding.severity, finding.check, names or "(the table)", said]
