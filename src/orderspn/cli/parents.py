"""`orderspn parents`: the sets of direct causes of one variable."""

from __future__ import annotations

from pathlib import Path

import click

from orderspn.cli.files import opened
from orderspn.cli.options import format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import Answer, Table, show
from orderspn.cli.pairs import condition

NO_PARENTS = "(none)"


@click.command()
@posterior_argument
@click.argument("child")
@given_option
@top_option("Only the N most probable sets.", default=10)
@format_options
def parents(posterior_file: Path, child: str, given: tuple[str, ...], top: int, form: str | None) -> None:
    """List the most probable sets of direct causes of CHILD.

    \b
    Example:
      orderspn parents posterior.npz A --given "B -> A"

    As CSV a set is written as a JSON array within its cell.
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.parent_sets(child, top=top)
    rows = [
        (list(names), float(probability))
        for names, probability in zip(frame["parents"], frame["probability"], strict=True)
    ]
    columns = ["parents", "probability"]
    table = Table(columns, rows)
    people = Table(columns, [(names or NO_PARENTS, probability) for names, probability in rows])
    title = f"Sets of direct causes of {child}{condition(posterior.evidence)}"
    show(Answer(table.records(), table, [title, people]), form)
