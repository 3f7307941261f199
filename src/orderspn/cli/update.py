"""`orderspn update`: the posterior after more rows."""

from __future__ import annotations

from pathlib import Path

import click

from orderspn.cli.files import opened, read_data, without_missing
from orderspn.cli.learn import description
from orderspn.cli.options import (
    FILE,
    POSITIVE,
    format_options,
    posterior_argument,
    read_targets,
    rng_option,
    take_text_format,
    text_options,
)
from orderspn.cli.output import Answer, show
from orderspn.cli.table_options import drop_missing_option, interventions_option, targets_option
from orderspn.core.errors import UserError


@click.command(short_help="Learn from more rows, without the earlier ones.")
@posterior_argument
@click.argument("data_file", metavar="DATA", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="Where to save the posterior after these rows (.npz).")
@interventions_option
@targets_option
@drop_missing_option
@text_options
@click.option(
    "--standardize",
    type=click.Choice(["again", "keep"]),
    default="again",
    show_default=True,
    help="Units of the prior: means and standard deviations of all rows, or those of the earlier rows.",
)
@rng_option("Seed of random methods; recorded.", default=0)
@click.option("--n-jobs", type=POSITIVE, help="Threads [default: all cores]; never changes an answer.")
@format_options
def update(
    posterior_file: Path,
    data_file: Path,
    output: Path,
    interventions: str | None,
    targets: tuple[str, ...],
    drop_missing: bool,
    sep: str | None,
    decimal: str | None,
    encoding: str | None,
    standardize: str,
    rng: int,
    n_jobs: int | None,
    form: str | None,
) -> None:
    """Learn from the new rows of DATA; the posterior keeps what is needed of the earlier ones.

    The result equals the posterior that "learn" gives for all rows together. DATA must have the columns of the
    posterior, in the same units, and may have others.

    \b
    Examples:
      orderspn update posterior.npz new.csv -o updated.npz
      orderspn update posterior.npz new.csv -o updated.npz --interventions condition --targets u0126=Mek
    """
    from orderspn.storage import check_destination

    check_destination(output)
    form_of_text = take_text_format({"sep": sep, "decimal": decimal, "encoding": encoding})
    with opened(posterior_file, (), form) as posterior:
        data = read_data(data_file, form_of_text)
        if drop_missing:
            data = without_missing(data, posterior.variables)
        if not len(data):  # columns without values have no type, which would be the error
            raise UserError(f"{str(data_file)!r} must have at least 1 row; got a table without rows.")
        updated = posterior.update(
            data,
            interventions=interventions,
            targets=read_targets(targets),
            standardize=standardize,  # type: ignore[arg-type]
            rng=rng,
            n_jobs=n_jobs,
        )
        updated.save(output)
        described = description(updated, {"file": str(output)})
    show(Answer(described.document, described.table, [described.people[0], f"Saved to {output}"]), form)
