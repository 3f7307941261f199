"""`orderspn compare`: what moved from one posterior to another."""

from __future__ import annotations

from pathlib import Path

import click

from orderspn.cli.files import check_output, opened
from orderspn.cli.options import FILE, format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import Answer, Table, show
from orderspn.cli.plot import save_axes


@click.command(short_help="Tell which edges differ between two posteriors.")
@posterior_argument
@click.argument("other_file", metavar="OTHER", type=FILE)
@given_option
@click.option("--label", nargs=2, default=("first", "second"), metavar="A B", help="What to call the two.")
@top_option("Only the N edges with the largest changes.", default=20)
@click.option("-o", "--output", type=FILE, help="Save a picture of both as well: .png, .svg or .pdf.")
@format_options
def compare(
    posterior_file: Path,
    other_file: Path,
    given: tuple[str, ...],
    label: tuple[str, str],
    top: int,
    output: Path | None,
    form: str | None,
) -> None:
    """Tell which edges differ between two posteriors, and by how much, the largest changes first.

    \b
    Examples:
      orderspn compare control.npz treated.npz
      orderspn compare control.npz treated.npz --label control treated -o both.png

    Evidence (--given) is for both. Variables that only one of them has are named, and their edges left out.
    """
    from orderspn.comparison.comparing import compare as compared

    if output is not None:
        check_output(output)
    with opened(posterior_file, given, form) as first, opened(other_file, given, form) as second:
        found = compared(first, second, labels=label)
    frame = found.edges.head(top)
    table = Table(list(frame.columns), [tuple(row) for row in frame.itertuples(index=False)])
    bound = found.total_variation
    document = {
        "labels": found.labels,
        "variables": found.variables,
        "only_in_first": found.only_in_first,
        "only_in_second": found.only_in_second,
        "total_variation": {"lower": bound.lower, "exact": bound.exact, "event": bound.event},
        "expected_differences": found.expected_differences,
        "expected_within": found.expected_within,
        "notes": found.notes,
        "edges": table.records(),
    }
    exact = all(row[-1] == 0.0 for row in table.rows)
    columns = ["cause", "effect", *found.labels, "change", *([] if exact else ["standard_error"])]
    people = Table(columns, [row[: len(columns)] for row in table.rows])
    facts = repr(found).partition("\n\n")[0]
    show(Answer(document, table, [facts, "", people]), form)
    if output is not None:
        from orderspn.plot import comparison

        save_axes(comparison(found), output)
        click.echo(f"Saved to {output}", err=form is not None)
