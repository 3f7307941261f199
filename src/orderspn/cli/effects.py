"""`orderspn effects`: total causal effects."""

from __future__ import annotations

from pathlib import Path

import click

from orderspn.cli.files import opened
from orderspn.cli.options import format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import show
from orderspn.cli.pairs import condition, matrix_answer, pairs_answer, strongest_pairs


@click.command()
@posterior_argument
@given_option
@top_option("Only the N strongest effects.")
@click.option("--matrix", is_flag=True, help="Print all effects as a matrix, row = cause, column = effect.")
@format_options
def effects(posterior_file: Path, given: tuple[str, ...], top: int | None, matrix: bool, form: str | None) -> None:
    """List total causal effects, strongest first.

    The value is the expected change of the effect per unit change of the cause, when the cause is set from
    outside, averaged over all graphs; in standard deviations if the data were standardized.

    \b
    Example:
      orderspn effects posterior.npz --top 10
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.causal_effects()
    title = f"Total causal effects{_unit(posterior.settings['standardized'])}{condition(posterior.evidence)}"
    if matrix:
        answer = matrix_answer(frame, title)
    else:
        answer = pairs_answer(strongest_pairs(frame, top), "value", title)
    show(answer, form)


def _unit(standardized: bool) -> str:
    return " in standard deviations" if standardized else " in the units of the data"
